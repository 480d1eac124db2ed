// Outside proposals and replay sessions over HTTP: every answer is checked against the OpenAPI document.
import { once } from 'node:events';
import { request } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { servedRoutes } from '../../api/document/openapi.ts';
import { createClient } from '../../clients/typescript/src/client.ts';
import { type ReplaySlot, runReplay } from '../../clients/typescript/src/replay.ts';
import { createReplayHost, type ReplayHost } from '../../src/simulation/blind/replay-host.ts';
import { PYTHON, python } from '../clients/run-python.ts';
import { fetchOf, testTiming } from '../clients/typescript/fixture.ts';
import { waitFor } from '../harness/wait-for.ts';
import { type ApiUnderTest, apiUnderTest, payload, THEIRS } from './api-under-test.ts';
import { BARS, serveSessions } from './served-sessions.ts';

const PATHS = 21;

let api: ApiUnderTest;
let trader: string;
let agent: string;
let manifestHash: string;
beforeAll(async () => {
  api = await apiUnderTest();
  trader = await api.token(['agent:read', 'trade:execute', 'risk:manage']);
  const { entryConditions: _entry, exitConditions: _exit, ...rules } = payload();
  const body = { ...rules, universe: ['BTCUSDT'], strategy: 'external', release: 'bot 1.4' };
  const created = await api.call('POST', '/v1/agents', { token: trader, body });
  expect(created.status).toBe(201);
  agent = created.body.id;
  manifestHash = created.body.manifestHash;
});
afterAll(() => api.close());

const URL = () => `/v1/agents/${agent}/proposals`;
const body = (over: object = {}) => {
  const trade = { side: 'buy', instrument: 'spotexchange:BTCUSDT', notionalUsd: '100' };
  return { ...trade, reason: 'the gap is wide', clientId: 'one', manifestHash, ...over };
};
const propose = (over: object = {}, token = trader) => api.call('POST', URL(), { token, body: body(over) });

test('the brief context has a strategy’s most frequent reads in compact form', async () => {
  const brief = await api.call('GET', `/v1/agents/${agent}/context/brief`, { token: trader });
  expect(brief.body).toEqual({
    slot: null,
    manifestHash,
    mayTrade: false,
    cashUsd: expect.any(String),
    mostUsd: expect.any(String),
    market: { 'spotexchange:BTCUSDT': { bid: null, ask: null, live: false, premiumPct: null, basisPct: null, held: '0' } },
    pending: false,
    agreement: null,
  });
  const whole = await api.call('GET', `/v1/agents/${agent}/context`, { token: trader });
  expect(brief.text.length * 2).toBeLessThan(whole.text.length);
});

test('at research the agent takes no proposals, and says so', async () => {
  const refused = await propose();
  expect([refused.status, refused.body.code]).toEqual([403, 'proposals_refused']);
});

test('a proposal is received once, read back, and is in the context', async () => {
  await api.call('POST', `/v1/agents/${agent}/autonomy`, { token: trader, body: { autonomy: 'confirm' } });
  const first = await propose({ inputs: { signal: 1.5 } });
  expect(first.status).toBe(202);
  expect(await propose({ inputs: { signal: 1.5 } })).toMatchObject({ status: 202, text: first.text });
  const found = await api.call('GET', `${URL()}/${first.body.id}`, { token: trader });
  expect(found.body).toEqual({ ...first.body, state: 'pending', decision: null });
  expect((await api.call('GET', URL(), { token: trader })).body).toEqual({ items: [found.body], nextCursor: null });
  const context = await api.call('GET', `/v1/agents/${agent}/context`, { token: trader });
  expect(context.body).toMatchObject({ agentId: agent, release: 'bot 1.4', universe: ['spotexchange:BTCUSDT'], pending: first.body });
});

test('a request that prefers to wait gets the decision, or the receipt if there is none by then', async () => {
  const waiting = (seconds: number) =>
    api.call('POST', URL(), {
      token: trader,
      body: body({ inputs: { signal: 1.5 } }),
      headers: { prefer: `respond-async, wait=${seconds}` },
    });
  const pending = await waiting(0);
  expect([pending.status, pending.body.clientId, pending.headers['preference-applied']]).toEqual([202, 'one', 'wait=0']);
  const asked = waiting(500);
  api.clock.advanceTo(api.clock.now() + 180_000);
  const settled = await asked;
  expect([settled.status, settled.body.state, settled.headers['preference-applied']]).toEqual([202, 'missed', 'wait=90']);
  expect((await propose({ clientId: 'after' })).status).toBe(202);
});

