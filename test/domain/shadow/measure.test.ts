// Shadow fills by the market's flow compared with a unit-by-unit oracle, over random flow and a recorded day.
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Decimal } from '../../../src/domain/values/decimal.ts';
import type { FlowBook, FlowPrint, FlowWindow } from '../../../src/domain/shadow/flow.ts';
import { flowText, readFlow } from '../../../src/domain/shadow/flow.ts';
import { measureShadow, type ShadowMeasurement, type ShadowOrder, computeFlowSpan } from '../../../src/domain/shadow/measure.ts';
import { oracleFill, ticksOf, unitsOf } from './flow-oracle.ts';

const KEY = 'spotexchange:BTCUSDT';
/** Lot of 0.00001 coins in the oracle's millionths. */
const LOT = 10n;
const SENT = Date.UTC(2026, 2, 2, 14, 31);
const RESTED_MS = 20_000;

const price = (ticks: number): string => (ticks / 100).toFixed(2);
const size = (units: number): string => (units / 1_000_000).toFixed(6);

const anyOrder = fc.record({
  side: fc.constantFrom('buy' as const, 'sell' as const),
  lots: fc.integer({ min: 1, max: 60 }),
  limit: fc.integer({ min: 9_970, max: 10_030 }),
  rests: fc.boolean(),
});
const anyLevels = fc.array(fc.record({ step: fc.integer({ min: 1, max: 6 }), units: fc.integer({ min: 0, max: 250 }) }), { maxLength: 6 });
const anyFlow = fc.record({
  books: fc.array(
    fc.record({ at: fc.integer({ min: -900, max: 900 }), mid: fc.integer({ min: 9_985, max: 10_015 }), bids: anyLevels, asks: anyLevels }),
    { maxLength: 5 },
  ),
  trades: fc.array(
    fc.record({
      at: fc.integer({ min: -2_000, max: 23_000 }),
      ticks: fc.integer({ min: 9_975, max: 10_025 }),
      units: fc.integer({ min: 1, max: 300 }),
    }),
    { maxLength: 25 },
  ),
  bracketed: fc.constantFrom(true, true, true, false),
  hole: fc.constantFrom(null, null, null, null, 0, 1, 3, 9),
  gap: fc.constantFrom<{ readonly from: number; readonly ms: number | null } | null>(
    null,
    null,
    null,
    { from: -2_500, ms: 400 },
    { from: 200, ms: 1_500 },
    { from: 19_000, ms: null },
    { from: 23_500, ms: 100 },
  ),
});

type Order = typeof anyOrder extends fc.Arbitrary<infer Value> ? Value : never;
type Flow = typeof anyFlow extends fc.Arbitrary<infer Value> ? Value : never;

function orderOf({ side, lots, limit, rests }: Order): ShadowOrder {
  const quantity = new Decimal(lots).times('0.00001').toFixed();
  return {
    id: 'fill',
    instrument: KEY,
    side,
    quantity,
    limitPrice: price(limit),
    sentAt: SENT,
    restedUntil: rests ? SENT + RESTED_MS : null,
  };
}

function bookOf({ at, mid, bids, asks }: Flow['books'][number]): FlowBook {
  const side = (levels: Flow['books'][number]['bids'], sign: 1 | -1) => {
    let ticks = mid;
    return levels.map(({ step, units }) => ({ price: price((ticks += sign * step)), size: size(units) }));
  };
  return { source: 'test', at: SENT + at, bids: side(bids, -1), asks: side(asks, 1), liquidityUsd: null };
}

