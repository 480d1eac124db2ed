// Backtests over HTTP: requested, listed, read, reported and cancelled with the right permissions.
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { canonicalJson, sha256Hex } from '../../src/domain/values/canonical-json.ts';
import { actorsOn } from '../world/actor-world.ts';
import { type ApiUnderTest, apiUnderTest, createdAgent, payload, THEIRS } from './api-under-test.ts';
import { churner, historyOf, resultOf } from './real-results.ts';

let api: ApiUnderTest;
let trader: string;
let reader: string;
beforeAll(async () => {
  api = await apiUnderTest();
  trader = await api.token(['agent:read', 'trade:execute']);
  reader = await api.token(['agent:read']);
});
afterAll(() => api.close());

test('a backtest is accepted with all defaults resolved, once per key, one at a time, and can be cancelled', async () => {
  const id = await createdAgent(api, trader);
  const key = { 'idempotency-key': 'k-1' };
  const begun = await api.call('POST', `/v1/agents/${id}/backtest`, { token: trader, headers: key });
  expect(begun.status).toBe(202);
  expect(begun.body).toMatchObject({
    agentId: id,
    evaluation: 'backtest',
    state: 'queued',
    attempts: 0,
    progress: null,
    remainingMs: null,
    waitingFor: { cause: 'queue' },
    request: { from: '2021-02-22T00:00:00.000Z', to: '2026-03-02T00:00:00.000Z', timeframe: null, look: false },
  });
  expect((await api.call('POST', `/v1/agents/${id}/backtest`, { token: trader, headers: key })).text).toBe(begun.text);
  expect((await api.call('POST', `/v1/agents/${id}/backtest`, { token: trader })).body).toMatchObject({
    status: 409,
    code: 'state_conflict',
  });

  const runId = begun.body.id as string;
  const listed = await api.call('GET', `/v1/agents/${id}/evaluations`, { token: reader });
  expect(listed.body).toMatchObject({ items: [{ id: runId, state: 'queued', provenance: null }], nextCursor: null });
  const one = await api.call('GET', `/v1/agents/${id}/evaluations/${runId}`, { token: reader });
  expect(one.body).toMatchObject({ id: runId, result: null });
  expect((await api.call('GET', `/v1/agents/${id}/evaluations/${runId}/report`, { token: reader })).status).toBe(404);
  expect((await api.call('POST', `/v1/agents/${id}/evaluations/${runId}/cancel`, { token: reader })).body).toMatchObject({
    code: 'permission_missing',
  });
  const cancelled = await api.call('POST', `/v1/agents/${id}/evaluations/${runId}/cancel`, { token: trader });
  expect(cancelled.body).toMatchObject({ state: 'cancelled', ending: { code: 'cancelled' } });
  expect((await api.call('POST', `/v1/agents/${id}/evaluations/${runId}/cancel`, { token: trader })).status).toBe(409);
  expect((await api.call('POST', `/v1/agents/${id}/backtest`, { token: trader })).status).toBe(202);
});