describe('over a connection', () => {
  let url: string;
  let headers: { [name: string]: string };
  beforeAll(async () => {
    await api.app.listen({ host: '127.0.0.1', port: 0 });
    url = `http://127.0.0.1:${(api.app.server.address() as AddressInfo).port}`;
    headers = { authorization: `Bearer ${trader}`, 'content-type': 'application/json', prefer: 'wait=90' };
  });
  beforeEach(() => api.clock.advanceTo(api.clock.now() + 180_000));

  test('a request that prefers to wait is answered with the decision, and not before', async () => {
    const asked = fetch(`${url}${URL()}`, { method: 'POST', headers, body: JSON.stringify(body({ clientId: 'waits' })) });
    await waitFor(() => api.clock.pending === 1, { what: 'a wait for the decision' });
    api.clock.advanceTo(api.clock.now() + 180_000);
    expect(await (await asked).json()).toMatchObject({ clientId: 'waits', state: 'missed' });
  });

  test('nobody waits for a decision whose caller has left', async () => {
    const looks = vi.spyOn(api.ports.agents.outside, 'get');
    const accepted = once(api.app.server, 'connection') as Promise<[Socket]>;
    const asked = request(`${url}${URL()}`, { method: 'POST', headers, agent: false });
    asked.on('error', () => {});
    asked.end(JSON.stringify(body({ clientId: 'leaves' })));
    const [peer] = await accepted;
    await waitFor(() => api.clock.pending === 1, { what: 'a wait for the decision' });
    const left = once(peer, 'close');
    asked.destroy();
    await left;
    api.clock.advanceTo(api.clock.now() + 500);
    await looks.mock.results.at(-1)?.value;
    await new Promise(setImmediate);
    expect([looks.mock.calls.length, api.clock.pending]).toEqual([2, 0]);
    looks.mockRestore();
  });
});

test.each<[string, object, number, string]>([
  ['the client id of another body', { reason: 'another' }, 409, 'state_conflict'],
  ['a second one', { clientId: 'two' }, 409, 'proposal_pending'],
  ['an old manifest', { clientId: 'two', manifestHash: 'a'.repeat(64) }, 409, 'state_conflict'],
  ['another instrument', { clientId: 'two', instrument: 'spotexchange:ETHUSDT' }, 422, 'outside_mandate'],
  ['too much', { clientId: 'two', notionalUsd: '999999999' }, 422, 'outside_mandate'],
  ['two sizes', { clientId: 'two', quantity: '1' }, 400, 'malformed'],
  ['no size', { clientId: 'two', notionalUsd: undefined }, 400, 'malformed'],
  ['nothing', { clientId: 'two', notionalUsd: '0' }, 400, 'malformed'],
  ['a reason with characters that nobody sees', { clientId: 'two', reason: 'approve\u202Eevorppa' }, 400, 'malformed'],
  ['a reason of 501 characters', { clientId: 'two', reason: 'x'.repeat(501) }, 400, 'malformed'],
  ['a field that nobody knows', { clientId: 'two', approve: true }, 400, 'malformed'],
])('refuses %s with one answer', async (_, over, status, code) => {
  const refused = await propose(over);
  expect([refused.status, refused.body.code]).toEqual([status, code]);
});

test('no other organization proposes, and none of its tokens names the agent', async () => {
  const stranger = await api.token(['trade:execute'], THEIRS);
  expect((await propose({ clientId: 'two' }, stranger)).status).toBe(404);
});

test('its draft gate opens, and the backtest gate waits for a replay session', async () => {
  const promoted = await api.call('POST', `/v1/agents/${agent}/promote`, { token: trader });
  expect([promoted.status, promoted.body.stage]).toEqual([200, 'backtest']);
  const further = await api.call('POST', `/v1/agents/${agent}/promote`, { token: trader });
  expect([further.status, further.body.code]).toEqual([409, 'evidence_missing']);
});

