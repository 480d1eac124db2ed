// Stress tests over HTTP: with the right permissions, once per key, one evaluation at a time.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ApiUnderTest, apiUnderTest, createdAgent, THEIRS } from './api-under-test.ts';

let api: ApiUnderTest;
let trader: string;
let reader: string;
beforeAll(async () => {
  api = await apiUnderTest();
  trader = await api.token(['agent:read', 'trade:execute']);
  reader = await api.token(['agent:read']);
});
afterAll(() => api.close());

test('a stress test is accepted with three worlds by default, once per key and one at a time', async () => {
  const id = await createdAgent(api, trader);
  const headers = { 'idempotency-key': 'k-1' };
  const begun = await api.call('POST', `/v1/agents/${id}/stress_test`, { token: trader, headers });
  expect(begun.status, begun.text).toBe(202);
  expect(begun.body).toMatchObject({ agentId: id, evaluation: 'stress_test', state: 'queued', request: { seeds: 3 }, manifestVersion: 1 });
  expect((await api.call('POST', `/v1/agents/${id}/stress_test`, { token: trader, headers })).text).toBe(begun.text);
  expect((await api.call('POST', `/v1/agents/${id}/stress_test`, { token: trader })).body).toMatchObject({
    status: 409,
    code: 'state_conflict',
  });
  expect((await api.call('POST', `/v1/agents/${id}/backtest`, { token: trader })).body).toMatchObject({
    status: 409,
    code: 'state_conflict',
  });
  const cancelled = await api.call('POST', `/v1/agents/${id}/evaluations/${begun.body.id}/cancel`, { token: trader });
  expect(cancelled.body).toMatchObject({ state: 'cancelled' });
  const more = await api.call('POST', `/v1/agents/${id}/stress_test`, { token: trader, body: { seeds: 8 } });
  expect(more.body).toMatchObject({ state: 'queued', request: { seeds: 8 } });
});

test('too few worlds, unknown fields and missing permissions are refused; a foreign agent answers like a missing one', async () => {
  const id = await createdAgent(api, trader);
  const asked = (body: object, token = trader, agent = id) => api.call('POST', `/v1/agents/${agent}/stress_test`, { token, body });
  for (const body of [{ seeds: 2 }, { seeds: 21 }, { seeds: 3.5 }, { seeds: '3' }, { scenarios: ['flash_crash'] }])
    expect((await asked(body)).status).toBe(400);
  expect((await asked({}, reader)).body).toMatchObject({ status: 403, code: 'permission_missing' });
  const theirs = await api.token(['agent:read', 'trade:execute'], THEIRS);
  const foreign = await asked({}, theirs);
  const missing = await asked({}, theirs, '00000000-0000-7000-8000-00000000dead');
  expect(foreign.status).toBe(404);
  expect({ ...foreign.body, requestId: '' }).toEqual({ ...missing.body, requestId: '' });
});
