/** Candle keeper with a venue whose bars are late, fail or are missing. */
import { describe, expect, it } from 'vitest';
import type { Candle, CandleBatch } from '../../src/domain/candles/candle.ts';
import type { IndicatorNeed } from '../../src/domain/market/cut.ts';
import type { Rejection } from '../../src/domain/market/quote.ts';
import { type CandleHistory, createCandleKeeper } from '../../streams/candle-keeper.ts';
import { createIndicatorBoard } from '../../streams/indicator-board.ts';
import { createVirtualClock } from '../../streams/clock/virtual-clock.ts';
import { REGULAR } from './events.ts';

const M = 60_000;
const T = REGULAR + 10_000;
const NEED: IndicatorNeed = { instrument: 'spotexchange:BTCUSDT', name: 'rsi', timeframe: '1m', period: 14 };

function setUp(options: { lagMs?: number; holes?: readonly number[]; fail?: (ask: number) => Error | null; tookMs?: number } = {}) {
  const clock = createVirtualClock(T);
  const asks: { at: number; from: number; to: number; instrument: string }[] = [];
  let flying = 0;
  let mostFlying = 0;
  const spot: CandleHistory = {
    async fetchCandles(instrument, timeframe, from, to) {
      expect(timeframe).toBe('1m');
      asks.push({ at: clock.now() - T, from, to, instrument });
      const failure = options.fail?.(asks.length) ?? null;
      mostFlying = Math.max(mostFlying, ++flying);
      await new Promise<void>((resolve) => {
        clock.deadline(clock.now() + (options.tookMs ?? 50), resolve);
      });
      flying--;
      if (failure !== null) throw failure;
      const bars: Candle[] = [];
      for (let openTime = from; openTime < to; openTime += M) {
        if (options.holes?.includes(openTime) || clock.now() < openTime + M + (options.lagMs ?? 0)) continue;
        const price = String(100 + ((openTime / M) % 7));
        bars.push({ openTime, open: price, high: price, low: price, close: price, volume: '1' });
      }
      return bars;
    },
    fetchFunding: async (_instrument, from, to) => {
      const rates = [];
      for (let at = from + 60 * M; at <= to && at <= clock.now(); at += 60 * M) rates.push({ at: at + 76, hourlyFunding: '-0.00001' });
      return rates;
    },
  };
  let needs: readonly IndicatorNeed[] = [NEED];
  const batches: CandleBatch[] = [];
  const rejections: Rejection[] = [];
  const board = createIndicatorBoard();
  const keeper = createCandleKeeper({
    clock,
    histories: { spotexchange: spot, evmvenue: spot },
    needs: () => needs,
    emit: (message) => {
      if (message.kind === 'rejection') rejections.push(message);
      else {
        batches.push(message);
        board.apply(message);
      }
    },
    random: () => 0.5,
  });
  return {
    clock,
    keeper,
    board,
    asks,
    batches,
    rejections,
    mostFlying: () => mostFlying,
    setNeeds: (next: readonly IndicatorNeed[]) => {
      needs = next;
    },
  };
}