function windowOf(order: ShadowOrder, { books, trades, bracketed, hole, gap }: Flow): FlowWindow {
  const times = [...trades].sort((a, b) => a.at - b.at);
  const prints = times.map(
    ({ at, ticks, units }, n): FlowPrint => ({ sequence: 100 + n, price: price(ticks), quantity: size(units), at: SENT + at }),
  );
  const [first, last] = [SENT - 5_000, SENT + 60_000].map((at) => ({ price: '100.00', quantity: '0.000001', at }));
  const all = bracketed ? [{ ...first, sequence: 99 }, ...prints, { ...last, sequence: 100 + prints.length }] : prints;
  return {
    ...computeFlowSpan(order),
    books: books.map(bookOf).sort((a, b) => a.at - b.at),
    trades: (hole === null ? all : all.filter((_, n) => n !== hole)) as FlowPrint[],
    gaps: gap === null ? [] : [{ from: SENT + gap.from, until: gap.ms === null ? null : SENT + gap.from + gap.ms, why: 'over_age' }],
  };
}

/** Returns the result in the oracle's integers, or null if it is unknown. */
function counted({ outcome, quantity, price: at }: ShadowMeasurement) {
  return outcome === 'unknown' ? null : { units: unitsOf(quantity as string), at };
}

function agrees(order: ShadowOrder, window: FlowWindow): ShadowMeasurement {
  const found = measureShadow(order, window);
  const oracle = oracleFill(order, window, LOT);
  expect(counted(found)?.units ?? null, flowText(window)).toBe(oracle?.units ?? null);
  if (oracle !== null && oracle.units > 0n) {
    const average = new Decimal(oracle.cost.toString()).div(oracle.units.toString()).div(100);
    // An average over several levels is rounded at its eighteenth digit.
    expect(new Decimal(found.price as string).minus(average).abs().lte('1e-12')).toBe(true);
  } else expect(found.price).toBe(null);
  return found;
}

describe('random flow', () => {
  test('is measured as the oracle counts it, and again alike from its stored text', () => {
    const seen = { unknown: 0, nothing: 0, part: 0, whole: 0, rested: 0 };
    fc.assert(
      fc.property(anyOrder, anyFlow, (asked, flow) => {
        const order = orderOf(asked);
        const window = windowOf(order, flow);
        const found = agrees(order, window);
        expect(measureShadow(order, readFlow(flowText(window)) as FlowWindow)).toEqual(found);
        if (found.outcome === 'unknown') seen.unknown++;
        else if (found.quantity === '0') seen.nothing++;
        else {
          seen[found.quantity === order.quantity ? 'whole' : 'part']++;
          if (order.restedUntil !== null) seen.rested++;
        }
      }),
      { numRuns: 800 },
    );
    // Every kind of ending occurred.
    expect(Math.min(...Object.values(seen)), JSON.stringify(seen)).toBeGreaterThan(0);
  });

  test('never fills more than was ordered, shown or traded, and nothing beyond the limit or better than the book', () => {
    fc.assert(
      fc.property(anyOrder, anyFlow, (asked, flow) => {
        const order = orderOf(asked);
        const window = { ...windowOf(order, { ...flow, bracketed: true, hole: null, gap: null }) };
        const found = measureShadow(order, window);
        if (found.price === null) return;
        const given = unitsOf(found.quantity as string);
        expect(given <= unitsOf(order.quantity)).toBe(true);
        const sign = order.side === 'buy' ? 1 : -1;
        expect(sign * (Number(found.price) - Number(order.limitPrice))).toBeLessThanOrEqual(1e-9);
        const book = window.books.findLast(({ at }) => at <= window.arrival) as FlowBook;
        if (order.restedUntil === null) {
          const levels = order.side === 'buy' ? book.asks : book.bids;
          expect(given <= levels.reduce((sum, level) => sum + unitsOf(level.size), 0n)).toBe(true);
          expect(sign * (Number(found.price) - Number(levels[0]?.price))).toBeGreaterThanOrEqual(-1e-9);
        } else {
          const reached = window.trades.filter(({ at }) => at > window.arrival && at <= window.until);
          const limit = ticksOf(order.limitPrice);
          const traded = reached.filter((trade) => (sign > 0 ? ticksOf(trade.price) <= limit : ticksOf(trade.price) >= limit));
          expect(given <= traded.reduce((sum, trade) => sum + unitsOf(trade.quantity), 0n)).toBe(true);
          expect(found.price).toBe(new Decimal(order.limitPrice).toFixed());
        }
      }),
      { numRuns: 400 },
    );
  });

  test('fills no less at a price that is worse for the trader', () => {
    fc.assert(
      fc.property(anyOrder, anyFlow, fc.integer({ min: 1, max: 40 }), (asked, flow, ticks) => {
        const [near, far] = [asked, { ...asked, limit: asked.limit + (asked.side === 'buy' ? ticks : -ticks) }].map((one) => {
          const order = orderOf(one);
          // The market stays away from both limits, so that neither is rejected as taking.
          const window = windowOf(order, { ...flow, bracketed: true, hole: null, gap: null });
          const away = (book: FlowBook): FlowBook => ({ ...book, ...(asked.side === 'buy' ? { asks: [] } : { bids: [] }) });
          return measureShadow(order, asked.rests ? { ...window, books: window.books.map(away) } : window);
        });
        if (near?.outcome !== 'measured') return;
        expect(far?.outcome).toBe('measured');
        expect(unitsOf(far?.quantity as string) >= unitsOf(near.quantity as string)).toBe(true);
      }),
      { numRuns: 400 },
    );
  });
});

