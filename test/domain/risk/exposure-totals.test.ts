/** Exposure outside a book: the sums equal a walk through all other books. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { emptyBook, type MarkedBook, markBook, type TradingBook } from '../../../src/domain/books/book.ts';
import type { ExecutionMode } from '../../../src/domain/orders/order.ts';
import { computeExposure, exposureTotals, RunningSums } from '../../../src/domain/risk/index.ts';

const scaled = (text: string): bigint => {
  const [, sign, whole, digits = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text) as unknown as string[];
  return BigInt(`${sign}${whole}${digits.padEnd(12, '0')}`);
};

const money = fc.tuple(fc.bigInt({ min: -(10n ** 24n), max: 10n ** 24n }), fc.nat(12)).map(([units, digits]) => {
  const text = (units < 0n ? -units : units).toString().padStart(digits + 1, '0');
  const whole = text.slice(0, text.length - digits);
  return `${units < 0n ? '-' : ''}${whole}${digits === 0 ? '' : `.${text.slice(-digits)}`}`;
});
const instrument = fc.constantFrom('spotchain:AAPLx', 'spotchain:TSLAx', 'spotexchange:BTCUSDT', 'evmvenue:BTC');
const positions = fc.array(fc.record({ instrument, costUsd: money, valueUsd: fc.option(money) }), { maxLength: 4 });
const openProposals = fc.array(fc.record({ side: fc.constantFrom('buy', 'sell'), instrument, notionalUsd: money }), { maxLength: 3 });
const books = fc
  .array(fc.record({ mode: fc.constantFrom('paper', 'live'), cashUsd: money, positions, openProposals }), { maxLength: 6 })
  .map((all) =>
    all.map(
      ({ mode, cashUsd, positions: held, openProposals: open }, place) =>
        ({ state: { id: `book-${place}`, mode, cashUsd, openProposals: open }, positions: held }) as unknown as MarkedBook,
    ),
  );

/** Walks all books: a position without a mark counts at cost, a pending purchase is exposure and a pending sale is not. */
function walk(all: readonly MarkedBook[], mode: ExecutionMode, exceptBookId: string) {
  let equity = 0n;
  const sums = new Map<string, bigint>();
  const add = (name: string, value: bigint) => void sums.set(name, (sums.get(name) ?? 0n) + value);
  for (const { state, positions: held } of all) {
    if (state.mode !== mode || state.id === exceptBookId) continue;
    equity += scaled(state.cashUsd);
    for (const { instrument: name, valueUsd, costUsd } of held) {
      equity += scaled(valueUsd ?? costUsd);
      add(name, scaled(valueUsd ?? costUsd));
    }
    for (const { side, instrument: name, notionalUsd } of state.openProposals) if (side === 'buy') add(name, scaled(notionalUsd));
  }
  return { equity, sums };
}

test('excluding any one of the books, or none, in either mode', () => {
  fc.assert(
    fc.property(books, fc.constantFrom('paper' as const, 'live' as const), (all, mode) => {
      const totals = exposureTotals(all, mode);
      for (const id of [...all.map(({ state }) => state.id), 'of nobody']) {
        const walked = walk(all, mode, id);
        const told = totals.without(id);
        expect(scaled(told.equityUsd)).toBe(walked.equity);
        expect(told.exposures.map(({ instrument: name, valueUsd }) => [name, scaled(valueUsd)])).toEqual(
          [...walked.sums].sort(([a], [b]) => (a < b ? -1 : 1)),
        );
      }
    }),
    { numRuns: 300 },
  );
});

const amount = fc.tuple(fc.bigInt({ min: 1n, max: 10n ** 12n }), fc.nat(8)).map(([units, digits]) => {
  const text = units.toString().padStart(digits + 1, '0');
  return digits === 0 ? text : `${text.slice(0, text.length - digits)}.${text.slice(-digits)}`;
});
const holding = fc.record({ instrument, quantity: amount, costUsd: amount, openedAt: fc.constant(0) });
const proposal = fc.record({
  id: fc.constant('p'),
  instrument,
  side: fc.constantFrom('buy', 'sell'),
  quantity: amount,
  notionalUsd: amount,
});
const bookAt = fc
  .record({
    place: fc.nat(3),
    cashUsd: amount,
    holdings: fc.uniqueArray(holding, { maxLength: 3, selector: (each) => each.instrument }),
    openProposals: fc.array(proposal, { maxLength: 2 }),
  })
  .map(({ place, ...book }): TradingBook => ({ ...emptyBook(`book-${place}`, 'paper', '1'), ...book }) as TradingBook);

test('incremental sums equal a walk through the books while books change and go', () => {
  const change = fc.oneof({ weight: 4, arbitrary: bookAt }, { weight: 1, arbitrary: fc.nat(3).map((place) => `book-${place}`) });
  const marks = fc.dictionary(instrument, amount).map((prices) => new Map(Object.entries(prices)));
  fc.assert(
    fc.property(fc.array(change, { maxLength: 10 }), marks, (changes, prices) => {
      const sums = new RunningSums();
      const present = new Map<string, TradingBook>();
      for (const changed of changes) {
        if (typeof changed === 'string') {
          sums.forget(changed);
          present.delete(changed);
        } else {
          sums.count(changed);
          present.set(changed.id, changed);
        }
        const totals = exposureTotals(
          [...present.values()].map((book) => markBook(book, prices, 0)),
          'paper',
        );
        for (const id of ['book-0', 'book-1', 'book-2', 'book-3', 'of nobody'])
          expect(computeExposure(sums.without(id), prices)).toEqual(totals.without(id));
      }
    }),
    { numRuns: 200 },
  );
});
