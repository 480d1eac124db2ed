/** Both prediction venues in the sandbox with their adapters, on one clock faster than the wall clock. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createKalshiFeed } from '../../../src/adapters/venues/prediction/kalshi/feed.ts';
import { createKalshiRest, KALSHI_TOKENS_PER_SECOND } from '../../../src/adapters/venues/prediction/kalshi/rest.ts';
import { createPolymarketFeed } from '../../../src/adapters/venues/prediction/polymarket/feed.ts';
import { createPolymarketRest, POLYMARKET_LIMITS, POLYMARKET_WINDOW_MS } from '../../../src/adapters/venues/prediction/polymarket/rest.ts';
import type { PredictionFeed } from '../../../src/adapters/venues/prediction/provider-feed.ts';
import { WeightBudget } from '../../../src/adapters/venues/request-budget.ts';
import type { FeedMessage } from '../../../src/domain/market/market-event.ts';
import type { PredictionMarket, PredictionTrade } from '../../../src/domain/prediction/market.ts';
import type { Quote, Rejection } from '../../../src/domain/market/quote.ts';
import { createSeededMarket } from '../../../src/sandbox/market/seeded-market.ts';
import { openAccessKey } from '../../../src/sandbox/prediction/access-key.ts';
import { createKalshiSimulator } from '../../../src/sandbox/prediction/kalshi-simulator.ts';
import { createPolymarketSimulator } from '../../../src/sandbox/prediction/polymarket-simulator.ts';
import { createSeededQuestions } from '../../../src/sandbox/prediction/seeded-questions.ts';
import { acceleratedClock } from '../accelerated-clock.ts';

/** Friday 16:30 UTC: hourly, daily and share questions are all open. */
export const NOON = Date.UTC(2026, 10, 20, 16, 30);

/** Received messages of a feed, with the latest of each market. */
export interface Received {
  readonly messages: FeedMessage[];
  readonly markets: Map<string, PredictionMarket>;
  readonly trades: PredictionTrade[];
  stop(): void;
}

export function quotesIn(received: Received): Quote[] {
  return received.messages.filter((message): message is Quote => message.kind === 'quote');
}

export function rejectionsIn(received: Received): Rejection[] {
  return received.messages.filter((message): message is Rejection => message.kind === 'rejection');
}

export function receive(feed: PredictionFeed): Received {
  const received = { messages: [] as FeedMessage[], markets: new Map<string, PredictionMarket>(), trades: [] as PredictionTrade[] };
  const news = feed.news.subscribe({
    next: (one) => {
      if (one.kind === 'trades') received.trades.push(...one.trades);
      else for (const market of one.markets) received.markets.set(market.id, market);
    },
    error: (error: unknown) => {
      throw error;
    },
  });
  const messages = feed.messages.subscribe({
    next: (message) => void received.messages.push(message),
    error: (error: unknown) => {
      throw error;
    },
  });
  return {
    ...received,
    stop() {
      messages.unsubscribe();
      news.unsubscribe();
    },
  };
}

export async function predictionFixture({ speed = 10, at = NOON, seed = 7 } = {}) {
  const clock = acceleratedClock(at, speed);
  const random = (): number => 0.5;
  const market = createSeededMarket({ seed });
  const questions = createSeededQuestions({ seed, market });
  const folder = mkdtempSync(join(tmpdir(), 'prediction-'));
  const key = openAccessKey(folder);
  const polymarket = await createPolymarketSimulator({ questions, clock, port: 0 });
  const kalshi = await createKalshiSimulator({ questions, clock, key, port: 0 });
  const polymarketRest = createPolymarketRest({
    gammaUrl: `${polymarket.url}/gamma`,
    clobUrl: `${polymarket.url}/clob`,
    dataUrl: `${polymarket.url}/data`,
    clock,
    random,
    budgets: {
      gamma: new WeightBudget(POLYMARKET_LIMITS.gamma, POLYMARKET_WINDOW_MS),
      clob: new WeightBudget(POLYMARKET_LIMITS.clob, POLYMARKET_WINDOW_MS),
      data: new WeightBudget(POLYMARKET_LIMITS.data, POLYMARKET_WINDOW_MS),
    },
  });
  const kalshiRest = createKalshiRest({
    baseUrl: kalshi.restUrl,
    clock,
    random,
    budget: new WeightBudget(KALSHI_TOKENS_PER_SECOND, 1_000),
  });
  return {
    clock,
    market,
    questions,
    key,
    polymarket,
    kalshi,
    polymarketRest,
    kalshiRest,
    polymarketFeed: () => createPolymarketFeed({ streamUrl: polymarket.wsUrl, rest: polymarketRest, clock, random }),
    kalshiFeed: (signed = true) => createKalshiFeed({ streamUrl: kalshi.wsUrl, key: signed ? key : null, rest: kalshiRest, clock, random }),
    async close() {
      await polymarket.close();
      await kalshi.close();
      rmSync(folder, { recursive: true });
    },
  };
}
