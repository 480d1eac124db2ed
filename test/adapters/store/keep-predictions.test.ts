// Trades of prediction markets are stored in batches, including those just before the end.
import { Subject } from 'rxjs';
import { expect, test } from 'vitest';
import { keepPredictions } from '../../../src/adapters/store/predictions/prediction-store.ts';
import type { PredictionNews, PredictionTrade } from '../../../src/domain/prediction/market.ts';

test('trades received before the end are stored in one batch, and nothing after it', () => {
  const news = new Subject<PredictionNews>();
  const saved: (readonly string[])[] = [];
  const written: string[] = [];
  const end = keepPredictions({
    feeds: [{ news }],
    store: {
      saveMarkets: async () => {},
      saveTrades: async (trades) => void saved.push(trades.map(({ id }) => id)),
    },
    write(what, work) {
      written.push(what);
      void work();
    },
    onFailure: (error) => expect.unreachable(String(error)),
  });
  const trade = (id: string): PredictionNews => ({ kind: 'trades', trades: [{ id } as PredictionTrade] });
  news.next(trade('one'));
  news.next(trade('two'));
  expect(saved).toEqual([]);
  end();
  expect([written, saved]).toEqual([['keeping prediction trades'], [['one', 'two']]]);
  news.next(trade('three'));
  expect(saved).toHaveLength(1);
});