test('replay sessions are opened, read, and refused to strangers; steps report their progress', async () => {
  const SESSIONS = `/v1/agents/${agent}/replay-sessions`;
  const nowhere = await api.call('POST', SESSIONS, { token: trader, body: { kind: 'backtest' } });
  expect([nowhere.status, nowhere.body.code]).toEqual([422, 'feature_disabled']);
  const host = createReplayHost(api.clock, (error) => api.defects.push(error));
  const replays = api.ports as { replays: ReplayHost | null };
  replays.replays = host;
  const opened = await api.call('POST', SESSIONS, { token: trader, body: { kind: 'backtest' } });
  expect([opened.status, opened.body.state, opened.body.request.look]).toEqual([202, 'queued', false]);
  expect((await api.call('POST', SESSIONS, { token: trader, body: { kind: 'backtest' } })).body.code).toBe('state_conflict');
  const chosen = await api.call('POST', SESSIONS, { token: trader, body: { kind: 'stress_test', from: '2026-01-01T00:00:00Z' } });
  expect([chosen.status, chosen.body.problems[0].path]).toEqual([400, '$.from']);
  const URL = `${SESSIONS}/${opened.body.id}`;
  expect((await api.call('GET', URL, { token: trader })).body).toMatchObject({ id: opened.body.id, evaluation: 'backtest' });
  const stranger = await api.token(['agent:read', 'trade:execute'], THEIRS);
  expect((await api.call('GET', URL, { token: stranger })).status).toBe(404);
  expect((await api.call('POST', `${URL}/steps`, { token: stranger, body: {} })).status).toBe(404);
  expect((await api.call('POST', `${URL}/steps`, { token: trader, body: {} })).body.code).toBe('unavailable');
  expect((await api.call('POST', `${URL}/steps`, { token: trader, body: { step: 1 } })).body.code).toBe('malformed');
  const large = { step: 1, answers: Array.from({ length: 65 }, () => null) };
  expect((await api.call('POST', `${URL}/steps`, { token: trader, body: large })).body.code).toBe('malformed');
  const abandoned = await api.call('POST', `${URL}/abandon`, { token: trader });
  expect([abandoned.status, abandoned.body.state]).toEqual([200, 'cancelled']);
  const late = await api.call('POST', `${URL}/steps`, { token: trader, body: {} });
  expect([late.status, late.body.code]).toEqual([409, 'state_conflict']);
  const stressed = await api.call('POST', SESSIONS, { token: trader, body: { kind: 'stress_test' } });
  expect([stressed.status, stressed.body.evaluation, stressed.body.request.seeds]).toEqual([202, 'stress_test', 3]);
  await api.call('POST', `${SESSIONS}/${stressed.body.id}/abandon`, { token: trader });
  await host.stop();
  replays.replays = null;
});

describe('replay sessions', () => {
  let sessions: Awaited<ReturnType<typeof serveSessions>>;
  beforeAll(async () => {
    sessions = await serveSessions(api, trader);
  });
  afterAll(() => sessions?.stop());

  test('one is abandoned, and another one answered manually and then by the client to its end', async () => {
    const given = await sessions.open('the quitter');
    const abandoned = await sessions.ask('POST', `${given.url}/abandon`);
    expect([abandoned.status, abandoned.body.state]).toEqual([200, 'cancelled']);

    const session = await sessions.open('buys once');
    const first = await sessions.firstStep(session.url);
    const answers = first.slots.map(({ cut }: Pick<ReplaySlot, 'cut'>) => ({
      side: 'buy',
      instrument: cut.observations[0]?.instrument,
      notionalUsd: '1000',
    }));
    expect(answers).toHaveLength(PATHS);
    const second = await sessions.ask('POST', `${session.url}/steps`, { step: 1, answers });
    expect([second.status, second.body.step, second.body.slots[0].last.disposition], second.text).toEqual([200, 2, 'propose_entry']);

    const client = createClient({ baseUrl: 'http://service.test', token: trader, fetch: fetchOf(api), timing: testTiming() });
    const begun: number[] = [];
    await runReplay(client, session, (path) => {
      begun.push(path);
      return () => null;
    });
    expect(begun).toEqual(Array.from({ length: PATHS }, (_, path) => path));
    const result = await sessions.resultOf(session);
    expect(result).toMatchObject({ bars: BARS, blind: { slots: PATHS * BARS } });
    // The position is at most sold by its stop, and never bought again.
    expect(result.trades.closed).toBeLessThanOrEqual(1);
    expect(Math.round(result.turnoverUsd / 1_000)).toBe(1 + result.trades.closed);
  });

  test.skipIf(PYTHON === null)('the Python client answers one to its end, and holding earns nothing', async () => {
    const session = await sessions.open('holds');
    await sessions.firstStep(session.url);
    const { port } = api.app.server.address() as AddressInfo;
    const { id, sessionId } = session;
    const given = { url: `http://127.0.0.1:${port}`, token: trader, id, sessionId };
    const ran = await python(['-'], { input: `${HOLDING}\nhold(${JSON.stringify(given)})` });
    expect(ran).toEqual({ code: 0, stdout: `${PATHS} ${PATHS * BARS}\n`, stderr: '' });
    expect(await sessions.resultOf(session)).toMatchObject({ turnoverUsd: 0, trades: { closed: 0 }, blind: { slots: PATHS * BARS } });
    expect(api.defects).toEqual([]);
  });
});

