/** Closed bars for the API: what is stored, and what the venue still has of a window that it was not asked for yet. */
import type { CandleHistory } from '../../../streams/candle-keeper.ts';
import type { Clock } from '../../../streams/clock/clock.ts';
import type { Log } from '../../../streams/log.ts';
import type { CandleWindow } from '../../domain/candles/candle-gaps.ts';
import type { CandleSeries, StoredCandle } from '../../domain/candles/candle.ts';
import { type EpochMs, MINUTE_MS, timeframeMs } from '../../domain/values/time.ts';
import type { Venue } from '../../domain/market/venue.ts';
import { type createCandleStore } from '../store/candles/candle-store.ts';
import { answered, unanswered } from './candle-backfill.ts';
import { VenueError } from './venue-feed.ts';

/** Reads closed bars, ascending. `from` is inclusive, `to` exclusive. */
export type CandleReads = ReturnType<typeof createCandleReads>;

/** A window that the venue could not fill is not asked for again for so long. */
const ASK_AGAIN_MS = MINUTE_MS;
const REMEMBERED_WINDOWS = 2_000;
/** Maximum wait for a venue's bars in milliseconds, because a person waits. Later bars are stored for the next read. */
const ANSWER_MS = 6_000;

type Range = Parameters<CandleReads['range']>[0];

/**
 * Reads a window from the store and, where bars are missing that no venue was asked for, asks once and keeps what it
 * answers, and that it answered. A venue that refuses or is silent leaves the gap as it is: the answer's coverage names it. A slow one is
 * waited for briefly.
 */
export function createCandleReads(deps: {
  readonly store: Pick<ReturnType<typeof createCandleStore>, 'range' | 'save' | 'windows' | 'record' | 'firstOpen'>;
  readonly histories: Readonly<Partial<Record<Venue, CandleHistory>>>;
  readonly clock: Pick<Clock, 'now' | 'deadline'>;
  readonly log: Pick<Log, 'info'>;
}) {
  const { store, histories, clock, log } = deps;
  const asked = new Map<string, { readonly at: number; readonly done: Promise<void>; isAnswered: boolean }>();

  async function fill(query: Range, to: number, length: number): Promise<void> {
    const { venue, instrument, timeframe, from } = query;
    const range = { from, to };
    if (unanswered(range, await store.windows(query, range)).length === 0) return;
    try {
      const candles = (await histories[venue]?.fetchCandles(instrument, timeframe, from, to)) ?? [];
      const receivedAt = clock.now();
      await store.save({ kind: 'candles', venue, instrument, timeframe, source: `${venue}:candles`, receivedAt, candles });
      await store.record(query, answered(range, candles, length, receivedAt), 'asked', '', receivedAt);
    } catch (error) {
      if (!(error instanceof VenueError)) throw error;
      log.info({ venue, instrument, timeframe, code: error.code }, 'the venue has no bars for the requested window');
      await store.record(query, range, 'refused', error.code, clock.now());
    }
  }

  function fillOnce(query: Range, to: number, length: number): Promise<void> {
    const key = `${query.venue} ${query.instrument} ${query.timeframe} ${query.from} ${to}`;
    const now = clock.now();
    const known = asked.get(key);
    if (known && (!known.isAnswered || now - known.at < (query.askAgainMs ?? ASK_AGAIN_MS))) return briefly(known);
    asked.delete(key);
    const answering = fill(query, to, length).finally(() => {
      asking.isAnswered = true;
    });
    const asking = { at: now, done: answering, isAnswered: false };
    asked.set(key, asking);
    for (const oldest of asked.keys()) if (asked.size > REMEMBERED_WINDOWS) asked.delete(oldest);
    return briefly(asking);
  }

  /** Waits for the answer, but not longer than `ANSWER_MS` after the request. */
  async function briefly({ at, done, isAnswered }: { readonly at: number; readonly done: Promise<void>; readonly isAnswered: boolean }) {
    if (isAnswered) return done;
    if (clock.now() >= at + ANSWER_MS) return undefined;
    return new Promise<void>((resolve, reject) => {
      const cancel = clock.deadline(at + ANSWER_MS, resolve);
      done.then(resolve, reject).finally(cancel);
    });
  }

  return {
    async range(query: {
      readonly venue: Venue;
      readonly instrument: string;
      readonly timeframe: string;
      readonly from: EpochMs;
      readonly to: EpochMs;
      readonly limit: number;
      /** Milliseconds after which an unfilled window may be requested again. Default: the service's own interval. */
      readonly askAgainMs?: number;
    }): Promise<readonly StoredCandle[]> {
      const length = timeframeMs(query.timeframe);
      const stored = await store.range(query);
      if (length === null || histories[query.venue] === undefined) return stored;
      const to = Math.min(query.to, query.from + query.limit * length);
      const expected = Math.ceil((to - query.from) / length);
      if (expected <= 0 || stored.filter(({ openTime }) => openTime < to).length >= expected) return stored;
      await fillOnce(query, to, length);
      return store.range(query);
    },
    /** Returns the parts of [from, to) that a venue or a file answered or refused, which explain missing bars. */
    windows: (series: CandleSeries, range: { readonly from: EpochMs; readonly to: EpochMs }): Promise<readonly CandleWindow[]> =>
      store.windows(series, range),
    /** Returns the open time of the first stored bar, or null. */
    firstOpen: (series: CandleSeries): Promise<EpochMs | null> => store.firstOpen(series),
  };
}
