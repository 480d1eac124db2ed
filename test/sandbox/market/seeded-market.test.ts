// Seeded market: one world per seed, random access, consistent bars, sessions, premiums, funding and marks.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Candle } from '../../../src/domain/candles/candle.ts';
import { isDecimalString } from '../../../src/domain/values/decimal.ts';
import { sessionAt, type TradingDay, tradingDays } from '../../../src/domain/market/session.ts';
import { sandboxStories } from '../../../src/sandbox/intelligence/sandbox-stories.ts';
import type { Market } from '../../../src/sandbox/market/market.ts';
import { createSeededMarket } from '../../../src/sandbox/market/seeded-market.ts';

const MINUTE = 60_000;
const HOUR = 3_600_000;
const DAY = 86_400_000;
const NOW = Date.UTC(2026, 10, 19, 18);
const SYMBOLS = ['AAPL', 'TSLA', 'SPY', 'BTC', 'SOL', 'SPACEX', 'OPENAI'];

type Question = (market: Market) => unknown;

const instants = fc.integer({ min: Date.UTC(2020, 10, 1), max: Date.UTC(2027, 11, 1) });
const questions: fc.Arbitrary<Question> = fc
  .tuple(fc.constantFrom('value', 'reference', 'token', 'perp', 'spot', 'bar'), fc.constantFrom(...SYMBOLS), instants)
  .map(([face, symbol, at]) => (market: Market) => {
    switch (face) {
      case 'value':
        return market.value(symbol, at);
      case 'reference':
        return market.reference(symbol, at);
      case 'token':
        return market.token(symbol, at);
      case 'perp':
        return market.perp(symbol, at);
      case 'spot':
        return market.spot(symbol, at);
      default:
        return market.candles('token', symbol, 5 * MINUTE, at, at + 10 * MINUTE);
    }
  });

/** Joins bars by definition: first open, extremes, last close, summed volume. */
function joined(bars: readonly Candle[], length: number): Candle[] {
  const groups = new Map<number, Candle[]>();
  for (const bar of bars) {
    const openTime = Math.floor(bar.openTime / length) * length;
    groups.set(openTime, [...(groups.get(openTime) ?? []), bar]);
  }
  return [...groups].map(([openTime, group]) => ({
    openTime,
    open: (group[0] as Candle).open,
    high: String(Math.max(...group.map((bar) => Number(bar.high)))),
    low: String(Math.min(...group.map((bar) => Number(bar.low)))),
    close: (group[group.length - 1] as Candle).close,
    volume: String(group.reduce((sum, bar) => sum + Math.round(Number(bar.volume) * 100), 0) / 100),
  }));
}

