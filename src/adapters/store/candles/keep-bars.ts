/** Keeps the bars that are received; history of funding, which comes in the shape of bars, has a place of its own. */
import type { Observable } from 'rxjs';
import { FUNDING_HISTORY } from '../../../../streams/indicator-board.ts';
import type { FeedMessage } from '../../../domain/market-event.ts';
import type { Sql } from '../database.ts';
import { createCandleStore } from './candle-store.ts';

/** `write` puts one piece of work after the other. Returns what stops it. */
export function keepBars(deps: {
  readonly sql: Sql;
  readonly received: Observable<FeedMessage>;
  readonly write: (what: string, work: () => Promise<unknown>) => void;
  readonly onFailure: (error: unknown) => void;
}): () => void {
  const candles = createCandleStore(deps.sql);
  const subscription = deps.received.subscribe({
    next(message) {
      if (message.kind === 'candles' && !message.source.endsWith(FUNDING_HISTORY)) deps.write('keeping bars', () => candles.save(message));
    },
    error: deps.onFailure,
  });
  return () => subscription.unsubscribe();
}
