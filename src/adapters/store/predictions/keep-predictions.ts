/** Stores the markets and trades that feeds of prediction markets emit. */
import { bufferTime, filter, map, Subject, Subscription, takeUntil } from 'rxjs';
import type { PredictionFeed } from '../../venues/prediction/provider-feed.ts';
import type { PredictionStore } from './prediction-store.ts';

/**
 * Milliseconds between two writes of trades. Each transaction costs a signature, and stored trades are read only if a venue does not
 * answer.
 */
const TRADES_EVERY_MS = 5_000;

/** Starts storing. `write` queues work one piece at a time. Returns the stop function, which also writes the last trades. */
export function keepPredictions(deps: {
  readonly feeds: readonly Pick<PredictionFeed, 'news'>[];
  readonly store: Pick<PredictionStore, 'saveMarkets' | 'saveTrades'>;
  readonly write: (what: string, work: () => Promise<unknown>) => void;
  readonly onFailure: (error: unknown) => void;
}): () => void {
  const { store, write } = deps;
  const kept = new Subscription();
  const stopped = new Subject<void>();
  for (const { news } of deps.feeds) {
    const markets = news.pipe(filter((one) => one.kind === 'markets'));
    const trades = news.pipe(
      takeUntil(stopped),
      filter((one) => one.kind === 'trades'),
      bufferTime(TRADES_EVERY_MS),
      map((several) => several.flatMap((one) => one.trades)),
      filter((several) => several.length > 0),
    );
    const error = deps.onFailure;
    kept.add(markets.subscribe({ next: (one) => write('keeping prediction markets', () => store.saveMarkets(one.markets)), error }));
    kept.add(trades.subscribe({ next: (several) => write('keeping prediction trades', () => store.saveTrades(several)), error }));
  }
  return () => {
    stopped.next();
    kept.unsubscribe();
  };
}
