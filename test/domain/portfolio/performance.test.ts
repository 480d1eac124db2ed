// Daily results of any books sum to their profit, whatever is deposited, opened, bought, sold or charged meanwhile.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  applyFill,
  applyTransfer,
  bookIds,
  emptyBook,
  type Fill,
  findPosition,
  settledByAccount,
  type TradingBook,
} from '../../../src/domain/books/book.ts';
import { Decimal } from '../../../src/domain/values/decimal.ts';
import { bookEarnings, type DayBeginning, NOTHING_YET, computeProfit, totalEarnings } from '../../../src/domain/portfolio/performance.ts';
import type { InstrumentKey } from '../../../src/domain/market/venue.ts';
import { quoteOf, SATURDAY } from './portfolio-samples.ts';

const INSTRUMENTS: readonly InstrumentKey[] = ['spotexchange:BTCUSDT', 'spotchain:AAPLx'];
const AGENT = '019caef5-a4a0-7000-8000-000000000001';
const ORG = '019caef5-a4a0-7000-8000-000000000002';
/** The last is a manual book: its account pays and receives its cash. */
const BOOKS = [bookIds.paper(AGENT, 1), bookIds.paper(AGENT, 2), bookIds.manual(ORG)];

const operation = fc.record({
  book: fc.integer({ min: 0, max: BOOKS.length - 1 }),
  kind: fc.constantFrom('buy', 'sell', 'transfer'),
  instrument: fc.integer({ min: 0, max: INSTRUMENTS.length - 1 }),
  quantity: fc.integer({ min: 1, max: 50 }),
  price: fc.integer({ min: 1, max: 9_999 }),
  fee: fc.integer({ min: -5, max: 300 }),
});
const day = fc.record({
  operations: fc.array(operation, { maxLength: 8 }),
  closes: fc.tuple(...INSTRUMENTS.map(() => fc.integer({ min: 1, max: 9_999 }))),
});
type Operation = typeof operation extends fc.Arbitrary<infer Value> ? Value : never;

let made = 0;
function fillOf(bookId: string, { kind, instrument, price, fee }: Operation, quantity: string): Fill {
  const fillPrice = new Decimal(price).div(100).toFixed();
  return {
    id: `fill-${++made}`,
    orderId: 'order',
    bookId,
    instrument: INSTRUMENTS[instrument] as InstrumentKey,
    side: kind === 'buy' ? 'buy' : 'sell',
    quantity,
    fillPrice,
    feeUsd: new Decimal(fee).div(100).toFixed(),
    notionalUsd: new Decimal(quantity).times(fillPrice).toFixed(),
    decisionPrice: fillPrice,
    slippageBps: 0,
    at: SATURDAY,
    quotes: [],
  };
}

test('the sum of all days is the total, over any sequence of deposits, new books, fills and fees', () => {
  fc.assert(
    fc.property(fc.array(day, { minLength: 1, maxLength: 5 }), (days) => {
      const books = new Map<string, TradingBook>();
      const priceOn = (closes: readonly number[]) => (instrument: InstrumentKey) =>
        new Decimal(closes[INSTRUMENTS.indexOf(instrument)] as number).div(100).toFixed();
      let earned = new Decimal(0);
      let ofDays = new Decimal(0);
      const began = new Map<string, DayBeginning>();
      for (const [index, { operations, closes }] of days.entries()) {
        for (const each of operations) {
          const id = BOOKS[each.book] as string;
          const before = books.get(id) ?? emptyBook(id, 'paper', '0');
          const held = findPosition(before, INSTRUMENTS[each.instrument] as InstrumentKey)?.quantity ?? '0';
          const quantity = each.kind === 'sell' ? Decimal.min(each.quantity, held).toFixed() : String(each.quantity);
          if (each.kind === 'transfer') books.set(id, applyTransfer(before, String(each.price)));
          else if (quantity !== '0') {
            const fill = fillOf(id, each, quantity);
            const after = applyFill(before, fill);
            books.set(id, id.startsWith('manual:') ? settledByAccount(after) : after);
            earned = earned.plus(fill.side === 'sell' ? fill.notionalUsd : `-${fill.notionalUsd}`).minus(fill.feeUsd);
          }
        }
        const price = priceOn(closes);
        const quotes = new Map(INSTRUMENTS.map((instrument) => quoteOf(instrument, price(instrument), price(instrument))));
        const results = [...books.values()].map((book) => bookEarnings(book, quotes, SATURDAY, began.get(book.id) ?? NOTHING_YET));
        ofDays = ofDays.plus(totalEarnings(results).todayUsd as string);
        for (const book of books.values()) began.set(book.id, { ...computeProfit(book, price), traded: new Map() });
        if (index < days.length - 1) continue;
        // Computed another way: proceeds of trades, and positions at their prices.
        for (const { holdings } of books.values())
          for (const { instrument, quantity } of holdings) earned = earned.plus(new Decimal(quantity).times(price(instrument)));
        expect(ofDays.toFixed()).toBe(earned.toFixed());
        expect(totalEarnings(results).pnlUsd).toBe(earned.toFixed());
      }
    }),
    { numRuns: 200 },
  );
});

