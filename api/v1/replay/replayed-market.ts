/** The market of a replayed tape as the API reads it: whichever tape is loaded, and wherever its time has jumped to. */
import type { QuoteReads } from '../../../src/adapters/queue/quote-bus.ts';
import type { CandleSeries, StoredCandle } from '../../../src/domain/candles/candle.ts';
import { OUT_OF_REACH } from '../../../src/domain/candles/candle-gaps.ts';
import { CATALOG } from '../../../src/domain/catalog/catalog.ts';
import { type InstrumentKey, instrumentKey } from '../../../src/domain/market/venue.ts';
import type { EpochMs } from '../../../src/domain/values/time.ts';
import type { Clock } from '../../../streams/clock/clock.ts';
import type { FeedPorts } from '../../feeds/feed-ports.ts';
import { InputError } from '../../problem.ts';
import { describeMissing, type ReplayPorts } from '../../replay.ts';

/** The loaded tape as far as it was played. */
interface ReplayedTape {
  /** Time at which its first event was received. */
  readonly start: EpochMs;
  /** Every instrument that has a price or a bar. */
  readonly instruments: readonly InstrumentKey[];
  readonly player: {
    /** Replayed time. */
    readonly clock: Pick<Clock, 'now' | 'deadline'>;
    /** Newest values in one pass along the tape. */
    readonly sinks: { readonly prices: FeedPorts['quotes']; readonly states: FeedPorts['states'] };
    /** Bars closed by `now`. */
    readonly bars: {
      range(query: {
        readonly key: InstrumentKey;
        readonly timeframe: string;
        readonly from: EpochMs;
        readonly to: EpochMs;
        readonly limit: number;
        readonly now: EpochMs;
      }): readonly StoredCandle[];
    };
  };
}

/** Creates the market. @param readsOf Returns the quote reads of a pass. */
export function createReplayedMarket<Tape extends ReplayedTape>(
  loaded: () => Tape,
  readsOf: (prices: Tape['player']['sinks']['prices']) => QuoteReads,
  pace: Clock,
): Pick<ReplayPorts, 'clock' | 'quotes' | 'candles' | 'catalog' | 'venues'> & {
  readonly feed: Pick<ReplayPorts['feed'], 'clock' | 'pace' | 'quotes' | 'states'>;
  /** Moves the listeners to another pass. */
  follow(): void;
} {
  const clock: Clock = {
    // Only replayed time passes here.
    now: () => loaded().player.clock.now(),
    elapsed: () => clock.now(),
    deadline: (at, call) => loaded().player.clock.deadline(at, call),
  };
  const prices = createFollowed(() => loaded().player.sinks.prices);
  const states = createFollowed(() => loaded().player.sinks.states);
  return {
    clock: { now: clock.now, elapsed: clock.elapsed, deadline: clock.deadline },
    quotes: { latest: (filter) => readsOf(loaded().player.sinks.prices).latest(filter) },
    candles: candleReads(loaded),
    catalog: { entries: CATALOG },
    venues: { states: { snapshot: states.snapshot, latest: states.latest }, budgets: () => [] },
    feed: { clock, pace, quotes: prices as ReplayPorts['feed']['quotes'], states },
    follow() {
      prices.follow();
      states.follow();
    },
  };
}

/** Returns a bus that follows a replaceable one and keeps its listeners. */
function createFollowed<Value>(
  current: () => {
    snapshot(): readonly Value[];
    latest(key: string): Value | null;
    subscribe(listener: (changed: readonly Value[]) => void): () => void;
  },
) {
  const listeners = new Map<(changed: readonly Value[]) => void, () => void>();
  return {
    snapshot: () => current().snapshot(),
    latest: (key: string) => current().latest(key),
    subscribe(listener: (changed: readonly Value[]) => void) {
      listeners.set(listener, current().subscribe(listener));
      return () => {
        listeners.get(listener)?.();
        listeners.delete(listener);
      };
    },
    follow() {
      for (const [listener, stop] of listeners) {
        stop();
        listeners.set(listener, current().subscribe(listener));
      }
    },
  };
}

/** Reads bars up to the replayed time. Bars before the recording are unknown. Within it, missing bars do not exist. */
function candleReads(loaded: () => ReplayedTape): ReplayPorts['candles'] {
  const readBars = ({ venue, instrument, timeframe }: CandleSeries, from: EpochMs, to: EpochMs, limit: number) => {
    const { instruments, player } = loaded();
    const key = instrumentKey(venue, instrument);
    if (!instruments.includes(key)) throw new InputError('not_found', describeMissing(key, instruments));
    return player.bars.range({ key, timeframe, from, to, limit, now: player.clock.now() });
  };
  return {
    range: async ({ from, to, limit, ...series }) => readBars(series, from, to, limit),
    windows: async () => {
      const begin = loaded().start;
      return [
        { from: 0, to: begin, state: 'refused', code: OUT_OF_REACH },
        { from: begin, to: Number.MAX_SAFE_INTEGER, state: 'imported', code: '' },
      ];
    },
    firstOpen: async (series) => readBars(series, 0, Number.MAX_SAFE_INTEGER, 1)[0]?.openTime ?? null,
  };
}
