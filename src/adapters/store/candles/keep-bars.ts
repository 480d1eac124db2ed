/** Stores received bars. History of funding, which arrives as bars, is stored separately. */
import type { Observable } from 'rxjs';
import { FUNDING_HISTORY } from '../../../../streams/indicator-board.ts';
import type { CandleBatch } from '../../../domain/candles/candle.ts';
import type { FeedMessage } from '../../../domain/market/market-event.ts';
import type { Sql } from '../database.ts';
import { createCandleStore } from './candle-store.ts';

/** Maximum batches per transaction. */
const MOST_AT_ONCE = 50;

/**
 * Starts storing. `write` queues work one piece at a time; batches that arrive meanwhile are stored together. Returns the stop function.
 */
export function keepBars(deps: {
  readonly sql: Sql;
  readonly received: Observable<FeedMessage>;
  readonly write: (what: string, work: () => Promise<unknown>) => void;
  readonly onFailure: (error: unknown) => void;
}): () => void {
  const candles = createCandleStore(deps.sql);
  const waiting: CandleBatch[] = [];
  async function keepWaiting(): Promise<void> {
    const some = waiting.splice(0, MOST_AT_ONCE);
    try {
      await candles.save(...some);
    } catch (error) {
      if (some.length === 1) throw error;
      // If one batch is refused, the others are stored by themselves.
      const each = await Promise.allSettled(some.map((batch) => candles.save(batch)));
      const refused = each.find(({ status }) => status === 'rejected') as PromiseRejectedResult | undefined;
      if (refused !== undefined) throw refused.reason;
    }
  }
  const subscription = deps.received.subscribe({
    next(message) {
      if (message.kind !== 'candles' || message.source.endsWith(FUNDING_HISTORY)) return;
      waiting.push(message);
      deps.write('keeping bars', keepWaiting);
    },
    error: deps.onFailure,
  });
  return () => subscription.unsubscribe();
}
