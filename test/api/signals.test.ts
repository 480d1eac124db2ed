// Signals: alerts of charts at an external agent's hook over HTTP. Every answer is checked against the API document.
import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createSignalHookStore } from '../../src/adapters/store/agents/signal-hook-store.ts';
import { type ApiUnderTest, apiUnderTest, OURS, payload, THEIRS } from './api-under-test.ts';

let api: ApiUnderTest;
let trader: string;
let agent: string;
// oxlint-disable-next-line typescript/no-explicit-any
let hook: any;
const TEMPLATE = { side: '{{action}}', instrument: '{{ticker}}', notionalUsd: '{{size}}' };
const TICKERS = [{ ticker: 'BTCUSD', instrument: 'spotexchange:BTCUSDT' }];
const ALERT = { action: 'buy', ticker: 'BTCUSD', size: '100' };
beforeAll(async () => {
  api = await apiUnderTest();
  trader = await api.token(['agent:read', 'trade:execute', 'risk:manage']);
  const { entryConditions: _entry, exitConditions: _exit, ...rules } = payload();
  const body = { ...rules, universe: ['BTCUSDT'], strategy: 'external', release: 'chart 1' };
  agent = (await api.call('POST', '/v1/agents', { token: trader, body })).body.id;
  await api.call('POST', `/v1/agents/${agent}/autonomy`, { token: trader, body: { autonomy: 'confirm' } });
  hook = await opened();
});
afterAll(() => api.close());

async function opened(over: object = {}) {
  const body = { name: 'chart', template: TEMPLATE, tickers: TICKERS, ...over };
  const made = await api.call('POST', `/v1/agents/${agent}/signals`, { token: trader, body });
  expect(made.status, made.text).toBe(201);
  return made.body;
}
const send = (path: string, body: unknown, headers: Record<string, string> = {}) => api.call('POST', path, { body, headers });
/** Advances the clock until no proposal waits for its slot and no limit is used up. */
const later = () => api.clock.advanceTo(api.clock.now() + 120_000);

