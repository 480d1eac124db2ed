// Equity curve of a book compared with a fold that knows no legs: money, quantities and prices as integers.
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { equityCourse, lastCloses, type KnownClose, type LedgerMove } from '../../src/domain/books/equity-course.ts';
import { ledgerOfFill, ledgerOfTransfer } from '../../src/domain/books/ledger.ts';
import type { InstrumentKey } from '../../src/domain/market/venue.ts';

const BTC: InstrumentKey = 'spotexchange:BTCUSDT';
const move = (at: number, kind: LedgerMove['kind'], amount: string, instrument: InstrumentKey | null = null): LedgerMove => ({
  at,
  kind,
  instrument,
  amount,
});

test('a deposit, a purchase, a rise and a fall: equity, profit, and drawdown from the highest point', () => {
  const moves = [
    move(10, 'cash', '1000'),
    move(10, 'capital', '-1000'),
    move(20, 'cash', '-401'),
    move(20, 'position', '4', BTC),
    // Deposits are not profit.
    move(45, 'cash', '500'),
    move(45, 'capital', '-500'),
  ];
  const closes = new Map([
    [
      BTC,
      [
        { at: 20, close: '100' },
        { at: 30, close: '150' },
        { at: 40, close: '125' },
      ],
    ],
  ]);
  expect(equityCourse(moves, lastCloses(closes), [5, 10, 20, 30, 40, 50])).toEqual([
    { at: 5, equityUsd: '0', pnlUsd: '0', drawdownPct: 0 },
    { at: 10, equityUsd: '1000', pnlUsd: '0', drawdownPct: 0 },
    { at: 20, equityUsd: '999', pnlUsd: '-1', drawdownPct: 0.1 },
    { at: 30, equityUsd: '1199', pnlUsd: '199', drawdownPct: 0 },
    { at: 40, equityUsd: '1099', pnlUsd: '99', drawdownPct: 8.34028357 },
    { at: 50, equityUsd: '1599', pnlUsd: '99', drawdownPct: 5.88581519 },
  ]);
});

test('a position without a price makes its points unknown, and once sold they are known again', () => {
  const moves = [move(1, 'cash', '-5'), move(1, 'position', '1', BTC), move(3, 'cash', '7'), move(3, 'position', '-1', BTC)];
  expect(equityCourse(moves, lastCloses(new Map()), [1, 2, 3]).map(({ equityUsd }) => equityUsd)).toEqual([null, null, '2']);
});

const FILL = fc.record({
  buy: fc.boolean(),
  quantity: fc.integer({ min: 1, max: 50 }),
  price: fc.integer({ min: 1, max: 900 }),
  fee: fc.integer({ min: -3, max: 9 }),
});

test('any fills and transfers booked by the ledger equal the integer sums', () => {
  fc.assert(
    fc.property(
      fc.array(FILL, { maxLength: 30 }),
      fc.array(fc.integer({ min: 1, max: 900 }), { minLength: 1, maxLength: 40 }),
      fc.integer({ min: 1, max: 9_000 }),
      (fills, prices, paid) => {
        const entries = [
          ledgerOfTransfer('book', String(paid), 'first', 0),
          ...fills.map(({ buy, quantity, price, fee }, index) =>
            ledgerOfFill({
              id: `f${index}`,
              orderId: 'o',
              bookId: 'book',
              instrument: BTC,
              side: buy ? 'buy' : 'sell',
              quantity: String(quantity),
              fillPrice: String(price),
              feeUsd: String(fee),
              notionalUsd: String(quantity * price),
              decisionPrice: String(price),
              slippageBps: 0,
              at: index,
              quotes: [],
            }),
          ),
        ];
        const moves = entries.flatMap(({ at, legs }) =>
          legs.flatMap(({ kind, asset, amount }): LedgerMove[] =>
            kind === 'cash' || kind === 'capital' || kind === 'position'
              ? [{ at, kind, instrument: kind === 'position' ? (asset as InstrumentKey) : null, amount }]
              : [],
          ),
        );
        const closes: KnownClose[] = prices.map((close, at) => ({ at, close: String(close) }));
        const course = equityCourse(
          moves,
          lastCloses(new Map([[BTC, closes]])),
          prices.map((_, at) => at),
        );
        for (const { at, equityUsd, pnlUsd } of course) {
          const until = fills.slice(0, at + 1);
          const cash = until.reduce((sum, { buy, quantity, price, fee }) => sum - (buy ? 1 : -1) * quantity * price - fee, paid);
          const held = until.reduce((sum, { buy, quantity }) => sum + (buy ? quantity : -quantity), 0);
          const equity = cash + held * (prices[at] as number);
          expect([Number(equityUsd), Number(pnlUsd)]).toEqual([equity, equity - paid]);
        }
      },
    ),
    { numRuns: 300 },
  );
});