test('a gap, a lost trade, a missing book and a silent venue are unknown, each with its reason', () => {
  const order = orderOf({ side: 'buy', lots: 10, limit: 10_000, rests: true });
  const book = bookOf({ at: 0, mid: 10_001, bids: [{ step: 1, units: 20 }], asks: [{ step: 1, units: 20 }] });
  const trades = [-10, 5_000, 10_000, 30_000].map((at, n) => ({ sequence: n, price: '99.99', quantity: '0.0001', at: SENT + at }));
  const whole: FlowWindow = { ...computeFlowSpan(order), books: [book], trades, gaps: [] };
  const measured = measureShadow(order, whole);
  expect(measured).toMatchObject({
    outcome: 'measured',
    rule: 'book_and_trades',
    quantity: '0.0001',
    price: '100',
    trades: 2,
    reason: null,
  });
  const reason = (change: Partial<FlowWindow>) => measureShadow(order, { ...whole, ...change }).reason;
  expect(reason({ gaps: [{ from: SENT + 19_000, until: null, why: 'feed_down' }] })).toBe('gap');
  expect(reason({ gaps: [{ from: SENT - 60_000, until: SENT - 59_000, why: 'feed_down' }] })).toBe(null);
  expect(reason({ trades: trades.toSpliced(1, 1) })).toBe('trades_missing');
  expect(reason({ trades: trades.slice(0, 3) })).toBe('trades_missing');
  expect(reason({ books: [] })).toBe('not_received');
  expect(reason({ trades: Array.from({ length: 5_001 }, (_, n) => ({ sequence: n, price: '1', quantity: '1', at: SENT + n })) })).toBe(
    'too_much',
  );
  const perp = { ...order, instrument: 'evmvenue:BTC' as const };
  expect(measureShadow(perp, { ...computeFlowSpan(perp), books: [book], trades, gaps: [] })).toMatchObject({
    outcome: 'unknown',
    rule: null,
    reason: 'no_rule',
  });
  expect(() => measureShadow(order, { ...whole, from: SENT - 1 })).toThrow('is not that of order');
});