const HOLDING = String.raw`
from sevengate import Client, run_replay

def hold(given):
    begun, seen = [], []
    def begin(path):
        begun.append(path)
        return lambda slot: seen.append(slot.cut.slot)
    with Client(given["url"], token=given["token"]) as client:
        run_replay(client, given["id"], given["sessionId"], begin)
    print(len(begun), len(seen))
`;

test('impossible requests for the agent are refused with a reason: a backtest of its rules, a listing', async () => {
  for (const action of ['backtest', 'stress_test']) {
    const run = await api.call('POST', `/v1/agents/${agent}/${action}`, { token: trader, body: {} });
    expect([run.status, run.body.code], action).toEqual([422, 'external_not_listable']);
  }
  const sweep = await api.call('POST', `/v1/agents/${agent}/sweep`, {
    token: trader,
    body: { parameters: [{ path: 'stopLossPct', values: [2, 3] }] },
  });
  expect([sweep.status, sweep.body.code]).toEqual([422, 'external_not_listable']);
  const listed = await api.call('POST', '/v1/marketplace', {
    token: trader,
    body: {
      agentId: agent,
      manifestVersion: 1,
      categories: ['momentum'],
      priceUsd: '10',
      payoutWallet: '4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T',
    },
  });
  expect([listed.status, listed.body.code]).toEqual([422, 'external_not_listable']);
});

test("an agent's token proposes for its agent and allows nothing else, until it is revoked", async () => {
  const made = await api.call('POST', `/v1/agents/${agent}/tokens`, { token: trader, body: { name: 'the bot' } });
  expect(made.status).toBe(201);
  const { token, ...shown } = made.body;
  expect(token).toMatch(/^sga_[A-Za-z0-9_-]{43}$/);
  expect((await api.call('GET', `/v1/agents/${agent}/tokens`, { token: trader })).body).toEqual({ items: [shown] });
  expect(await api.sql`select 1 from agent_tokens where digest = ${token}`).toEqual([]);

  // Earlier requests must not cause a refusal.
  api.clock.advanceTo(api.clock.now() + 120_000);
  const proposed = await propose({ clientId: 'by-the-token' }, token);
  expect([proposed.status, proposed.body.submittedBy]).toEqual([202, `agent-token:${shown.id}`]);
  for (const path of ['context', 'context/brief', 'proposals', `proposals/${proposed.body.id}`])
    expect((await api.call('GET', `/v1/agents/${agent}/${path}`, { token })).status, path).toBe(200);

  const other = await api.call('POST', '/v1/agents', { token: trader, body: payload() });
  expect((await api.call('GET', `/v1/agents/${other.body.id}/context`, { token })).status).toBe(404);
  const open = new Set([
    'proposeTrade',
    'listOutsideProposals',
    'getOutsideProposal',
    'getOutsideContext',
    'getBriefContext',
    'callMcp',
    'openReplaySession',
    'getReplaySession',
    'answerReplayStep',
    'abandonReplaySession',
  ]);
  for (const route of servedRoutes().filter(({ permission, name }) => permission !== 'public' && !open.has(name))) {
    api.clock.advanceTo(api.clock.now() + 60_000);
    const path = route.url.replace(':id', agent).replaceAll(/:\w+/g, shown.id);
    const refused = await api.call(route.method, path, { token, ...(route.method === 'GET' ? {} : { body: {} }) });
    expect([route.name, refused.status, refused.body.code], JSON.stringify(route.permission)).toEqual([
      route.name,
      403,
      'permission_missing',
    ]);
  }

  const revoke = `/v1/agents/${agent}/tokens/${shown.id}/revoke`;
  // The trader's own token has expired meanwhile.
  const fresh = await api.token(['trade:execute']);
  const revoked = await api.call('POST', revoke, { token: fresh });
  expect([revoked.status, typeof revoked.body.revokedAt]).toEqual([200, 'string']);
  expect((await api.call('POST', revoke, { token: fresh })).body).toEqual(revoked.body);
  expect((await propose({ clientId: 'later' }, token)).status).toBe(401);
  expect((await api.call('GET', `/v1/agents/${agent}/context`, { headers: { cookie: `sevengate=${token}` } })).status).toBe(401);
});

test('every read of the agent answers, its gates among them', async () => {
  const token = await api.token(['agent:read']);
  const reads = servedRoutes().filter(({ method, url }) => method === 'GET' && /^\/v1\/agents\/:id(\/[^:]+)?$/.test(url));
  expect(reads.map(({ name }) => name)).toContain('listGates');
  for (const route of reads) {
    const answer = await api.call('GET', route.url.replace(':id', agent), { token });
    expect([answer.status, route.name]).toEqual([200, route.name]);
  }
});

