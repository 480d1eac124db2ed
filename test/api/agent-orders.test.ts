// Routes of trade proposals: list, one, approve and decline; foreign and repeated requests.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startedProposal } from '../../actors/proposal/initial-proposal.ts';
import { createActorStore } from '../../src/adapters/store/actors/actor-store.ts';
import { AT_ONCE } from '../../src/domain/orders/execution-plan.ts';
import { contentId } from '../../src/domain/values/ids.ts';
import { completeOrder } from '../../src/domain/orders/order.ts';
import type { InstrumentKey } from '../../src/domain/market/venue.ts';
import { quoteOf } from '../actors/proposal/trading-fixture.ts';
import { type ApiUnderTest, apiUnderTest, createdAgent, OURS, THEIRS } from './api-under-test.ts';

const BTC: InstrumentKey = 'spotexchange:BTCUSDT';
let api: ApiUnderTest;
let operator: string;
let agentId: string;
let made = 0;

beforeAll(async () => {
  api = await apiUnderTest();
  operator = await api.token(['market:read', 'agent:read', 'trade:execute']);
  agentId = await createdAgent(api, operator, {
    universe: ['BTCUSDT', 'ETHUSDT', 'SOLUSDT'],
    entryConditions: [{ type: 'price_above', price: '1' }],
    exitConditions: [],
    maxSlippageBps: 50,
  });
  await api.call('POST', `/v1/agents/${agentId}/autonomy`, { token: operator, body: { autonomy: 'confirm' } });
});
afterAll(() => api.close());

/** Creates a pending proposal as a tick would. */
async function pending(instrument: InstrumentKey = BTC): Promise<string> {
  const { body: agent } = await api.call('GET', `/v1/agents/${agentId}`, { token: operator });
  const slot = 1_790_000_040_000 + ++made * 60_000;
  const order = completeOrder({
    id: contentId(`test ${made}`),
    origin: 'proposal',
    mode: 'paper',
    bookId: `agent:${agentId}:paper:1`,
    instrument,
    side: 'buy',
    quantity: '0.01',
    limitPrice: '60300',
    maxSlippageBps: 50,
  });
  const { start } = startedProposal({
    duty: { id: agentId, orgId: OURS, autonomy: 'confirm', manifestVersion: 1, manifestHash: agent.manifestHash },
    row: { slot, disposition: 'propose_entry', risk: { verdict: 'passed', rejections: [] } },
    order,
    execution: AT_ONCE,
    cut: { slot, observations: new Map() },
    readsReference: false,
    epoch: 0,
    approvalMs: 600_000,
    ends: [],
    at: api.clock.now(),
  });
  await createActorStore(api.sql).start(start);
  return order.id;
}
const live = () => api.market.set(BTC, quoteOf(BTC, api.clock.now(), '60000', '60010'));

test('proposals are listed newest first, by state and agent, page by page', async () => {
  const first = await pending();
  const second = await pending('spotexchange:ETHUSDT');
  const all = await api.call('GET', '/v1/agent-orders?limit=1', { token: operator });
  expect(all.body.items).toMatchObject([
    { id: second, agentId, state: 'pending_approval', mode: 'paper', order: { side: 'buy', quantity: '0.01' } },
  ]);
  const next = await api.call('GET', `/v1/agent-orders?limit=1&cursor=${all.body.nextCursor}`, { token: operator });
  expect(next.body).toMatchObject({ items: [{ id: first }], nextCursor: null });
  expect((await api.call('GET', '/v1/agent-orders?state=filled', { token: operator })).body.items).toEqual([]);
  expect((await api.call('GET', `/v1/agent-orders?agentId=${agentId}`, { token: operator })).body.items).toHaveLength(2);
  expect((await api.call('GET', '/v1/agent-orders?state=maybe', { token: operator })).status).toBe(400);
  for (const id of [first, second]) await api.call('POST', `/v1/agent-orders/${id}/decline`, { token: operator });
});

