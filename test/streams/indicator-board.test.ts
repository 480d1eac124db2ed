/** Indicator board: incremental values compared with a computation from scratch, repairs, holes and funding. */
import * as fc from 'fast-check';
import { RSI } from 'trading-signals';
import { describe, expect, it } from 'vitest';
import type { Candle, CandleBatch } from '../../src/domain/candles/candle.ts';
import type { IndicatorNeed } from '../../src/domain/market/cut.ts';
import { createFeedCounters } from '../../streams/feed-counters.ts';
import { createIndicatorBoard } from '../../streams/indicator-board.ts';
import { nonZero, perpContext, REGULAR } from './events.ts';

const M = 60_000;
const H = 60 * M;
const T = REGULAR;
const EMA_3: IndicatorNeed = { instrument: 'spotexchange:BTCUSDT', name: 'ema', timeframe: '1m', period: 3 };
const RSI_3: IndicatorNeed = { instrument: 'spotexchange:BTCUSDT', name: 'rsi', timeframe: '1m', period: 3 };

function bar(minute: number, close: number): Candle {
  const price = String(close);
  return { openTime: T + minute * M, open: price, high: price, low: price, close: price, volume: '1' };
}

function batch(candles: readonly Candle[], receivedAt: number, covers?: { from: number; to: number }): CandleBatch {
  const one = {
    kind: 'candles',
    venue: 'spotexchange',
    instrument: 'BTCUSDT',
    timeframe: '1m',
    source: 'test',
    receivedAt,
    candles,
  } as const;
  return covers === undefined ? one : { ...one, covers };
}

/** Computes the EMA by definition over all closes: the mean of the first window, then each close weighted in. */
function emaFromScratch(closes: readonly number[], period: number): number | null {
  if (closes.length < period) return null;
  const seed = closes.slice(0, period).reduce((sum, close) => sum + close, 0) / period;
  return closes.slice(period).reduce((average, close) => average + (2 / (period + 1)) * (close - average), seed);
}

