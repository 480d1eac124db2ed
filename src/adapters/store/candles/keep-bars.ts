/** Keeps the bars that are received; history of funding, which comes in the shape of bars, has a place of its own. */
import type { Observable } from 'rxjs';
import { FUNDING_HISTORY } from '../../../../streams/indicator-board.ts';
import type { CandleBatch } from '../../../domain/candles/candle.ts';
import type { FeedMessage } from '../../../domain/market/market-event.ts';
import type { Sql } from '../database.ts';
import { createCandleStore } from './candle-store.ts';

/** Batches that are kept together. */
const MOST_AT_ONCE = 50;

/**
 * `write` puts one piece of work after the other: batches that come while one is written are kept together after it. Returns what
 * stops it.
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
      // One of them is refused: the others are not lost with it.
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
