/** Whole receiving path: a live run and its replayed tape give the same cuts. */
import { Subject } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { CATALOG } from '../../src/domain/catalog/catalog.ts';
import { type Cut, type IndicatorNeed, indicatorKey, type Observation, observationHash } from '../../src/domain/market/cut.ts';
import type { FeedMessage } from '../../src/domain/market/market-event.ts';
import type { Quote } from '../../src/domain/market/quote.ts';
import type { CandleHistory } from '../../streams/candle-keeper.ts';
import { createMarketPipeline, type MarketPipeline } from '../../streams/market-pipeline.ts';
import { createVirtualClock, type VirtualClock } from '../../streams/clock/virtual-clock.ts';
import { heartbeat, perpContext, quote, REGULAR, status } from './events.ts';

const T = REGULAR;
const BTC = CATALOG.entries.filter((entry) => entry.underlying === 'BTC');
const NEEDS: readonly IndicatorNeed[] = [{ instrument: 'spotexchange:BTCUSDT', name: 'rsi', timeframe: '1m', period: 14 }];

const history: CandleHistory = {
  fetchCandles: async (_instrument, _timeframe, from, to) => {
    const bars = [];
    for (let openTime = from; openTime < to; openTime += 60_000) {
      const price = String(100 + ((openTime / 60_000) % 11));
      bars.push({ openTime, open: price, high: price, low: price, close: price, volume: '1' });
    }
    return bars;
  },
};

function receive(
  clock: VirtualClock,
  feed: Subject<FeedMessage> | null,
  needs: () => readonly IndicatorNeed[] = () => NEEDS,
  cuts: Cut[] = [],
): { pipeline: MarketPipeline; cuts: Cut[]; failures: unknown[]; tape: FeedMessage[]; assessed: FeedMessage[] } {
  const failures: unknown[] = [];
  const tape: FeedMessage[] = [];
  const assessed: FeedMessage[] = [];
  const pipeline = createMarketPipeline({
    clock,
    random: () => 0.5,
    feeds: feed === null ? [] : [{ venue: 'spotexchange', messages: feed }],
    instruments: () => BTC,
    needs,
    histories: feed === null ? {} : { spotexchange: history },
    onCut: (cut) => cuts.push(cut),
    onFailure: (error) => failures.push(error),
  });
  pipeline.received.subscribe({ next: (message) => tape.push(message) });
  pipeline.assessed.subscribe({ next: (message) => assessed.push(message) });
  pipeline.start();
  return { pipeline, cuts, failures, tape, assessed };
}

