/**
 * Stores pool depths when first received, so that orders right after a start are not refused, and every minute afterwards. The minimum of
 * each hour is kept for backtests.
 */
import type { Observable } from 'rxjs';
import type { FeedMessage } from '../../../domain/market/market-event.ts';
import { type EpochMs, MINUTE_MS } from '../../../domain/values/time.ts';
import { type InstrumentKey, instrumentKey } from '../../../domain/market/venue.ts';
import type { Sql } from '../database.ts';
import { keepLeastLiquidity } from './market-history-store.ts';
import { keepPoolLiquidity } from './pool-liquidity-store.ts';

/** Milliseconds between two writes of a pool. */
const KEEP_EVERY_MS = MINUTE_MS;

/** Starts storing. `write` queues work one piece at a time. Returns the stop function. */
export function keepPools(deps: {
  readonly sql: Sql;
  /** Messages that passed the quality checks. */
  readonly assessed: Observable<FeedMessage>;
  readonly write: (what: string, work: () => Promise<unknown>) => void;
  readonly onFailure: (error: unknown) => void;
}): () => void {
  const keptAt = new Map<InstrumentKey, EpochMs>();
  const subscription = deps.assessed.subscribe({
    next(message) {
      if (message.kind !== 'pool_liquidity') return;
      const { venue, instrument: symbol, liquidityUsd, receivedAt: observedAt } = message;
      const instrument = instrumentKey(venue, symbol);
      if (observedAt - (keptAt.get(instrument) ?? Number.NEGATIVE_INFINITY) < KEEP_EVERY_MS) return;
      keptAt.set(instrument, observedAt);
      deps.write('keeping the liquidity of a pool', () =>
        deps.sql.begin(async (transaction) => {
          await keepPoolLiquidity(transaction, { instrument, liquidityUsd, observedAt });
          await keepLeastLiquidity(transaction, instrument, liquidityUsd, observedAt);
        }),
      );
    },
    error: deps.onFailure,
  });
  return () => subscription.unsubscribe();
}