test('in a pool an order meets the worse of the states before and after its arrival', () => {
  const order: ShadowOrder = {
    id: 'fill',
    instrument: 'spotchain:AAPLx',
    side: 'buy',
    quantity: '4',
    limitPrice: '101',
    sentAt: SENT,
    restedUntil: null,
  };
  const span = computeFlowSpan(order);
  const state = (at: number, ask: string, liquidityUsd: string | null = '1000000'): FlowBook => ({
    source: 'test',
    at,
    bids: [],
    asks: [{ price: ask, size: '1' }],
    liquidityUsd,
  });
  const measured = (...books: FlowBook[]) => measureShadow(order, { ...span, books, trades: [], gaps: [] });
  const before = measured(state(SENT - 500, '100'), state(span.arrival + 900, '100'));
  // Along the curve: 400 of 500,000 US dollars move its price by eight basis points.
  expect(Number(before.price)).toBeGreaterThan(100.07);
  expect(Number(before.price)).toBeLessThan(100.09);
  expect(before).toMatchObject({ rule: 'pool_state', quantity: '4' });
  const risen = measured(state(SENT - 500, '100'), state(span.arrival + 900, '100.5'));
  expect(Number(risen.price)).toBeGreaterThan(100.5);
  expect(measured(state(SENT - 500, '100.5'), state(span.arrival + 900, '100')).price).toBe(risen.price);
  expect(measured(state(SENT - 500, '100'), state(span.arrival + 900, '102'))).toMatchObject({
    outcome: 'measured',
    quantity: '0',
    price: null,
  });
  expect(measured(state(SENT - 500, '100')).reason).toBe('not_received');
  expect(measured(state(SENT - 60_000, '100'), state(span.arrival + 900, '100')).reason).toBe('not_received');
});

// Trades and best bids and asks of 46 seconds of a real market. Not part of the repository.
const TAPE = fileURLToPath(new URL('../../../../shared/data/tapes/nautilus/', import.meta.url));
test.skipIf(!existsSync(TAPE))('orders of every second of a recorded market are measured as the oracle counts them', () => {
  const rows = (name: string) =>
    gunzipSync(readFileSync(`${TAPE}${name}.csv.gz`))
      .toString('utf8')
      .trim()
      .split('\n')
      .slice(1)
      .map((row) => row.split(','));
  const at = (text: string | undefined): number => Date.parse((text as string).replace(' ', 'T'));
  const rounded = (text: string | undefined): string => new Decimal(text as string).toDecimalPlaces(6).toFixed();
  const books = rows('btcusdt-quotes').map(
    ([time, , askSize, ask, bidSize, bid]): FlowBook => ({
      source: 'recorded',
      at: at(time),
      bids: [{ price: bid as string, size: rounded(bidSize) }],
      asks: [{ price: ask as string, size: rounded(askSize) }],
      liquidityUsd: null,
    }),
  );
  const trades = rows('btcusdt-trades').map(
    ([time, id, traded, quantity]): FlowPrint => ({
      sequence: Number(id),
      price: traded as string,
      quantity: rounded(quantity),
      at: at(time),
    }),
  );
  const filled = { take: 0, rest: 0 };
  for (let sentAt = (books[0] as FlowBook).at + 500; sentAt < (trades.at(-1) as FlowPrint).at - 6_000; sentAt += 250) {
    const top = books.findLast((book) => book.at <= sentAt) as FlowBook;
    for (const side of ['buy', 'sell'] as const) {
      for (const kind of ['take', 'rest'] as const) {
        const near = (side === 'buy') === (kind === 'rest') ? top.bids[0] : top.asks[0];
        const limitPrice = near?.price as string;
        const restedUntil = kind === 'rest' ? sentAt + 5_000 : null;
        const order: ShadowOrder = { id: 'fill', instrument: KEY, side, quantity: '0.05', limitPrice, sentAt, restedUntil };
        const span = computeFlowSpan(order);
        const until = trades.findIndex((trade) => trade.at > span.until);
        const from = trades.findLastIndex((trade) => trade.at <= span.from);
        const firstBook = books.findLastIndex((book) => book.at <= span.from);
        const window = {
          ...span,
          books: books.slice(firstBook).filter((book) => book.at <= span.booksUntil),
          trades: trades.slice(from, until + 1),
          gaps: [],
        };
        const found = agrees(order, window);
        expect(found.outcome).toBe('measured');
        if (found.quantity !== '0') filled[kind]++;
      }
    }
  }
  expect(filled.take).toBeGreaterThan(50);
  expect(filled.rest).toBeGreaterThan(50);
});
