// Winners known only to the order books, requested per market: an unreadable answer costs its own market a round.
import { readFileSync } from 'node:fs';
import { afterEach, expect, test } from 'vitest';
import { mapGammaMarkets } from '../../../../src/adapters/venues/prediction/polymarket/map.ts';
import {
  createPolymarketRest,
  POLYMARKET_LIMITS,
  POLYMARKET_WINDOW_MS,
} from '../../../../src/adapters/venues/prediction/polymarket/rest.ts';
import { WeightBudget } from '../../../../src/adapters/venues/request-budget.ts';
import { createFaultSwitch } from '../../../../src/sandbox/faults.ts';
import { createHttpSimulator } from '../../../../src/sandbox/reference/http-simulator.ts';
import { createLiveClock } from '../../../../streams/clock/live-clock.ts';

const clock = createLiveClock();
const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

const events = JSON.parse(readFileSync(new URL('../../../fixtures/prediction/polymarket-events.json', import.meta.url), 'utf8')) as {
  markets: Record<string, unknown>[];
}[];
const [model = {}] = events.flatMap(({ markets }) => markets);
/** Closed without a payout, like very old markets, each with its own tokens. */
const legacy = Array.from({ length: 20 }, (_, index) => ({
  ...model,
  id: String(900_000 + index),
  conditionId: `0x${String(index + 1).padStart(64, '0')}`,
  clobTokenIds: JSON.stringify([`${index}1`, `${index}2`]),
  outcomePrices: '["0", "0"]',
  closed: true,
  active: true,
  umaResolutionStatus: 'resolved',
}));

test('of twenty markets with requested winners, those with garbage answers wait, and the others are decided', async () => {
  const garbled = new Set([3, 11, 17]);
  const simulator = await createHttpSimulator({
    clock,
    faults: createFaultSwitch(1),
    port: 0,
    reply({ path, query }) {
      if (path === '/gamma/markets') return { status: 200, body: query.get('closed') === 'true' ? legacy : [] };
      const index = legacy.findIndex(({ conditionId }) => path === `/clob/markets/${conditionId}`);
      if (garbled.has(index)) return { status: 200, body: '<html>502 Bad Gateway</html>' };
      const tokens = [`${index}1`, `${index}2`].map((token) => ({ token_id: token, winner: token.endsWith('1') }));
      return { status: 200, body: { condition_id: legacy[index]?.conditionId, tokens } };
    },
  });
  cleanups.push(() => simulator.close());
  const budget = (limit: number) => new WeightBudget(limit, POLYMARKET_WINDOW_MS);
  const rest = createPolymarketRest({
    gammaUrl: `${simulator.url}/gamma`,
    clobUrl: `${simulator.url}/clob`,
    dataUrl: `${simulator.url}/data`,
    clock,
    random: () => 0.5,
    budgets: { gamma: budget(POLYMARKET_LIMITS.gamma), clob: budget(POLYMARKET_LIMITS.clob), data: budget(POLYMARKET_LIMITS.data) },
  });
  const asked = mapGammaMarkets(legacy, clock.now()).markets;
  expect(asked.map(({ status }) => status)).toEqual(legacy.map(() => 'closed'));
  const waiting = async () => {
    const { markets, rejections } = await rest.ask(asked);
    expect(rejections.map(({ reason, detail }) => [reason, detail.slice(0, 8)])).toEqual(
      [...garbled].map(() => ['venue_error', 'not_json']),
    );
    for (const { status, outcomes } of markets.filter((one) => one.status !== 'closed'))
      expect([status, ...outcomes.map(({ payout }) => payout)]).toEqual(['resolved', '1', '0']);
    return markets.flatMap(({ status }, index) => (status === 'closed' ? [index] : []));
  };
  expect(await waiting()).toEqual([3, 11, 17]);
  garbled.clear();
  expect(await waiting()).toEqual([]);
});
