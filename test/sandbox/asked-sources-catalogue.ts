/** Listings of both prediction venues with their simulators. No market is streamed, so that everything received was requested. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createKalshiFeed } from '../../src/adapters/venues/prediction/kalshi/feed.ts';
import { createKalshiRest, KALSHI_TOKENS_PER_SECOND } from '../../src/adapters/venues/prediction/kalshi/rest.ts';
import { createPolymarketFeed } from '../../src/adapters/venues/prediction/polymarket/feed.ts';
import { createPolymarketRest, POLYMARKET_LIMITS, POLYMARKET_WINDOW_MS } from '../../src/adapters/venues/prediction/polymarket/rest.ts';
import type { PredictionFeed } from '../../src/adapters/venues/prediction/provider-feed.ts';
import { WeightBudget } from '../../src/adapters/venues/request-budget.ts';
import type { FaultSwitch } from '../../src/sandbox/faults.ts';
import { openAccessKey } from '../../src/sandbox/prediction/access-key.ts';
import { createKalshiSimulator } from '../../src/sandbox/prediction/kalshi-simulator.ts';
import { createPolymarketSimulator } from '../../src/sandbox/prediction/polymarket-simulator.ts';
import type { SeededQuestions } from '../../src/sandbox/prediction/seeded-questions.ts';
import type { VirtualClock } from '../../streams/clock/virtual-clock.ts';

export interface Catalogue {
  readonly feed: PredictionFeed;
  close(): Promise<void>;
}

interface Surroundings {
  readonly clock: VirtualClock;
  readonly questions: SeededQuestions;
  readonly faults: FaultSwitch;
}

const random = (): number => 0.5;

export function openCatalogue(provider: 'polymarket' | 'kalshi', surroundings: Surroundings): Promise<Catalogue> {
  return provider === 'polymarket' ? openPolymarket(surroundings) : openKalshi(surroundings);
}

async function openPolymarket({ clock, questions, faults }: Surroundings): Promise<Catalogue> {
  const { url, wsUrl, close } = await createPolymarketSimulator({ questions, clock, faults, port: 0 });
  const budgetOf = (limit: number) => new WeightBudget(limit, POLYMARKET_WINDOW_MS);
  const { gamma, clob, data } = POLYMARKET_LIMITS;
  const rest = createPolymarketRest({
    gammaUrl: `${url}/gamma`,
    clobUrl: `${url}/clob`,
    dataUrl: `${url}/data`,
    clock,
    random,
    budgets: { gamma: budgetOf(gamma), clob: budgetOf(clob), data: budgetOf(data) },
  });
  return { feed: createPolymarketFeed({ streamUrl: wsUrl, rest, clock, random, maxStreamed: 0 }), close };
}

async function openKalshi({ clock, questions, faults }: Surroundings): Promise<Catalogue> {
  const folder = mkdtempSync(join(tmpdir(), 'catalogue-'));
  const key = openAccessKey(folder);
  const simulator = await createKalshiSimulator({ questions, clock, key, faults, port: 0 });
  const rest = createKalshiRest({ baseUrl: simulator.restUrl, clock, random, budget: new WeightBudget(KALSHI_TOKENS_PER_SECOND, 1_000) });
  return {
    feed: createKalshiFeed({ streamUrl: simulator.wsUrl, key, rest, clock, random, maxStreamed: 0 }),
    async close() {
      await simulator.close();
      rmSync(folder, { recursive: true });
    },
  };
}
