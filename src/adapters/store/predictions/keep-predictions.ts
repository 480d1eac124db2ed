/** Keeps what the feeds of prediction markets tell besides quotes: markets and trades. */
import { bufferTime, filter, map, Subject, Subscription, takeUntil } from 'rxjs';
import type { PredictionFeed } from '../../venues/prediction/provider-feed.ts';
import type { PredictionStore } from './prediction-store.ts';

/** Trades are kept together so often: each transaction costs a signature, and they are read from here only where a venue does not answer. */
const TRADES_EVERY_MS = 5_000;

/** `write` puts one piece of work after the other. Returns what stops it, which hands over the trades that were received last. */
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
