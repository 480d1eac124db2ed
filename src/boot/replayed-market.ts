/** The market of a replayed tape as the API reads it: whichever tape is loaded, and wherever its time has jumped to. */
import { InputError } from '../../api/problem.ts';
import { noneOf, type ReplayPorts } from '../../api/replay.ts';
import type { CandleSeries } from '../../api/v1/candles/ports.ts';
import type { TapePlayer } from '../simulation/tape-player.ts';
import type { Clock } from '../../streams/clock.ts';
import { createInProcessMarketStateBus, type MarketStateBus } from '../adapters/queue/market-state-bus.ts';
import { createInProcessQuoteBus, createQuoteReads, type QuoteBus } from '../adapters/queue/quote-bus.ts';
import type { TapeInfo } from '../adapters/tape/tape-info.ts';
import { OUT_OF_REACH } from '../domain/candle-gaps.ts';
import { CATALOG } from '../domain/catalog.ts';
import type { EpochMs } from '../domain/time.ts';
import { type InstrumentKey, instrumentKey } from '../domain/venue.ts';

/** What takes the newest of everything in one walk along a tape. */
export interface ReplaySinks {
  readonly prices: QuoteBus;
  readonly states: MarketStateBus;
}

/** A tape with what plays it. */
export interface LoadedTape {
  readonly info: TapeInfo;
  readonly instruments: readonly InstrumentKey[];
  readonly player: TapePlayer<ReplaySinks>;
}

export function openSinks(pace: Pick<Clock, 'now' | 'deadline'>): ReplaySinks {
  return { prices: createInProcessQuoteBus({ clock: pace }), states: createInProcessMarketStateBus({ clock: pace }) };
}

/** @param loaded The tape of the moment. */
export function createReplayedMarket(
  loaded: () => LoadedTape,
  pace: Pick<Clock, 'now' | 'deadline'>,
): Pick<ReplayPorts, 'clock' | 'quotes' | 'candles' | 'catalog' | 'venues'> & {
  readonly feed: Pick<ReplayPorts['feed'], 'clock' | 'pace' | 'quotes' | 'states'>;
  /** Another walk has taken over: listeners go over to it. */
  follow(): void;
} {
  const clock: Pick<Clock, 'now' | 'deadline'> = {
    now: () => loaded().player.clock.now(),
    deadline: (at, call) => loaded().player.clock.deadline(at, call),
  };
  const prices = createFollowed(() => loaded().player.sinks.prices);
  const states = createFollowed(() => loaded().player.sinks.states);
  return {
    clock,
    quotes: { latest: (filter) => createQuoteReads(loaded().player.sinks.prices).latest(filter) },
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

/** A bus that may be another one later, as one whose listeners stay. */
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

/** Bars up to the replayed time. Before the recording lies what it cannot know; within it, what it does not hold. */
function candleReads(loaded: () => LoadedTape): ReplayPorts['candles'] {
  const barsOf = ({ venue, instrument, timeframe }: CandleSeries, from: EpochMs, to: EpochMs, limit: number) => {
    const { instruments, player } = loaded();
    const key = instrumentKey(venue, instrument);
    if (!instruments.includes(key)) throw new InputError('not_found', noneOf(key, instruments));
    return player.bars.range({ key, timeframe, from, to, limit, now: player.clock.now() });
  };
  return {
    range: async ({ from, to, limit, ...series }) => barsOf(series, from, to, limit),
    windows: async () => {
      const begin = Date.parse(loaded().info.from ?? '') || 0;
      return [
        { from: 0, to: begin, state: 'refused', code: OUT_OF_REACH },
        { from: begin, to: Number.MAX_SAFE_INTEGER, state: 'imported', code: '' },
      ];
    },
    firstOpen: async (series) => barsOf(series, 0, Number.MAX_SAFE_INTEGER, 1)[0]?.openTime ?? null,
  };
}
