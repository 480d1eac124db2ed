/** Agents that trade in every slot, for benchmarks of whole services. */
import { createClient } from '../clients/typescript/src/index.ts';
import type { Service } from './role-processes.ts';

type Client = ReturnType<typeof createClient>;

/** Creates an organization's agents, which buy in one slot and sell in the next without approval. */
export async function makeTraders(service: Service, baseUrl: string, index: number, agents: number): Promise<void> {
  const organization = `scale-${index}`;
  const operator = service.token('market:read,agent:read,trade:execute', `operator-${index}`, organization);
  const manager = service.token('market:read,agent:read,trade:execute,risk:manage', `manager-${index}`, organization);
  const [trading, managing] = [operator, manager].map((token) => createClient({ baseUrl, token })) as [Client, Client];
  for (let agent = 0; agent < agents; agent++) {
    const { id } = await trading.createAgent({
      body: {
        name: `trader ${agent}`,
        universe: ['BTCUSDT'],
        timeframe: '1m',
        entryConditions: [{ type: 'price_above', price: 1 }],
        exitConditions: [{ type: 'price_above', price: 2 }],
        maxCapitalUsd: 100_000,
        maxTradeNotionalUsd: 500,
        stopLossPct: 50,
        takeProfitPct: 50,
        maxDailyDrawdownPct: 50,
        maxOpenPositions: 2,
        maxSlippageBps: 200,
      },
    });
    await managing.setAgentAutonomy({ id, body: { autonomy: 'policy_auto' } });
  }
}