describe('the candle keeper', () => {
  it('backfills once and then fetches each bar shortly after it closes', async () => {
    const { clock, keeper, asks, board } = setUp();
    keeper.start();
    await clock.settleTo(T + 5 * M);
    expect(asks[0]).toMatchObject({ at: 0, from: REGULAR - 512 * M, to: REGULAR });
    expect(asks.slice(1).map((ask) => [ask.at + 10_000, ask.from - REGULAR, ask.to - REGULAR])).toEqual(
      [1, 2, 3, 4, 5].map((minute) => [minute * M + 2_500, (minute - 1) * M, minute * M]),
    );
    expect(board.candles('spotexchange:BTCUSDT', '1m')).toHaveLength(517);
    expect(board.coverage('spotexchange:BTCUSDT', '1m')).toEqual({ from: REGULAR - 512 * M, to: REGULAR + 5 * M, missing: [] });
    expect(board.valueAt(NEED, T + 5 * M).value).not.toBeNull();
    keeper.stop();
    expect(clock.pending).toBe(0);
  });

  it('requests a late bar again, and counts one that never comes as missing', async () => {
    const late = setUp({ lagMs: 6_000 });
    late.keeper.start();
    await late.clock.settleTo(T + 2 * M);
    const coverage = late.board.coverage('spotexchange:BTCUSDT', '1m');
    expect(coverage).toMatchObject({ to: REGULAR + 2 * M, missing: [] });

    const hole = REGULAR + M;
    const holed = setUp({ holes: [hole] });
    holed.keeper.start();
    await holed.clock.settleTo(T + 4 * M);
    expect(holed.board.coverage('spotexchange:BTCUSDT', '1m')).toMatchObject({ to: REGULAR + 4 * M, missing: [hole] });
    expect(holed.board.candles('spotexchange:BTCUSDT', '1m').map((bar) => bar.openTime)).not.toContain(hole);
    expect(holed.asks.filter((ask) => ask.from === hole && ask.to === hole + M)).toHaveLength(4);
  });

  it('recovers from failures with growing delays, respects the venue’s delay and reports the failure', async () => {
    const busy = Object.assign(new Error('too many requests'), { retryAfterMs: 20_000 });
    const { clock, keeper, asks, rejections, board } = setUp({
      fail: (ask) => (ask === 4 ? busy : ask < 4 ? new Error('no answer') : null),
    });
    keeper.start();
    await clock.settleTo(T + 40_000);
    expect(asks.slice(0, 5).map((ask) => ask.at)).toEqual([0, 800, 2_350, 5_400, 25_450]);
    expect(rejections).toHaveLength(4);
    expect(rejections[3]).toMatchObject({ venue: 'spotexchange', reason: 'venue_error', detail: 'bars of BTCUSDT 1m: too many requests' });
    expect(board.candles('spotexchange:BTCUSDT', '1m')).toHaveLength(512);
  });

  it('keeps a dead venue below 60 attempts in 10 minutes', async () => {
    const { clock, keeper, asks } = setUp({ fail: () => new Error('dead') });
    keeper.start();
    await clock.settleTo(T + 10 * M);
    expect(asks.length).toBeGreaterThan(5);
    expect(asks.length).toBeLessThan(60);
  });

  it('follows the needs: new ones at once, longer ones anew, dropped ones no more; two requests at a time', async () => {
    const { clock, keeper, asks, setNeeds, mostFlying } = setUp({ tookMs: 500 });
    setNeeds([]);
    keeper.start();
    await clock.settleTo(T + 1_000);
    expect(asks).toEqual([]);
    setNeeds(['A', 'B', 'C', 'D'].map((name) => ({ ...NEED, instrument: `spotexchange:${name}` as const })));
    keeper.refresh();
    await clock.settleTo(T + 5_000);
    expect(asks.map((ask) => ask.instrument)).toEqual(['A', 'B', 'C', 'D']);
    expect(mostFlying()).toBe(2);
    setNeeds([{ ...NEED, instrument: 'spotexchange:A', name: 'ema', period: 300 }]);
    await clock.settleTo(T + 30_000);
    expect(asks.slice(4)).toMatchObject([{ instrument: 'A', from: REGULAR - 1_997 * M, to: REGULAR }]);
    await clock.settleTo(T + 3 * M);
    expect(new Set(asks.slice(4).map((ask) => ask.instrument))).toEqual(new Set(['A']));
  });

  it('reaches a series that waits behind others no longer wanted', async () => {
    const { clock, keeper, asks, setNeeds } = setUp({ tookMs: 500 });
    const named = (...names: readonly string[]) =>
      setNeeds(names.map((name) => ({ ...NEED, instrument: `spotexchange:${name}` as const })));
    named('A', 'B', 'C', 'D', 'E');
    keeper.start();
    await clock.settleTo(T + 100);
    named('E');
    keeper.refresh();
    await clock.settleTo(T + 5_000);
    expect(asks.map((ask) => ask.instrument)).toEqual(['A', 'B', 'E']);
  });

  it('fetches a perpetual’s funding rates by the hours they were paid for', async () => {
    const { clock, keeper, board, batches, setNeeds } = setUp();
    const need: IndicatorNeed = { instrument: 'evmvenue:BTC', name: 'funding_percentile', timeframe: '1h', period: 2 };
    setNeeds([need]);
    keeper.start();
    await clock.settleTo(T + 1_000);
    expect(batches[0]).toMatchObject({ source: 'evmvenue:fundingHistory', timeframe: '1h' });
    expect(batches[0]?.candles.at(-1)).toMatchObject({ openTime: REGULAR - 60 * M, close: '-0.00001' });
    expect(board.valueAt(need, T + 1_000)).toEqual({ value: 50, previous: 50, barOpenTime: REGULAR - 60 * M });
  });
});
