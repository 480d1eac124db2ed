// Basis policies over HTTP: armed on paper as Takes, listed separately, disarmed; impossible ones are refused.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ApiUnderTest, apiUnderTest, THEIRS } from './api-under-test.ts';

let api: ApiUnderTest;
let trader: string;
beforeAll(async () => {
  api = await apiUnderTest();
  trader = await api.token(['market:read', 'agent:read', 'trade:execute']);
});
afterAll(() => api.close());

const BODY = { symbol: 'AAPLx', enterDiscountPct: 2, exitDiscountPct: 0.5, notionalUsd: '500', mode: 'paper' };
const arm = (over: object = {}, token = trader) => api.call('POST', '/v1/arbitrage/arm', { token, body: { ...BODY, ...over } });

test('a policy is armed, listed, read and disarmed; its decisions are those of a Take', async () => {
  const { status, body } = await arm();
  expect(status).toBe(201);
  expect(body).toMatchObject({
    state: 'armed',
    onDuty: true,
    origin: 'basis',
    mode: 'paper',
    enterDiscountPct: 2,
    exitDiscountPct: 0.5,
    notionalUsd: '500',
    maxHoldHours: 72,
    conditions: {
      entry: [
        { type: 'premium_below', pct: -2 },
        { type: 'net_edge_above', bps: 0, notionalUsd: '500' },
      ],
      exit: [{ type: 'premium_above', pct: -0.5 }, { type: 'held_longer_than', hours: 72 }, { type: 'reference_lost' }],
    },
  });
  const one = await api.call('GET', `/v1/arbitrage/policies/${body.id}`, { token: trader });
  expect(one.body).toMatchObject({ id: body.id, state: 'armed' });
  expect((await api.call('GET', '/v1/arbitrage/policies?state=armed', { token: trader })).body.items).toHaveLength(1);
  expect((await api.call('GET', `/v1/takes/${body.id}/decisions`, { token: trader })).status).toBe(200);
  const disarmed = await api.call('POST', `/v1/arbitrage/policies/${body.id}/disarm`, { token: trader, body: {} });
  expect(disarmed.body.state).toBe('disarmed');
  expect((await api.call('POST', `/v1/arbitrage/policies/${body.id}/disarm`, { token: trader, body: {} })).status).toBe(409);
});

test.each<[string, object, number, string]>([
  ['an unknown symbol', { symbol: 'NOPEx' }, 422, 'take_invalid'],
  ['a symbol without a reference price', { symbol: 'BTCUSDT' }, 422, 'take_invalid'],
  ['an exit at or above the entry', { exitDiscountPct: 2 }, 422, 'take_invalid'],
  ['no discount', { enterDiscountPct: 0 }, 400, 'malformed'],
  ['more than the mandate', { notionalUsd: '5000000' }, 422, 'blocked_by_risk'],
  ['real capital without a delegated wallet', { mode: 'live' }, 409, 'state_conflict'],
  ['a life in the past', { expiresAt: '2020-01-01T00:00:00Z' }, 422, 'take_invalid'],
  ['limits of the body', { maxTradeNotionalUsd: '9' }, 400, 'malformed'],
])('%s is refused, and nothing is armed', async (_, over, status, code) => {
  const before = (await api.call('GET', '/v1/arbitrage/policies', { token: trader })).body.items.length;
  const reply = await arm(over);
  expect([reply.status, reply.body.code]).toEqual([status, code]);
  expect((await api.call('GET', '/v1/arbitrage/policies', { token: trader })).body.items.length).toBe(before);
});

test('a draft is stored unarmed under its own id, so that a wallet can be delegated to it', async () => {
  const { status, body } = await arm({ mode: 'draft' });
  expect([status, body.state, body.mode, body.onDuty]).toEqual([201, 'draft', null, false]);
  const armed = await api.call('POST', '/v1/takes/arm', { token: trader, body: { takeId: body.id, mode: 'paper' } });
  expect(armed.body).toMatchObject({ state: 'armed', origin: 'basis', mode: 'paper' });
});

test('a policy of another organization and a Take that is no policy are not found here', async () => {
  const { body } = await arm();
  const stranger = await api.token(['agent:read', 'trade:execute'], THEIRS);
  expect((await api.call('GET', `/v1/arbitrage/policies/${body.id}`, { token: stranger })).status).toBe(404);
  expect((await api.call('POST', `/v1/arbitrage/policies/${body.id}/disarm`, { token: stranger, body: {} })).status).toBe(404);
  const take = await api.call('POST', '/v1/takes/compile', { token: trader, body: { thesis: 'Buy AAPLx below $180' } });
  expect((await api.call('GET', `/v1/arbitrage/policies/${take.body.id}`, { token: trader })).status).toBe(404);
});