test('approve answers once, the same under its key, and later callers get the present state', async () => {
  const id = await pending();
  live();
  const headers = { 'idempotency-key': 'approve-1' };
  const approved = await api.call('POST', `/v1/agent-orders/${id}/approve`, { token: operator, headers });
  expect([approved.status, approved.body.state]).toEqual([200, 'approved']);
  const again = await api.call('POST', `/v1/agent-orders/${id}/approve`, { token: operator, headers });
  expect([again.status, again.text]).toEqual([200, approved.text]);
  const later = await api.call('POST', `/v1/agent-orders/${id}/approve`, { token: operator });
  expect([later.status, later.body.code, later.body.detail]).toEqual([
    409,
    'state_conflict',
    'the proposal is approved; only a pending one can be decided',
  ]);
  // The account of the step has its requests to the outside and their state so far.
  const told = await api.call('GET', `/v1/actors/${id}/steps/2`, { token: operator });
  expect(told.body).toMatchObject({
    event: { type: 'approve' },
    activities: [{ kind: 'execute_order', fate: { state: 'pending', attempts: 0, answer: null, endedAt: null } }],
  });
  const audit = await api.sql`select action from audit where target = ${id}`;
  expect(audit).toEqual([{ action: 'proposal.approve' }]);
  await api.ports.agents.commands.pause({ orgId: OURS, subject: 'ann', permissions: [], requestId: 'r' }, agentId);
  await api.call('POST', `/v1/agents/${agentId}/resume`, { token: await api.token(['risk:manage', 'agent:read']) });
});

test('a risk rejection names the limits', async () => {
  const id = await pending();
  api.market.set(BTC, quoteOf(BTC, api.clock.now(), '60000', '60010', 'stale'));
  const refused = await api.call('POST', `/v1/agent-orders/${id}/approve`, { token: operator });
  expect([refused.status, refused.body.code]).toEqual([422, 'blocked_by_risk']);
  expect(refused.body.rejections).toMatchObject([{ code: 'quote_not_live' }]);
  expect((await api.call('POST', `/v1/agent-orders/${id}/decline`, { token: operator, body: { reason: 'stale' } })).body).toMatchObject({
    state: 'declined',
    reason: 'stale',
  });
});

test('a proposal of another organization answers like a missing one, to the byte; approving needs trade:execute', async () => {
  const id = await pending();
  const theirs = await api.token(['agent:read', 'trade:execute'], THEIRS);
  const plain = (text: string) => text.replace(/"requestId":"[^"]*"/, '');
  const missing = '5b1f6a0e-93c4-8d21-9a7e-2f1c40d6b8aa';
  for (const [method, path] of [
    ['GET', (one: string) => `/v1/agent-orders/${one}`],
    ['POST', (one: string) => `/v1/agent-orders/${one}/approve`],
    ['POST', (one: string) => `/v1/agent-orders/${one}/decline`],
  ] as const) {
    const foreign = await api.call(method, path(id), { token: theirs });
    const absent = await api.call(method, path(missing), { token: theirs });
    expect(foreign.status).toBe(404);
    expect(plain(foreign.text)).toBe(plain(absent.text));
  }
  const reader = await api.token(['agent:read']);
  expect((await api.call('POST', `/v1/agent-orders/${id}/approve`, { token: reader })).status).toBe(403);
  expect((await api.call('GET', `/v1/agent-orders/${id}`, { token: reader })).body.state).toBe('pending_approval');
});

test('an emergency halt reports how many proposals it cancelled', async () => {
  const halt = await api.call('POST', '/v1/agents/emergency-halt', { token: operator });
  expect(halt.body).toMatchObject({ cancelledProposals: 1, paused: [agentId], epoch: 1 });
});

test('announcements of a proposal belong to its agent, so that subscribers of the agent receive them', async () => {
  const id = await pending('spotexchange:SOLUSDT');
  await api.call('POST', `/v1/agent-orders/${id}/decline`, { token: operator, body: {} });
  const announced = await api.sql<{ actor_id: string; what: string }[]>`
    select actor_id, body ->> 'what' as what from announcements where channel = 'proposals' and body ->> 'proposalId' = ${id} order by xid, seq`;
  expect(announced.length).toBeGreaterThanOrEqual(2);
  for (const { actor_id } of announced) expect(actor_id).toBe(agentId);
});

test('a halt cannot be reverted by raw SQL: the control epoch only grows', async () => {
  await api.call('POST', '/v1/agents/emergency-halt', { token: operator });
  await expect(api.sql`update control set epoch = epoch - 1 where org_id = ${OURS}`).rejects.toMatchObject({
    constraint_name: 'control_epoch',
  });
});
