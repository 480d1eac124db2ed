// A paper trade on a running service at autonomy confirm: a proposal appears, an operator approves it, it is filled on the venue's
// book, and the agent holds a position and proposes to sell it.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { waitFor } from '../harness/wait-for.ts';
import { joinService, type SharedService } from './shared-service.ts';

/** Buys and sells at once: both conditions hold at any price. */
const manifest = {
  name: 'In and out',
  universe: ['BTCUSDT'],
  timeframe: '1m',
  entryConditions: [{ type: 'price_above', price: '1' }],
  exitConditions: [{ type: 'price_above', price: '1' }],
  maxCapitalUsd: 10000,
  maxTradeNotionalUsd: 500,
  stopLossPct: 4,
  takeProfitPct: 8,
  maxDailyDrawdownPct: 3,
  maxOpenPositions: 2,
  maxSlippageBps: 30,
  algorithm: 'taker_immediate',
};
interface Proposal {
  readonly id: string;
  readonly side: 'entry' | 'exit';
  readonly state: string;
  readonly reason: string | null;
  readonly filledQuantity: string;
  readonly fills: readonly { readonly quotes: readonly { readonly source: string }[] }[];
}

let service: SharedService;
beforeAll(async () => {
  service = await joinService('paper-trade');
});
afterAll(async () => {
  await service?.leave();
});

async function proposals(agentId: string): Promise<readonly Proposal[]> {
  const { body } = await service.get(`/v1/agent-orders?agentId=${agentId}`, 'operator');
  return body.items;
}

test('from confirm to a position and out again', async () => {
  const made = await service.post('/v1/agents', manifest, 'operator');
  const agentId: string = made.body.id;
  await service.post(`/v1/agents/${agentId}/autonomy`, { autonomy: 'confirm' }, 'operator');

  const pending = async (side: 'entry' | 'exit') =>
    waitFor(async () => (await proposals(agentId)).find((one) => one.side === side && one.state === 'pending_approval') ?? null, {
      deadlineMs: 90_000,
      what: `a pending ${side}`,
    });
  const filled = async (id: string) =>
    waitFor(
      async () => {
        const { body } = await service.get(`/v1/agent-orders/${id}`, 'operator');
        return body.state === 'approved' || body.state === 'executing' ? null : (body as Proposal);
      },
      { deadlineMs: 20_000, what: 'the end of the order' },
    );

  const entry = await pending('entry');
  expect((await service.post(`/v1/agent-orders/${entry.id}/approve`, undefined, 'viewer')).status).toBe(403);
  const approved = await service.post(`/v1/agent-orders/${entry.id}/approve`, undefined, 'operator');
  expect([approved.status, approved.body.state, approved.body.decidedBy]).toEqual([200, 'approved', service.subject('operator')]);
  const bought = await filled(entry.id);
  expect([bought.state, bought.reason]).toEqual(['filled', null]);
  // Filled through the venue's order book at that moment.
  expect(bought.fills[0]?.quotes[0]?.source).toMatch(/depth/i);
  const again = await service.post(`/v1/agent-orders/${entry.id}/approve`, undefined, 'operator');
  expect([again.status, again.body.code]).toEqual([409, 'state_conflict']);

  const exit = await pending('exit');
  await service.post(`/v1/agent-orders/${exit.id}/approve`, undefined, 'operator');
  const sold = await filled(exit.id);
  expect([sold.state, sold.filledQuantity]).toEqual(['filled', bought.filledQuantity]);

  const database = service.database();
  try {
    const [book] = await database`select fills, holdings from books where agent_id = ${agentId}`;
    expect(book).toEqual({ fills: 2, holdings: [] });
  } finally {
    await database.end();
  }
  const halt = await service.post('/v1/agents/emergency-halt', undefined, 'operator');
  expect(halt.status).toBe(200);
  await waitFor(async () => (await proposals(agentId)).every(({ state }) => state !== 'pending_approval'), {
    what: 'every proposal to be cancelled',
  });
}, 400_000);
