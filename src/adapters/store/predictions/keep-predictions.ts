/** Keeps what the feeds of prediction markets tell besides quotes: markets and trades. */
import { Subscription } from 'rxjs';
import type { PredictionFeed } from '../../venues/prediction/provider-feed.ts';
import type { PredictionStore } from './prediction-store.ts';

/** `write` puts one piece of work after the other. Returns what stops it. */
export function keepPredictions(deps: {
  readonly feeds: readonly Pick<PredictionFeed, 'news'>[];
  readonly store: Pick<PredictionStore, 'saveMarkets' | 'saveTrades'>;
  readonly write: (what: string, work: () => Promise<unknown>) => void;
  readonly onFailure: (error: unknown) => void;
}): () => void {
  const { store, write } = deps;
  const kept = new Subscription();
  for (const feed of deps.feeds) {
    kept.add(
      feed.news.subscribe({
        next: (news) => {
          if (news.kind === 'markets') write('keeping prediction markets', () => store.saveMarkets(news.markets));
          else write('keeping prediction trades', () => store.saveTrades(news.trades));
        },
        error: deps.onFailure,
      }),
    );
  }
  return () => kept.unsubscribe();
}