describe('the indicator board', () => {
  it('agrees with a computation from scratch at every step, through repeats, repairs and bars that come late', () => {
    const change = fc.record({
      minute: fc.integer({ min: 0, max: 25 }),
      close: fc.integer({ min: 50, max: 150 }),
    });
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 60 }), (changes) => {
        const board = createIndicatorBoard();
        const closes = new Map<number, number>();
        // Rules read no value of an old bar, so the newest comes first.
        [{ minute: 25, close: 100 }, ...changes].forEach(({ minute, close }, index) => {
          const receivedAt = T + 26 * M + index;
          closes.set(minute, close);
          // The venue declares the whole range complete: missing bars do not exist.
          board.apply(batch([bar(minute, close)], receivedAt, { from: T, to: T + 26 * M }));
          const sorted = [...closes].sort(([a], [b]) => a - b);
          const inOrder = sorted.map(([, one]) => one);
          const value = board.valueAt(EMA_3, receivedAt);
          const near = (expected: number | null): unknown => (expected === null ? null : expect.closeTo(expected, 9));
          expect(value).toEqual({
            value: near(emaFromScratch(inOrder, 3)),
            previous: near(emaFromScratch(inOrder.slice(0, -1), 3)),
            barOpenTime: T + (sorted.at(-1)?.[0] ?? 0) * M,
            ...(inOrder.length < 3 ? { bars: inOrder.length } : {}),
          });
        });
        const missing = Array.from({ length: 26 }, (_, minute) => minute).filter((minute) => !closes.has(minute));
        expect(board.coverage('spotexchange:BTCUSDT', '1m')).toEqual({
          from: T,
          to: T + 26 * M,
          missing: missing.map((minute) => T + minute * M),
        });
        expect(board.candles('spotexchange:BTCUSDT', '1m').map((one) => one.openTime)).toEqual(
          [...closes.keys()].sort((a, b) => a - b).map((minute) => T + minute * M),
        );
      }),
      { numRuns: 100 },
    );
  });

  it('gives the same values bar by bar as after one backfill', () => {
    const closes = Array.from({ length: 500 }, (_, index) => 100 + 10 * Math.sin(index / 7) + (index % 5));
    const bars = closes.map((close, index) => bar(index, close));
    const stepwise = createIndicatorBoard();
    const atOnce = createIndicatorBoard();
    bars.forEach((one, index) => {
      stepwise.apply(batch([one], T + (index + 1) * M));
      stepwise.valueAt(RSI_3, T + (index + 1) * M);
    });
    atOnce.apply(batch(bars, T + 500 * M));
    expect(stepwise.valueAt(RSI_3, T + 500 * M)).toEqual(atOnce.valueAt(RSI_3, T + 500 * M));
    const library = new RSI(3);
    for (const close of closes) library.update(close, false);
    expect(atOnce.valueAt(RSI_3, T + 500 * M).value).toBeCloseTo(Number(library.getResult()), 6);
  });

  it('answers for a past slot as it did then', () => {
    const board = createIndicatorBoard();
    const then = [];
    for (let minute = 0; minute < 20; minute++) {
      board.apply(batch([bar(minute, 100 + ((minute * 7) % 13))], T + (minute + 1) * M + 2_000));
      then.push(board.valueAt(EMA_3, T + (minute + 1) * M + 30_000));
    }
    const now = then.map((_, minute) => board.valueAt(EMA_3, T + (minute + 1) * M + 30_000));
    expect(now).toEqual(then);
    expect(then.at(-1)?.barOpenTime).toBe(T + 19 * M);
    // At the close itself the bar has not been received yet.
    expect(board.valueAt(EMA_3, T + 20 * M).barOpenTime).toBe(T + 18 * M);
  });

  it('does not count bars beyond a hole until it is filled or known to be empty', () => {
    const board = createIndicatorBoard();
    const at = T + 6 * M;
    board.apply(batch([bar(0, 10), bar(1, 11), bar(2, 12)], at));
    board.apply(batch([bar(5, 20)], at));
    expect(board.valueAt(EMA_3, at, true).barOpenTime).toBe(T + 2 * M);
    // Values too old for rules are not shown.
    expect(board.valueAt(EMA_3, at)).toEqual({ value: null, previous: null, barOpenTime: null });
    board.apply(batch([bar(3, 13)], at, { from: T + 3 * M, to: T + 5 * M }));
    expect(board.valueAt(EMA_3, at).barOpenTime).toBe(T + 5 * M);
    expect(board.coverage('spotexchange:BTCUSDT', '1m')).toEqual({ from: T, to: T + 6 * M, missing: [T + 4 * M] });
  });

  it('begins anew with a fetched history that begins after its own end', () => {
    const board = createIndicatorBoard();
    const fetched = (first: number, count: number, close: number) => {
      const bars = Array.from({ length: count }, (_, index) => bar(first + index, close));
      const to = T + (first + count) * M;
      board.apply(batch(bars, to + 2_000, { from: T + first * M, to }));
    };
    fetched(0, 10, 100);
    expect(board.valueAt(EMA_3, T + 11 * M).value).toBe(100);
    // Nobody needed the series for an hour. A new agent then has its window fetched.
    fetched(70, 10, 200);
    expect(board.valueAt(EMA_3, T + 81 * M)).toEqual({ value: 200, previous: 200, barOpenTime: T + 79 * M });
    expect(board.coverage('spotexchange:BTCUSDT', '1m')).toEqual({ from: T + 70 * M, to: T + 80 * M, missing: [] });
    fetched(80, 1, 200);
    expect(board.valueAt(EMA_3, T + 82 * M).barOpenTime).toBe(T + 80 * M);
  });

  it('refuses and counts bars that are not closed or not above zero', () => {
    const counters = createFeedCounters();
    const board = createIndicatorBoard({ counters });
    board.apply(
      batch([bar(0, 10), bar(1, 0), bar(2, -4), { ...bar(3, 1), close: 'NaN' }, bar(4, 9)], T + 4 * M + 59_999, { from: T, to: T + 5 * M }),
    );
    expect(nonZero(counters.snapshot().spotexchange.counted)).toEqual({ unclosed_bar: 1, bad_bar: 3 });
    expect(board.candles('spotexchange:BTCUSDT', '1m')).toHaveLength(1);
    expect(board.coverage('spotexchange:BTCUSDT', '1m')?.to).toBe(T + 4 * M);
  });

  it('keeps a bounded number of bars and series', () => {
    const board = createIndicatorBoard({ maxBars: 100, maxSeries: 2 });
    for (let minute = 0; minute < 1_000; minute++) board.apply(batch([bar(minute, 100)], T + 1_000 * M));
    expect(board.candles('spotexchange:BTCUSDT', '1m').length).toBeLessThanOrEqual(125);
    expect(board.valueAt(EMA_3, T + 1_000 * M)).toEqual({ value: 100, previous: 100, barOpenTime: T + 999 * M });
    for (const instrument of ['A', 'B']) board.apply({ ...batch([bar(0, 1)], T + M), instrument });
    expect(board.candles('spotexchange:BTCUSDT', '1m')).toEqual([]);
    expect(board.candles('spotexchange:B', '1m')).toHaveLength(1);
  });

  it('builds hours from live funding, prefers the venue’s history and restarts after a long silence', () => {
    const board = createIndicatorBoard();
    const need: IndicatorNeed = { instrument: 'evmvenue:BTC', name: 'funding_percentile', timeframe: '1h', period: 1 };
    for (let hour = 0; hour < 24; hour++) {
      board.applyContext(perpContext(T + hour * H + 1, { hourlyFunding: '0.9' }));
      board.applyContext(perpContext(T + hour * H + 59 * M, { hourlyFunding: `0.0000${hour + 10}` }));
    }
    expect(board.valueAt(need, T + 24 * H - 1).value).toBeNull();
    const full = board.valueAt(need, T + 24 * H);
    expect(full).toEqual({ value: expect.closeTo((23.5 / 24) * 100, 9), previous: null, barOpenTime: T + 23 * H });
    const rate = '0.00000001';
    const history: CandleBatch = {
      kind: 'candles',
      venue: 'evmvenue',
      instrument: 'BTC',
      timeframe: '1h',
      source: 'evmvenue:fundingHistory',
      receivedAt: T + 24 * H + 1,
      candles: [{ openTime: T + 23 * H, open: rate, high: rate, low: rate, close: rate, volume: '0' }],
    };
    board.apply(history);
    expect(board.valueAt(need, T + 24 * H + 1).value).toBeCloseTo((0.5 / 24) * 100, 9);
    board.applyContext(perpContext(T + 100 * H));
    expect(board.valueAt(need, T + 101 * H)).toEqual({ value: null, previous: null, barOpenTime: T + 100 * H, bars: 1 });
  });
});
