/** Keeps the hourly bars of the last weeks that half-lives and momentum are computed from, one series after the other, while nothing waits for them. */
import type { CandleHistory } from '../../../streams/candle-keeper.ts';
import type { Clock } from '../../../streams/clock/clock.ts';
import { DAY_MS, type EpochMs, HOUR_MS, startOfSlot } from '../../domain/values/time.ts';
import { type InstrumentKey, splitInstrumentKey, type Venue } from '../../domain/market/venue.ts';
import type { createCandleStore } from '../store/candles/candle-store.ts';
import type { WorkRecorder } from '../store/long-work-store.ts';
import { recordedBackfill } from './candle-backfill.ts';

/** Half-lives look 30 days back, momentum a week. */
const KEPT_MS = 31 * DAY_MS;
/** A start is left alone for so long, and one series is looked at in so many milliseconds. */
const EVERY_MS = 8_000;
/** The bar of an hour is asked for so long after its end, when a venue has it. */
const SETTLED_MS = 120_000;

interface HourlyBarsOptions {
  readonly histories: Readonly<Partial<Record<Venue, CandleHistory>>>;
  /** The series that are wanted. Read at each look: launches add instruments. */
  readonly series: () => Iterable<InstrumentKey>;
  readonly store: Pick<ReturnType<typeof createCandleStore>, 'save' | 'windows' | 'record'>;
  readonly recorder: WorkRecorder;
  readonly clock: Pick<Clock, 'now' | 'deadline'>;
  readonly onFailure: (error: unknown) => void;
}

/**
 * Asks the venues for what of each series is not stored yet: all of it once, then the bar of every hour. A venue that
 * refuses or fails is asked again an hour later. Returns what stops it; an answer that is still awaited is then dropped.
 */
export function keepHourlyBars({ histories, series, store, recorder, clock, onFailure }: HourlyBarsOptions): () => void {
  const stopping = new AbortController();
  const { signal } = stopping;
  const dueAt = new Map<InstrumentKey, EpochMs>();
  let cancel = (): void => {};

  async function look(): Promise<void> {
    const now = clock.now();
    const key = [...series()].find((one) => (dueAt.get(one) ?? 0) <= now);
    if (key === undefined) return;
    dueAt.set(key, startOfSlot(now - SETTLED_MS, HOUR_MS) + HOUR_MS + SETTLED_MS);
    const { venue, instrument } = splitInstrumentKey(key);
    const history = histories[venue];
    if (history === undefined) return;
    await recordedBackfill(recorder, 'long', {
      venue,
      instrument,
      timeframe: '1h',
      barMs: HOUR_MS,
      from: now - KEPT_MS,
      history,
      store,
      windows: store,
      clock,
      signal,
    });
  }

  function plan(): void {
    if (signal.aborted) return;
    cancel = clock.deadline(clock.now() + EVERY_MS, () => {
      look()
        .catch((error: unknown) => (signal.aborted ? undefined : onFailure(error)))
        .finally(plan);
    });
  }

  plan();
  return () => {
    stopping.abort();
    cancel();
  };
}