test('the report of a finished run is self-contained: its own script may draw, without access to our data or the network', async () => {
  const id = await createdAgent(api, trader);
  const { runtime } = actorsOn(api.sql, api.clock);
  const finished = async (evaluation: 'backtest' | 'stress_test', result: string, report: string | null): Promise<string> => {
    const { body } = await api.call('POST', `/v1/agents/${id}/${evaluation}`, { token: trader });
    await runtime.deliver(body.id, { type: 'run.begun', holder: 'test', at: api.clock.now() }, { cause: 'test' });
    await runtime.deliver(
      body.id,
      { type: 'run.finished', resultHash: sha256Hex(result), summary: { sharpe: 2 } },
      { cause: 'test', also: () => [{ type: 'evaluation_report', runId: body.id, resultHash: sha256Hex(result), result, report }] },
    );
    return body.id;
  };
  const policyOf = (page: { readonly headers: Readonly<Record<string, unknown>> }) => String(page.headers['content-security-policy']);

  const written = canonicalJson(resultOf(churner(), historyOf(25)) as never);
  const backtest = await finished('backtest', written, null);
  const page = await api.call('GET', `/v1/agents/${id}/evaluations/${backtest}/report`, { token: reader });
  expect(page.status).toBe(200);
  expect(page.headers['content-type']).toBe('text/html; charset=utf-8');
  expect(page.text).toContain(`"manifestVersion":1,"resultHash":"${sha256Hex(written)}"`);
  const [, script = ''] = /<script>([^]*)<\/script>/.exec(page.text) ?? [];
  const hash = createHash('sha256').update(script).digest('base64');
  expect(policyOf(page)).toMatch(/^default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-[^']+'; .*; sandbox allow-scripts /);
  expect(policyOf(page)).toContain(`'sha256-${hash}'`);
  // With an opaque origin it has neither the cookie nor the storage of the terminal.
  expect(policyOf(page)).not.toContain('allow-same-origin');
  const run = await api.call('GET', `/v1/agents/${id}/evaluations/${backtest}`, { token: reader });
  expect(run.body).toMatchObject({ state: 'finished', summary: { sharpe: 2 } });
  // The origins of the sources were not recorded.
  const origins = { reference: 'unknown', spotchain: 'unknown' };
  expect(run.body.provenance).toEqual({ simulated: true, origins });
  await api.owner`insert into source_origins (source, at, origin) values ('spotchain', 0, 'real'), ('reference', 0, 'sandbox')`;
  const mixed = await api.call('GET', `/v1/agents/${id}/evaluations/${backtest}`, { token: reader });
  expect(mixed.body.provenance).toEqual({ simulated: true, origins: { reference: 'sandbox', spotchain: 'real' } });
  await api.owner`insert into source_origins (source, at, origin) values ('reference', 1, 'real')`;
  const { body: list } = await api.call('GET', `/v1/agents/${id}/evaluations`, { token: reader });
  expect(list.items[0].provenance).toEqual({ simulated: false, origins: { reference: 'real', spotchain: 'real' } });
  // The stored result is sent unchanged: its hash is the one in the run.
  expect(sha256Hex(canonicalJson(run.body.result))).toBe(run.body.resultHash);

  const stress = await finished('stress_test', '{"survived":true}', '<!doctype html>');
  const still = await api.call('GET', `/v1/agents/${id}/evaluations/${stress}/report`, { token: reader });
  expect(still).toMatchObject({ status: 200, text: '<!doctype html>' });
  expect(policyOf(still)).toMatch(/^default-src 'none'; style-src 'unsafe-inline'; [^]*; sandbox$/);
});

test('a sweep is accepted with all defaults resolved, and refused in the manifest’s words', async () => {
  const id = await createdAgent(api, trader);
  const parameters = [{ path: 'stopLossPct', values: [2, 3] }];
  const begun = await api.call('POST', `/v1/agents/${id}/sweep`, { token: trader, body: { parameters, walkForward: { testDays: 30 } } });
  expect(begun.status, begun.text).toBe(202);
  expect(begun.body).toMatchObject({
    evaluation: 'sweep',
    state: 'queued',
    request: { from: '2021-02-22T00:00:00.000Z', look: true, parameters, walkForward: { trainDays: 365, testDays: 30 } },
  });
  const refused = await api.call('POST', `/v1/agents/${id}/sweep`, {
    token: trader,
    body: { timeframe: '1d', parameters: [{ path: 'name', values: [1] }] },
  });
  expect(refused.body).toMatchObject({
    code: 'malformed',
    problems: [{ path: '$.timeframe' }, { path: '$.parameters[0].path', allowed: expect.stringContaining('stopLossPct') }],
  });
  const negative = await api.call('POST', `/v1/agents/${id}/sweep`, {
    token: trader,
    body: { parameters: [{ path: 'stopLossPct', values: [-1] }] },
  });
  expect(negative.body).toMatchObject({
    code: 'malformed',
    problems: [{ path: '$.stopLossPct', problem: expect.stringContaining('with stopLossPct -1') }],
  });
  const body = { parameters };
  expect((await api.call('POST', `/v1/agents/${id}/sweep`, { token: reader, body })).body).toMatchObject({ code: 'permission_missing' });
  const stranger = await api.token(['agent:read', 'trade:execute'], THEIRS);
  expect((await api.call('POST', `/v1/agents/${id}/sweep`, { token: stranger, body })).status).toBe(404);
});

test('a backtest with another timeframe or period than the gate’s is a rehearsal, and says so', async () => {
  for (const body of [{ timeframe: '12h' }, { to: '2025-12-01T00:00:00.000Z' }, { from: '2019-01-01T00:00:00.000Z' }]) {
    const id = await createdAgent(api, trader);
    const looked = await api.call('POST', `/v1/agents/${id}/backtest`, { token: trader, body });
    expect(looked.body, JSON.stringify(body)).toMatchObject({ state: 'queued', request: { look: true } });
  }
});

test('an impossible run is refused with every reason; foreign and missing agents answer alike', async () => {
  const id = await createdAgent(api, trader);
  const refused = await api.call('POST', `/v1/agents/${id}/backtest`, {
    token: trader,
    body: { to: '2030-01-01T00:00:00.000Z', timeframe: '1d' },
  });
  expect(refused.body).toMatchObject({ status: 400, code: 'malformed', problems: [{ path: '$.to' }, { path: '$.timeframe' }] });
  const easier = await api.call('POST', `/v1/agents/${id}/backtest`, { token: trader, body: { assumptions: { costMultiplier: 0.5 } } });
  expect(easier.body).toMatchObject({ status: 400, code: 'malformed' });
  expect((await api.call('POST', `/v1/agents/${id}/backtest`, { token: reader })).body).toMatchObject({ code: 'permission_missing' });
  const stranger = await api.token(['agent:read', 'trade:execute'], THEIRS);
  const nobody = '019a5b1e-7c00-7000-8000-00000000dead';
  const paths = (agent: string): readonly (readonly ['GET' | 'POST', string])[] => [
    ['POST', `/v1/agents/${agent}/backtest`],
    ['GET', `/v1/agents/${agent}/evaluations`],
    ['GET', `/v1/agents/${agent}/evaluations/${nobody}`],
    ['POST', `/v1/agents/${agent}/evaluations/${nobody}/cancel`],
  ];
  for (const [index, [method, path]] of paths(id).entries()) {
    const foreign = await api.call(method, path, { token: stranger });
    const missing = await api.call(method, paths(nobody)[index]?.[1] as string, { token: stranger });
    expect(foreign.status).toBe(404);
    expect({ ...foreign.body, requestId: '' }).toEqual({ ...missing.body, requestId: '' });
  }
});

test('a preview states what an unfinished manifest lacks, which history is stored, and how far back it may go', async () => {
  const preview = (body: object, query = '', token = trader) => api.call('POST', `/v1/backtests/preview${query}`, { token, body });
  const unfinished = await preview({ ...payload(), stopLossPct: 'much', entryConditions: [{ type: 'rsi_belo' }] }, '?draft=true');
  expect(unfinished).toMatchObject({ status: 200, body: { evidence: false, result: null, ending: { code: 'manifest_invalid' } } });
  const refused = await api.call('POST', '/v1/agents', {
    token: trader,
    body: { ...payload(), stopLossPct: 'much', entryConditions: [{ type: 'rsi_belo' }] },
  });
  expect(unfinished.body.problems).toEqual(refused.body.problems);
  expect((await preview({ ...payload(), stopLossPct: 'much' })).body).toMatchObject({ status: 400, code: 'manifest_invalid' });

  const empty = await preview(payload());
  expect(empty.body).toMatchObject({ result: null, ending: { code: 'insufficient_history', detail: expect.stringContaining('AAPLx') } });
  const far = await preview({ ...payload(), timeframe: '1m' }, '?days=300');
  expect(far.body).toMatchObject({ status: 400, code: 'malformed', problems: [{ path: '$.days' }] });
  const most = Number(/at most (\d+) days/.exec(far.body.problems[0].allowed)?.[1]);
  expect((await preview({ ...payload(), timeframe: '1m' }, `?days=${most}`)).status).toBe(200);
  expect((await preview(payload(), '?timeframe=soon')).body).toMatchObject({ status: 400, problems: [{ path: '$.timeframe' }] });

  expect((await preview(payload(), '', reader)).body).toMatchObject({ code: 'permission_missing' });
  const ours = await createdAgent(api, trader);
  const stranger = await api.token(['trade:execute'], THEIRS);
  expect((await preview(payload(), `?agentId=${ours}`, stranger)).body).toMatchObject({ status: 404, code: 'not_found' });
});

test('an organization has its own budget of previews', async () => {
  const stranger = await api.token(['trade:execute'], THEIRS);
  const other = await api.token(['trade:execute'], THEIRS);
  const limits = api.ports.access.limits.policy('costly');
  for (let n = 0; n < limits.limit; n++) await api.ports.access.limits.take(`previews of organization ${THEIRS}`, 'costly');
  const spent = await api.call('POST', '/v1/backtests/preview', { token: stranger, body: payload() });
  expect(spent).toMatchObject({ status: 429, body: { code: 'rate_limited' }, headers: { 'retry-after': expect.any(String) } });
  expect((await api.call('POST', '/v1/backtests/preview', { token: other, body: payload() })).status).toBe(429);
  expect((await api.call('POST', '/v1/backtests/preview', { token: trader, body: payload() })).status).toBe(200);
});