test('a loss at the first purchase of a book is a loss of its first day', () => {
  const id = BOOKS[0] as string;
  const instrument = INSTRUMENTS[0] as InstrumentKey;
  const fill = fillOf(id, { book: 0, kind: 'buy', instrument: 0, quantity: 1, price: 10_000, fee: 10 }, '1');
  const book = { ...applyFill(emptyBook(id, 'paper', '1000'), fill), day: SATURDAY, dayStartEquityUsd: '990' };
  const { pnlUsd, todayUsd } = bookEarnings(book, new Map([quoteOf(instrument, '96', '96')]), SATURDAY, NOTHING_YET);
  expect([pnlUsd, todayUsd]).toEqual(['-4.1', '-4.1']);
});

test('an instrument without a midnight price is left out of today only, with its later trades, and named', () => {
  const id = BOOKS[0] as string;
  const [btc, aapl] = INSTRUMENTS as [InstrumentKey, InstrumentKey];
  const op = (instrument: number, kind: 'buy' | 'sell', price: number): Operation => ({
    book: 0,
    kind,
    instrument,
    quantity: 1,
    price,
    fee: 10,
  });
  const yesterday = [fillOf(id, op(0, 'buy', 10_000), '2'), fillOf(id, op(1, 'buy', 20_000), '3')].reduce(
    applyFill,
    emptyBook(id, 'paper', '1000'),
  );
  const began = computeProfit(yesterday, (instrument) => (instrument === btc ? '110' : null));
  expect(began.unmarked).toEqual([aapl]);
  const now = [fillOf(id, op(1, 'sell', 21_000), '1'), fillOf(id, op(0, 'buy', 12_000), '1')].reduce(applyFill, yesterday);
  const quotes = new Map([quoteOf(btc, '125', '125'), quoteOf(aapl, '230', '230')]);
  const earned = bookEarnings(now, quotes, SATURDAY, { ...began, traded: new Map([[aapl, '209.9']]) });
  // Two from 110 to 125, one from 120 to 125, minus its fee of 0.1.
  expect([earned.todayUsd, earned.todayWithout]).toEqual(['34.9', [aapl]]);
  // The omitted part is exactly what the midnight price would have given.
  const known = bookEarnings(now, quotes, SATURDAY, {
    ...computeProfit(yesterday, (instrument) => (instrument === btc ? '110' : '205')),
    traded: new Map(),
  });
  expect(new Decimal(known.todayUsd as string).minus(earned.todayUsd as string).toFixed()).toBe(
    new Decimal(2 * 230 - 3 * 205).plus('209.9').toFixed(),
  );
  // An unknown book leaves the others summed.
  const unknown = bookEarnings(now, quotes, SATURDAY, { profitUsd: null, unmarked: [btc, aapl], traded: new Map() });
  expect([unknown.todayUsd, totalEarnings([unknown]).todayUsd]).toEqual([null, null]);
  expect(totalEarnings([unknown, known])).toMatchObject({ todayUsd: known.todayUsd, todayWithout: [btc, aapl] });
});