describe('the seeded market', () => {
  test('gives the same in any order, repeatedly, and in another process of the same seed', () => {
    fc.assert(
      fc.property(fc.array(questions, { minLength: 2, maxLength: 12 }), (asked) => {
        const forwards = createSeededMarket({ seed: 11 });
        const backwards = createSeededMarket({ seed: 11 });
        const first = asked.map((question) => question(forwards));
        const second = [...asked].reverse().map((question) => question(backwards));
        expect(second.reverse()).toEqual(first);
        expect(asked.map((question) => question(forwards))).toEqual(first);
      }),
      { numRuns: 60 },
    );
  });

  test('is another world under another seed', () => {
    const one = createSeededMarket({ seed: 1 });
    const other = createSeededMarket({ seed: 2 });
    const at = NOW - 30 * DAY;
    expect(SYMBOLS.filter((symbol) => one.value(symbol, at) === other.value(symbol, at))).toEqual([]);
  });

  test('has believable prices at its anchor', () => {
    const market = createSeededMarket({ seed: 5 });
    const anchor = Date.UTC(2026, 10, 20, 21);
    expect(market.value('AAPL', anchor)).toBeCloseTo(270, 4);
    expect(market.value('BTC', anchor)).toBeCloseTo(95_000, 2);
    expect(createSeededMarket({ seed: 5, anchor: NOW }).value('AAPL', NOW)).toBeCloseTo(270, 4);
  });

  test.each(['reference', 'token', 'perp', 'spot'] as const)('has hourly and daily %s bars that are the sums of its minutes', (face) => {
    const market = createSeededMarket({ seed: 3 });
    fc.assert(
      fc.property(fc.constantFrom('AAPL', 'BTC', 'OPENAI'), instants, (symbol, at) => {
        const from = Math.floor(at / DAY) * DAY;
        const to = from + DAY;
        const minutes = market.candles(face, symbol, MINUTE, from, to);
        const hours = market.candles(face, symbol, HOUR, from, to);
        if (symbol === 'OPENAI' && face === 'reference') {
          expect(hours).toHaveLength(24);
          return;
        }
        expect(hours).toEqual(joined(minutes, HOUR));
        expect(market.candles(face, symbol, DAY, from, to)).toEqual(joined(hours, DAY));
      }),
      { numRuns: 6 },
    );
  });

  test('has valid bars whose close is the live price at that time and that contain every live price', () => {
    const market = createSeededMarket({ seed: 4 });
    fc.assert(
      fc.property(fc.constantFrom('AAPL', 'ETH', 'SPACEX'), instants, fc.integer({ min: 0, max: 299_999 }), (symbol, at, offset) => {
        const from = Math.floor(at / (5 * MINUTE)) * 5 * MINUTE;
        const [bar] = market.candles('token', symbol, 5 * MINUTE, from, from + 1) as [Candle];
        const [open, high, low, close] = [bar.open, bar.high, bar.low, bar.close].map(Number) as [number, number, number, number];
        expect([bar.open, bar.high, bar.low, bar.close, bar.volume].every(isDecimalString)).toBe(true);
        expect(low).toBeGreaterThan(0);
        expect(Math.min(open, close)).toBeGreaterThanOrEqual(low);
        expect(Math.max(open, close)).toBeLessThanOrEqual(high);
        expect(market.token(symbol, from).price).toBe(open);
        expect(market.token(symbol, from + 5 * MINUTE).price).toBe(close);
        const live = market.token(symbol, from + offset).price;
        expect(live).toBeGreaterThanOrEqual(low);
        expect(live).toBeLessThanOrEqual(high);
      }),
      { numRuns: 300 },
    );
  });

  test('closes a share reference bar at the reference price of that instant, also at the end of the day', () => {
    const market = createSeededMarket({ seed: 4 });
    for (const day of tradingDays(NOW - 20 * DAY, NOW)) {
      const bars = market.candles('reference', 'NVDA', HOUR, day.preMarketAt - DAY / 2, day.closedAt);
      const last = bars[bars.length - 1] as Candle;
      expect(Number(last.close)).toBe(market.reference('NVDA', Math.min(last.openTime + HOUR, day.closedAt)).price);
    }
  });

  test('moves without jumps: at most 2 percent in a second', () => {
    const market = createSeededMarket({ seed: 9 });
    for (const symbol of ['TSLA', 'SOL', 'NEURALINK']) {
      let before = market.token(symbol, NOW).price;
      for (let at = NOW + 1000; at < NOW + 2 * HOUR; at += 1000) {
        const price = market.token(symbol, at).price;
        expect(Math.abs(price / before - 1)).toBeLessThan(0.02);
        before = price;
      }
    }
  });

  test('freezes the share outside its sessions and opens Monday with a gap', () => {
    const market = createSeededMarket({ seed: 6 });
    const [friday, monday] = tradingDays(Date.UTC(2026, 10, 13), Date.UTC(2026, 10, 17)) as [TradingDay, TradingDay];
    const closing = market.reference('TSLA', friday.closedAt);
    for (const at of [friday.closedAt + 1, friday.closedAt + DAY, monday.preMarketAt - 1]) {
      expect(market.reference('TSLA', at)).toEqual(closing);
      expect(sessionAt(at)).toBe('CLOSED');
    }
    expect(closing.updatedAt).toBe(friday.closedAt);
    const opening = market.reference('TSLA', monday.preMarketAt);
    expect(opening.updatedAt).toBe(monday.preMarketAt);
    expect(opening.price).not.toBe(closing.price);
    // Meanwhile the true value moved, and the token with it.
    expect(market.value('TSLA', friday.closedAt + DAY)).not.toBe(market.value('TSLA', friday.closedAt));
    expect(market.candles('reference', 'TSLA', HOUR, friday.closedAt, monday.preMarketAt)).toEqual([]);
    expect(market.candles('token', 'TSLA', HOUR, friday.closedAt, monday.preMarketAt).length).toBeGreaterThan(40);
  });

  test('updates the share every second while it trades', () => {
    const market = createSeededMarket({ seed: 6 });
    expect(sessionAt(NOW)).toBe('REGULAR');
    expect(market.reference('AAPL', NOW + 750).updatedAt).toBe(NOW);
    expect(market.reference('AAPL', NOW + 1750).updatedAt).toBe(NOW + 1000);
    expect(market.reference('AAPL', NOW).confidence).toBeGreaterThan(0);
  });

  test('moves a price after its news and never before, in the wire’s direction', () => {
    const [seed, from, to] = [12, Date.UTC(2026, 0, 5), Date.UTC(2026, 6, 1)];
    const market = createSeededMarket({ seed });
    const quiet = createSeededMarket({ seed, hasNews: false });
    const stories = sandboxStories(seed, market);
    let moved = 0;
    for (const symbol of ['NVDA', 'TSLA', 'BTC']) {
      const told = (at: number): number => Math.log(market.value(symbol, at) / quiet.value(symbol, at));
      const filings = stories.filings(symbol, from, to).map(({ acceptedAt }) => acceptedAt);
      const wire = stories.between(from, to, [symbol]);
      for (const item of wire.filter(({ id, action }) => id.endsWith('-1') && action === undefined)) {
        const at = Date.parse(item.publishedAt);
        const first = filings.find((filed) => filed < at && at - filed <= 20 * MINUTE) ?? at;
        // Another story within the hours around it would affect the same prices.
        if (filings.some((filed) => filed !== first && Math.abs(filed - first) < 3 * HOUR)) continue;
        if (wire.some(({ storyId, publishedAt }) => storyId !== item.storyId && Math.abs(Date.parse(publishedAt) - first) < 3 * HOUR))
          continue;
        expect(Math.abs(told(first) - told(first - HOUR)), item.id).toBeLessThan(0.0002);
        const change = told(first + HOUR) - told(first);
        if (Math.abs(change) < 0.001) continue;
        moved++;
        if (item.tone !== 'neutral') expect(change > 0, `${item.id} ${item.tone} ${change}`).toBe(item.tone === 'positive');
      }
    }
    expect(moved).toBeGreaterThan(20);
  });

  test('gives perpetuals a basis around the oracle and funding that is mostly pinned', () => {
    const market = createSeededMarket({ seed: 8 });
    let pinned = 0;
    for (let hour = 0; hour < 1000; hour++) {
      const { mark, oracle, hourlyFunding, openInterest, dayNotional } = market.perp('BTC', NOW - hour * HOUR);
      expect(Math.abs(mark / oracle - 1)).toBeLessThan(0.004);
      expect(openInterest).toBeGreaterThan(0);
      expect(dayNotional).toBeGreaterThan(1e8);
      if (hourlyFunding === 0.000_012_5) pinned++;
      expect(market.perp('BTC', NOW - hour * HOUR + 1).hourlyFunding).toBe(hourlyFunding);
    }
    expect(pinned).toBeGreaterThan(700);
    expect(pinned).toBeLessThan(1000);
  });

  test('steps an issuer mark at rounds only and publishes it at least weekly', () => {
    const market = createSeededMarket({ seed: 8 });
    const marks = new Set<number>();
    for (let day = 0; day < 720; day++) {
      const { price, updatedAt } = market.reference('ANTHROPIC', NOW - day * DAY);
      marks.add(price);
      expect(updatedAt).toBeLessThanOrEqual(NOW - day * DAY);
      expect(NOW - day * DAY - updatedAt).toBeLessThanOrEqual(7 * DAY);
    }
    expect(marks.size).toBeGreaterThanOrEqual(5);
    expect(marks.size).toBeLessThanOrEqual(8);
  });

  test('gives six years of hourly bars without holes, with the volatility of the asset', () => {
    const market = createSeededMarket({ seed: 10 });
    const bars = market.candles('token', 'AAPL', HOUR, NOW - 6 * 365 * DAY, NOW);
    expect(bars).toHaveLength(6 * 365 * 24);
    for (let i = 1; i < bars.length; i++) expect((bars[i] as Candle).openTime - (bars[i - 1] as Candle).openTime).toBe(HOUR);
    // Daily returns deviate as the asset's traits say.
    const closes = market.candles('spot', 'BTC', DAY, NOW - 2 * 365 * DAY, NOW).map((bar) => Number(bar.close));
    const returns = closes.slice(1).map((close, index) => Math.log(close / (closes[index] as number)));
    const yearly = Math.sqrt((returns.reduce((sum, value) => sum + value * value, 0) / returns.length) * 365);
    expect(yearly).toBeGreaterThan(0.25);
    expect(yearly).toBeLessThan(0.95);
  });

  test('refuses unknown symbols, times before 1970 and broken timeframes with a sentence', () => {
    const market = createSeededMarket({ seed: 1 });
    expect(() => market.value('AAPLx', NOW)).toThrow(/has no "AAPLx"; it has AAPL/);
    expect(() => market.value('AAPL', -1)).toThrow(RangeError);
    expect(() => market.value('AAPL', Number.NaN)).toThrow(RangeError);
    expect(() => market.candles('token', 'AAPL', 90_001, NOW, NOW + HOUR)).toThrow(/whole minutes/);
  });
});