function signed(
  secret: string,
  body: unknown,
  { id = 'msg_1', ageS = 0, key = secret }: { id?: string; ageS?: number; key?: string } = {},
) {
  const timestamp = String(Math.floor(api.clock.now() / 1_000) - ageS);
  const bytes = Buffer.from(key.slice('whsec_'.length), 'base64');
  const signature = createHmac('sha256', bytes)
    .update(`${id}.${timestamp}.${JSON.stringify(body)}`)
    .digest('base64');
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1a,AAAA v1,${signature}` };
}

test('an alert becomes a proposal that waits for its slot, and no order', async () => {
  const taken = await send(hook.path, ALERT);
  expect(taken.status, taken.text).toBe(202);
  expect(taken.body).toMatchObject({
    agentId: agent,
    side: 'buy',
    instrument: 'spotexchange:BTCUSDT',
    notionalUsd: '100',
    reason: 'signal: chart',
    submittedBy: `signal:${hook.id}`,
    manifestHash: hook.manifestHash,
  });
  expect((await send(hook.path, ALERT)).body.code).toBe('proposal_pending');
  expect(await api.sql`select 1 from market_orders union all select 1 from proposals`).toEqual([]);
  later();
});

test('plain text is read by its words', async () => {
  const text = await opened({ name: 'words', template: { side: '{{1}}', instrument: '{{2}}', notionalUsd: '{{3}}', id: '{{4}}' } });
  const post = (raw: string) => api.call('POST', text.path, { raw, headers: { 'content-type': 'text/plain; charset=utf-8' } });
  const taken = await post('buy BTCUSD 50 alert-7');
  expect([taken.status, taken.body.notionalUsd]).toEqual([202, '50']);
  // The alert has a name: sent again it is the same proposal.
  expect((await post('buy BTCUSD 50 alert-7')).text).toBe(taken.text);
  expect((await post('buy BTCUSD 60 alert-7')).body.code).toBe('state_conflict');
  later();
});

test('JSON is read as such, however its media type is written', async () => {
  const taken = await api.call('POST', hook.path, {
    raw: JSON.stringify(ALERT),
    headers: { 'content-type': 'Application/JSON; Charset=UTF-8' },
  });
  expect(taken.status, taken.text).toBe(202);
  later();
});

test('a signed delivery is accepted once, however often it is sent', async () => {
  const headers = signed(hook.signingSecret, ALERT);
  const first = await send(hook.signedPath, ALERT, headers);
  expect(first.status, first.text).toBe(202);
  expect((await send(hook.signedPath, ALERT, headers)).text).toBe(first.text);
  const other = { ...ALERT, size: '200' };
  expect((await send(hook.signedPath, other, signed(hook.signingSecret, other))).body.code).toBe('state_conflict');
  later();
});

const WRONG_KEY = `whsec_${Buffer.alloc(32).toString('base64')}`;
test.each<[string, () => ReturnType<typeof send>, number, string]>([
  ['no signature', () => send(hook.signedPath, ALERT), 401, 'unauthenticated'],
  [
    'a signature of another key',
    () => send(hook.signedPath, ALERT, signed(hook.signingSecret, ALERT, { key: WRONG_KEY })),
    401,
    'unauthenticated',
  ],
  ['a signature of another body', () => send(hook.signedPath, ALERT, signed(hook.signingSecret, {})), 401, 'unauthenticated'],
  ['an old signature', () => send(hook.signedPath, ALERT, signed(hook.signingSecret, ALERT, { ageS: 301 })), 401, 'unauthenticated'],
  [
    'a signature of days to come',
    () => send(hook.signedPath, ALERT, signed(hook.signingSecret, ALERT, { ageS: -301 })),
    401,
    'unauthenticated',
  ],
  ['a wrong signature at the path with the secret', () => send(hook.path, ALERT, signed(hook.signingSecret, {})), 401, 'unauthenticated'],
  ['a secret that nobody has', () => send(`/v1/signals/sgs_${'x'.repeat(43)}`, ALERT), 404, 'not_found'],
  ['no secret', () => send('/v1/signals/x', ALERT), 404, 'not_found'],
  ['another instrument', () => send(hook.path, { ...ALERT, ticker: 'spotexchange:ETHUSDT' }), 422, 'outside_mandate'],
  ['too much', () => send(hook.path, { ...ALERT, size: '999999999' }), 422, 'outside_mandate'],
  ['a size that is not a number', () => send(hook.path, { ...ALERT, size: '1e9' }), 400, 'malformed'],
  ['a side that is none', () => send(hook.path, { ...ALERT, action: 'approve' }), 400, 'malformed'],
  ['a field that is missing', () => send(hook.path, { action: 'buy' }), 400, 'malformed'],
  ['no JSON', () => api.call('POST', hook.path, { raw: '{', headers: {} }), 400, 'malformed'],
  [
    'no UTF-8',
    () => api.call('POST', hook.path, { raw: Buffer.from([0xff]), headers: { 'content-type': 'text/plain' } }),
    400,
    'malformed',
  ],
  ['more than 16 KiB', () => send(hook.path, { ...ALERT, more: 'x'.repeat(16_384) }), 413, 'body_too_large'],
  [
    'another media type',
    () => api.call('POST', hook.path, { raw: '<a/>', headers: { 'content-type': 'text/xml' } }),
    415,
    'unsupported_media_type',
  ],
])('refuses %s with one answer, and nothing is proposed', async (_, run, status, code) => {
  const before = await proposed();
  const refused = await run();
  expect([refused.status, refused.body.code], refused.text).toEqual([status, code]);
  expect(await proposed()).toEqual(before);
});
const proposed = () => api.sql`select count(*) from outside_proposals`;

test('a flood uses up only the hook’s own limit', async () => {
  const flooded = await opened({ name: 'flood' });
  const statuses = new Set<number>();
  for (let i = 0; i < 70; i++) statuses.add((await send(flooded.path, {})).status);
  expect([...statuses]).toEqual([400, 429]);
  expect((await send(hook.path, {})).status).toBe(400);
});

test('rotated twice, a hook accepts only its newest secret and the one before it', async () => {
  later();
  const first = await opened({ name: 'leaked' });
  const rotate = async () => (await api.call('POST', `/v1/agents/${agent}/signals/${first.id}/rotate`, { token: trader })).body;
  const [second, third] = [await rotate(), await rotate()];
  expect((await send(first.path, {})).status).toBe(404);
  expect((await send(first.signedPath, {}, signed(first.signingSecret, {}, { id: 'msg_3' }))).status).toBe(401);
  for (const path of [second.path, third.path]) expect((await send(path, {})).status).toBe(400);
});

test('a new secret replaces the old one within a day, and a revoked hook accepts nothing', async () => {
  later();
  const url = `/v1/agents/${agent}/signals/${hook.id}`;
  const stranger = await api.token(['trade:execute'], THEIRS);
  for (const action of ['rotate', 'revoke'])
    expect((await api.call('POST', `${url}/${action}`, { token: stranger })).status, action).toBe(404);
  const next = (await api.call('POST', `${url}/rotate`, { token: trader })).body;
  for (const path of [hook.path, next.path]) expect((await send(path, {})).status).toBe(400);
  api.clock.advanceTo(api.clock.now() + 86_400_001);
  expect((await send(hook.path, {})).status).toBe(404);
  expect((await send(next.path, {})).status).toBe(400);
  const headers = signed(hook.signingSecret, ALERT, { id: 'msg_2' });
  expect((await send(hook.signedPath, ALERT, headers)).status).toBe(401);

  const fresh = await api.token(['agent:read', 'trade:execute']);
  const { items } = (await api.call('GET', `/v1/agents/${agent}/signals`, { token: fresh })).body;
  expect(JSON.stringify(items)).not.toMatch(/sgs_|whsec_/);
  expect(items).toHaveLength(4);
  const revoked = await api.call('POST', `${url}/revoke`, { token: fresh });
  expect([revoked.status, typeof revoked.body.revokedAt]).toEqual([200, 'string']);
  expect((await api.call('POST', `${url}/revoke`, { token: fresh })).body).toEqual(revoked.body);
  expect((await send(next.path, ALERT)).status).toBe(404);
  expect((await api.call('POST', `${url}/rotate`, { token: fresh })).body.code).toBe('state_conflict');
});

test('a hook or token that is revoked while its request is under way takes nothing', async () => {
  trader = await api.token(['agent:read', 'trade:execute', 'risk:manage']);
  const secret = (await api.call('POST', `/v1/agents/${agent}/tokens`, { token: trader, body: { name: 'bot' } })).body;
  const late = await opened({ name: 'late' });
  const trade = { side: 'buy', instrument: 'spotexchange:BTCUSDT', notionalUsd: '100', reason: 'late', clientId: 'late' };
  const byToken = () =>
    api.call('POST', `/v1/agents/${agent}/proposals`, { token: secret.token, body: { ...trade, manifestHash: late.manifestHash } });
  const { outside } = api.ports.agents;
  const propose = outside.propose;
  for (const [url, sent] of [
    [`signals/${late.id}`, () => send(late.path, ALERT)],
    [`tokens/${secret.id}`, byToken],
  ] as const) {
    vi.spyOn(outside, 'propose').mockImplementationOnce(async (...given) => {
      expect((await api.call('POST', `/v1/agents/${agent}/${url}/revoke`, { token: trader })).status).toBe(200);
      return propose(...given);
    });
    expect((await sent()).body.code).toBe('unauthenticated');
  }
  vi.restoreAllMocks();
  expect(
    await api.sql`select 1 from outside_proposals where submitted_by in (${`signal:${late.id}`}, ${`agent-token:${secret.id}`})`,
  ).toEqual([]);
});

test('a revocation is no earlier than what came before it', async () => {
  later();
  const ending = await opened({ name: 'ending' });
  const taken = await send(ending.path, ALERT);
  expect(taken.status, taken.text).toBe(202);
  const receivedAt = Date.parse(taken.body.receivedAt);
  const store = createSignalHookStore(api.sql);
  await store.revoke(OURS, ending.id, { subject: 'somebody', at: receivedAt - 5 }, []);
  expect((await store.list(OURS, agent))?.find(({ id }) => id === ending.id)?.revokedAt).toBe(receivedAt);
  later();
});