describe('sessions abandoned or broken by their code', () => {
  let sessions: Awaited<ReturnType<typeof serveSessions>>;
  let member: string;
  beforeAll(async () => {
    member = await api.token(['agent:read', 'trade:execute', 'risk:manage']);
    sessions = await serveSessions(api, member);
  });
  afterAll(() => sessions?.stop());

  /** Opens a session that waits at its first step, with a token of its agent, which does not expire. */
  async function begun(release: string) {
    const session = await sessions.open(release);
    const code = await api.call('POST', `/v1/agents/${session.id}/tokens`, { token: member, body: { name: 'code' } });
    const first = await sessions.firstStep(session.url);
    const send = (body: object) => api.call('POST', `${session.url}/steps`, { token: code.body.token, body });
    const hold = first.slots.map(() => null);
    const { instrument } = first.slots[0].cut.observations[0];
    const buy = first.slots.map(() => ({ side: 'buy', instrument, notionalUsd: '1000' }));
    return { session, tokenId: code.body.id as string, send, hold, buy };
  }
  const said = ({ status, body: { code, detail } }: Awaited<ReturnType<ApiUnderTest['call']>>) => [status, code, detail];
  const traded = () => api.sql`
    select (select count(*) from proposals)::int + (select count(*) from market_orders)::int + (select count(*) from fills)::int as count`;

  test('answers out of order, with another number or a second time change nothing, and name the waiting step', async () => {
    const { session, send, hold, buy } = await begun('disorderly');
    const waits = (step: number, got: number) =>
      `the session waits for the answers to step ${step} (got answers to step ${got}): ask for it without answers`;
    expect(said(await send({ step: 2, answers: hold }))).toEqual([409, 'state_conflict', waits(1, 2)]);
    expect(said(await send({ step: 1, answers: hold.slice(1) }))).toEqual([400, 'malformed', expect.stringContaining('20 answers')]);
    const second = await send({ step: 1, answers: hold });
    expect([second.status, second.body.step]).toEqual([200, 2]);
    expect((await send({ step: 1, answers: hold })).text).toBe(second.text);
    expect(said(await send({ step: 1, answers: buy }))).toEqual([409, 'state_conflict', waits(2, 1)]);
    expect((await send({})).text).toBe(second.text);
    await sessions.ask('POST', `${session.url}/abandon`);
    expect(said(await send({})).slice(0, 2)).toEqual([409, 'state_conflict']);
    expect((await traded())[0]).toEqual({ count: 0 });
  });

  test('a token revoked midway answers nothing more, and the session waits at its step', async () => {
    const { session, tokenId, send, buy, hold } = await begun('revoked');
    expect((await send({ step: 1, answers: buy })).body.step).toBe(2);
    await sessions.ask('POST', `/v1/agents/${session.id}/tokens/${tokenId}/revoke`);
    expect(said(await send({ step: 2, answers: hold })).slice(0, 2)).toEqual([401, 'unauthenticated']);
    expect((await sessions.ask('POST', `${session.url}/steps`, {})).body.step).toBe(2);
    await sessions.ask('POST', `${session.url}/abandon`);
    expect((await traded())[0]).toEqual({ count: 0 });
  });

  test('one kept open without answers for a day ends then, without trades', async () => {
    const { session, send, buy } = await begun('holds on');
    expect((await send({ step: 1, answers: buy })).body.step).toBe(2);
    const opened = api.clock.now();
    const HOUR = 3_600_000;
    let last = await send({});
    while (last.status === 200 && api.clock.now() - opened < 25 * HOUR) {
      api.clock.advanceTo(api.clock.now() + 9 * 60_000);
      await new Promise(setImmediate);
      last = await send({});
    }
    expect((api.clock.now() - opened) / HOUR).toBeCloseTo(24, 0);
    member = await api.token(['agent:read', 'trade:execute']);
    const run = await waitFor(
      async () => {
        const { body } = await api.call('GET', session.url, { token: member });
        return body.endedAt !== null && body;
      },
      { what: 'the session ends' },
    );
    expect(run).toMatchObject({ state: 'refused', ending: { code: 'expired', detail: expect.stringContaining('longer than 24 hours') } });
    expect(said(await send({}))).toEqual([409, 'state_conflict', 'the session has ended: it is refused, expired']);
    expect((await traded())[0]).toEqual({ count: 0 });
  });
});
