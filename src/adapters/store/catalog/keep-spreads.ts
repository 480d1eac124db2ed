/** Stores the mean spread of each hour and instrument for backtests. */
import type { Observable } from 'rxjs';
import type { FeedMessage } from '../../../domain/market/market-event.ts';
import { halfSpreadBps } from '../../../domain/market/quote.ts';
import { type EpochMs, HOUR_MS, MINUTE_MS } from '../../../domain/values/time.ts';
import { type InstrumentKey, instrumentKey, isExecutable } from '../../../domain/market/venue.ts';
import type { Sql } from '../database.ts';
import { keepHalfSpread } from './market-history-store.ts';

/** Milliseconds of which one quote per instrument counts. */
const SAMPLE_MS = MINUTE_MS;

interface HourOfQuotes {
  readonly hour: number;
  sum: number;
  count: number;
  sampledAt: EpochMs;
}

/**
 * Starts storing. An hour is written with the first quote of a later one. `write` queues work one piece at a time. Returns the stop
 * function.
 */
export function keepSpreads(deps: {
  readonly sql: Sql;
  /** Messages that passed the quality checks. */
  readonly assessed: Observable<FeedMessage>;
  readonly write: (what: string, work: () => Promise<unknown>) => void;
  readonly onFailure: (error: unknown) => void;
}): () => void {
  const hours = new Map<InstrumentKey, HourOfQuotes>();
  const subscription = deps.assessed.subscribe({
    next(message) {
      if (message.kind !== 'quote' || !isExecutable(message.venue) || message.venue === 'prediction') return;
      const instrument = instrumentKey(message.venue, message.instrument);
      const { receivedAt } = message;
      const before = hours.get(instrument);
      if (before !== undefined && receivedAt - before.sampledAt < SAMPLE_MS) return;
      const half = halfSpreadBps(message);
      if (half === null) return;
      const hour = Math.floor(receivedAt / HOUR_MS);
      if (before?.hour === hour) {
        before.sum += half;
        before.count += 1;
        before.sampledAt = receivedAt;
        return;
      }
      hours.set(instrument, { hour, sum: half, count: 1, sampledAt: receivedAt });
      if (before === undefined) return;
      const mean = Math.round((before.sum / before.count) * 1e4) / 1e4;
      deps.write('keeping the spread of an hour', () => keepHalfSpread(deps.sql, instrument, mean, before.sampledAt));
    },
    error: deps.onFailure,
  });
  return () => subscription.unsubscribe();
}