describe('the market pipeline', () => {
  it('fetches the bars of present needs as they change', async () => {
    const clock = createVirtualClock(T);
    const feed = new Subject<FeedMessage>();
    let needs: readonly IndicatorNeed[] = [];
    const asked: string[] = [];
    const pipeline = createMarketPipeline({
      clock,
      random: () => 0.5,
      feeds: [{ venue: 'spotexchange', messages: feed }],
      instruments: () => BTC,
      needs: () => needs,
      histories: {
        spotexchange: {
          fetchCandles: (instrument, timeframe, from, to) => {
            asked.push(instrument);
            return history.fetchCandles(instrument, timeframe, from, to);
          },
        },
      },
      onCut: () => {},
      onFailure: (error) => {
        throw error;
      },
    });
    pipeline.start();
    feed.next(status(T, 'connected'));
    await clock.settleTo(T + 1_000);
    expect(asked).toEqual([]);
    needs = NEEDS;
    pipeline.refreshNeeds();
    await clock.settleTo(T + 30_000);
    pipeline.stop();
    expect(asked.length).toBeGreaterThan(0);
  });

  it('gives the same observations live and from the tape of that run', async () => {
    const clock = createVirtualClock(T);
    const feed = new Subject<FeedMessage>();
    const live = receive(clock, feed);
    feed.next(status(T, 'connected'));
    for (let second = 1; second <= 200; second++) {
      await clock.settleTo(T + second * 1_000);
      const at = clock.now();
      if (second === 120) feed.next(status(at, 'disconnected'));
      if (second > 119 && second < 150) continue;
      if (second === 150) feed.next(status(at, 'connected', { epoch: 2 }));
      if (second % 3 === 0) feed.next(heartbeat(at));
      if (second % 17 === 0) feed.next(quote(at, { sequence: second, sourceTime: false, bid: String(100 + (second % 9)), ask: '110' }));
      if (second % 17 === 1) feed.next(quote(at, { sequence: second - 5, sourceTime: false }));
      if (second % 40 === 0) feed.next(quote(at, { sequence: second, sourceTime: false, bid: '120', ask: '110' }));
      if (second % 10 === 0) feed.next(perpContext(at, { markPrice: String(100 + (second % 7)) }));
    }
    await clock.settleTo(T + 215_000);
    live.pipeline.stop();
    expect(live.failures).toEqual([]);
    expect(live.cuts).toHaveLength(8);

    const replayClock = createVirtualClock(T);
    const replayed: Cut[] = [];
    // A tape records the indicators of each slot's cut.
    const noted = (): readonly IndicatorNeed[] =>
      NEEDS.filter((need) => {
        const next = live.cuts[replayed.length]?.observations.get(need.instrument);
        return next !== undefined && indicatorKey(need) in next.indicators;
      });
    const replay = receive(replayClock, null, noted, replayed);
    for (const message of live.tape) {
      replayClock.advanceTo(message.receivedAt);
      replay.pipeline.push(message);
    }
    replayClock.advanceTo(T + 215_000);
    replay.pipeline.stop();
    const hashes = (cuts: readonly Cut[]): string[] => cuts.flatMap((cut) => [...cut.observations.values()].map(observationHash));
    expect(hashes(replay.cuts)).toEqual(hashes(live.cuts));

    const spot = live.cuts.map((cut) => cut.observations.get('spotexchange:BTCUSDT'));
    const qualities = spot.map((one) => one?.quote?.quality ?? 'none');
    expect(qualities).toEqual(['none', 'live', 'live', 'live', 'degraded', 'degraded', 'live', 'degraded']);
    expect(spot[7]?.quote?.flags).toEqual(['crossed', 'over_age']);
    expect(spot[4]?.quote?.flags).toContain('feed_down');
    expect(spot[5]?.quote?.flags).toContain('resyncing');
    expect(spot.at(-1)?.indicators['rsi:14@1m']?.value).not.toBeNull();
    expect(spot.at(-1)?.indicators['rsi:14@1m']?.barOpenTime).toBe(T + 2 * 60_000);
  });

  describe('two tenants', () => {
    const own: IndicatorNeed = { instrument: 'spotexchange:BTCUSDT', name: 'rsi', timeframe: '1m', period: 30 };
    const ema: IndicatorNeed = { ...own, name: 'ema', period: 50 };
    const longer: IndicatorNeed = { ...own, name: 'ema', period: 200 };
    const prices: CandleHistory = {
      fetchCandles: async (_instrument, _timeframe, from, to) => {
        const bars = [];
        for (let openTime = from; openTime < to; openTime += 60_000) {
          const minute = openTime / 60_000;
          // Minutes without a bar, so that windows differ from counts of bars.
          if (minute % 13 === 5) continue;
          const price = (100 + 9 * Math.sin(minute / 7) + ((minute * 7_919) % 31) / 10).toFixed(4);
          bars.push({ openTime, open: price, high: price, low: price, close: price, volume: '1' });
        }
        return bars;
      },
    };

    async function observe(
      from: number,
      until: number,
      needsAt: (at: number) => readonly IndicatorNeed[],
    ): Promise<Map<number, Observation>> {
      const clock = createVirtualClock(from);
      const seen = new Map<number, Observation>();
      const pipeline = createMarketPipeline({
        clock,
        random: () => 0.5,
        feeds: [{ venue: 'spotexchange', messages: new Subject<FeedMessage>() }],
        instruments: () => BTC,
        needs: () => needsAt(clock.now()),
        histories: { spotexchange: prices },
        onCut: ({ slot, observations }) => void seen.set(slot, observations.get('spotexchange:BTCUSDT') as Observation),
        onFailure: (error) => {
          throw error;
        },
      });
      pipeline.start();
      await clock.settleTo(until);
      pipeline.stop();
      return seen;
    }
    /** Returns A's part as text. */
    const shown = (seen: ReadonlyMap<number, Observation>): string[] =>
      [...seen].map(([slot, { indicators }]) =>
        JSON.stringify([slot, ...[own, ema].map((need) => indicators[indicatorKey(need)] ?? 'not yet known')]),
      );
    const end = T + 2 * 3_600_000 + 1_000;

    it('one’s long period changes no byte of the other’s observations', async () => {
      const alone = shown(await observe(T, end, () => [own, ema]));
      expect(alone.filter((text) => !text.includes('not yet known') && !text.includes('null')).length).toBeGreaterThan(220);
      expect(shown(await observe(T, end, () => [longer, own, ema]))).toEqual(alone);
      // An indicator that is needed only later and temporarily.
      const passing = (at: number): readonly IndicatorNeed[] =>
        at > T + 1_000_000 && at < T + 5_000_000 ? [longer, own, ema] : [own, ema];
      expect(shown(await observe(T, end, passing))).toEqual(alone);
    });

    it('a process started now observes the same as one that has run for hours', async () => {
      const running = shown(await observe(T, end, () => [own, ema]));
      const restarted = shown(await observe(T + 5_400_000, end, () => [own, ema])).slice(1);
      expect(restarted).toEqual(running.slice(-restarted.length));
    });

    it('a window not fetched yet gives no value, even if parts of it are known', async () => {
      const joined = T + 600_500;
      const seen = await observe(T, T + 661_000, (at) => (at >= joined ? [own, longer] : [own]));
      const values = [...seen].map(([slot, { indicators }]) => [slot - T, indicators[indicatorKey(longer)]?.value] as const);
      expect(values.filter(([, value]) => value !== undefined).map(([at]) => at)).toEqual([630_000, 660_000]);
      const alone = await observe(T, T + 661_000, () => [longer]);
      expect(values.at(-1)?.[1]).toBe(alone.get(T + 660_000)?.indicators[indicatorKey(longer)]?.value);
    });
  });

  it('shows a quote as stale when its feed falls silent, counts what it dropped, and reports the edge', async () => {
    const clock = createVirtualClock(T);
    const feed = new Subject<FeedMessage>();
    const { pipeline, assessed } = receive(clock, feed);
    const edges: string[] = [];
    pipeline.connectivity.edges.subscribe({ next: (edge) => edges.push(`${edge.at - T} ${edge.type} ${edge.hearing}`) });
    feed.next(status(T, 'connected'));
    feed.next(quote(T, { sequence: 2, sourceTime: false }));
    feed.next(quote(T, { sequence: 1, sourceTime: false }));
    await clock.settleTo(T + 7_000);
    expect(assessed.filter((message) => message.kind === 'quote').map((message) => message.quality)).toEqual(['live', 'stale']);
    expect(pipeline.counters.snapshot().spotexchange.counted.out_of_order).toBe(1);
    expect(edges).toEqual(['0 feed.restored no_trades', '5001 feed.degraded silent']);
    pipeline.stop();
  });

  it('loses one message if a rule throws, reports it, and continues', () => {
    const clock = createVirtualClock(T);
    const feed = new Subject<FeedMessage>();
    const { pipeline, assessed, failures } = receive(clock, feed);
    feed.next(status(T, 'connected'));
    feed.next(quote(T, { sequence: 1, flags: null as unknown as Quote['flags'] }));
    feed.next(quote(T, { sequence: 2 }));
    expect(assessed.flatMap((message) => (message.kind === 'quote' ? [message.sequence] : []))).toEqual([2]);
    expect(failures).toHaveLength(1);
    pipeline.stop();
  });

  it('tells every price in its order, and nothing else', () => {
    const clock = createVirtualClock(T);
    const feed = new Subject<FeedMessage>();
    const { pipeline } = receive(clock, feed);
    const told: (number | null)[] = [];
    pipeline.prices.subscribe({ next: (price) => told.push(price.kind === 'quote' ? price.sequence : null) });
    feed.next(status(T, 'connected'));
    for (let sequence = 1; sequence <= 3; sequence++) feed.next(quote(T, { sequence }));
    feed.next(quote(T, { sequence: 7, instrument: 'ETHUSDT' }));
    expect(told).toEqual([1, 2, 3, 7]);
    pipeline.stop();
  });
});
