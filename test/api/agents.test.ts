// Agents from creation to halt over HTTP, on the real commands and a real database.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { placeAtStage } from '../harness/fixture.ts';
import { openDatabase } from '../../src/adapters/store/database.ts';
import { sha256Hex } from '../../src/domain/values/canonical-json.ts';
import { decisionChainText, decisionId } from '../../src/domain/agents/decision.ts';
import { manifestHash } from '../../src/domain/manifest/manifest.ts';
import { readManifest } from '../../src/domain/manifest/reader.ts';
import { sampleObservation } from '../actors/agent/sample.ts';
import { actorsOn } from '../world/actor-world.ts';
import { waitFor } from '../harness/wait-for.ts';
import { type ApiUnderTest, apiUnderTest, createdAgent, NOW, payload, type Reply, THEIRS } from './api-under-test.ts';

let api: ApiUnderTest;
let trader: string;
let reader: string;
let risk: string;
beforeAll(async () => {
  api = await apiUnderTest();
  trader = await api.token(['market:read', 'agent:read', 'trade:execute']);
  reader = await api.token(['agent:read']);
  risk = await api.token(['agent:read', 'risk:manage']);
});
afterAll(() => api.close());

const YAML = `
version: "1.0"
agent: { id: btc-momentum, name: Momentum, description: Follows crosses, autonomy_level: CONFIRM, lifecycle_stage: PAPER }
capital_allocation: { max_capital_usd: "25000.00", max_trade_notional_usd: "1000", max_leverage: "2.0" }
strategy:
  universe: [ "spotexchange:BTCUSDT:spot", "evmvenue:ETH-USD:perp" ]
  timeframes: [15m, 60m]
  factors:
    - name: ema_cross
      parameters: { fast: 12, slow: 26 }
    - name: funding_percentile
      parameters: { window_days: 30, max_percentile: 80 }
risk_guardrails:
  max_daily_drawdown_pct: 5
  stop_loss_pct: 2.5
  take_profit_pct: 6
  max_open_positions: 2
  kill_switch_action: cancel_all_and_halt
execution: { algorithm: smart_order_routing_maker_first, max_slippage_bps: 25, urgency: medium }
`;

/** Repeatedly kills every backend on which a request waits for the agents' table, until it is answered. */
async function answeredUnderKills(ask: () => Promise<Reply>): Promise<Reply> {
  const killer = openDatabase({ url: api.databaseUrl, role: null, connections: 2, name: 'killer' });
  try {
    return await killer.begin(async (transaction) => {
      await transaction`lock table agents in access exclusive mode`;
      const asked = ask();
      let answer: Reply | null = null;
      void asked.then((reply) => (answer = reply));
      const kill = () => killer`
        select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
      return waitFor(async () => (await kill()) && answer, { what: 'an answer under kills' });
    });
  } finally {
    await killer.end();
  }
}

test('a killed backend is answered with 503 and advice, and the request has one effect under its key', async () => {
  const key = { 'idempotency-key': 'under-kills' };
  const make = () => api.call('POST', '/v1/agents', { token: trader, body: payload({ name: 'Made under kills' }), headers: key });
  const refused = await answeredUnderKills(make);
  expect([refused.status, refused.body.code, refused.headers['retry-after']]).toEqual([503, 'unavailable', '2']);
  expect(refused.body.detail).toContain('ask again with the same Idempotency-Key');
  const [first, second] = [await make(), await make()];
  expect([first.status, second.body]).toEqual([201, first.body]);
  const unread = await answeredUnderKills(() => api.call('GET', '/v1/agents', { token: reader }));
  expect([unread.status, unread.body.detail]).toEqual([503, expect.stringContaining('nothing was changed, so ask again')]);
  const { body } = await api.call('GET', '/v1/agents?limit=200', { token: reader });
  expect(body.items.filter(({ name }: { name: string }) => name === 'Made under kills')).toHaveLength(1);
});

test('a change without an Idempotency-Key that was cut off is answered with the advice to look first', async () => {
  const id = await createdAgent(api, trader);
  const { status, body } = await answeredUnderKills(() =>
    api.call('POST', `/v1/agents/${id}/tokens`, { token: trader, body: { name: 'my bot' } }),
  );
  expect([status, body.detail]).toEqual([503, expect.stringContaining('it may have had an effect, so look before you ask again')]);
});

describe('creating', () => {
  test('answers 201 with the agent at draft and research, and the hash of the canonical manifest', async () => {
    const reply = await api.call('POST', '/v1/agents', { token: trader, body: payload() });
    const read = readManifest(payload());
    expect(reply.status).toBe(201);
    expect(reply.body).toMatchObject({
      name: 'Discount hunter',
      stage: 'draft',
      state: 'draft',
      paused: false,
      autonomy: 'research',
      manifestVersion: 1,
      requestedAutonomy: null,
    });
    expect(reply.body.manifestHash).toBe(read.ok && manifestHash(read.manifest));
    const found = await api.call('GET', `/v1/agents/${reply.body.id}`, { token: reader });
    expect(found.body.versions).toMatchObject([{ version: 1, manifestHash: reply.body.manifestHash }]);
    expect(found.body.manifest).toEqual(JSON.parse(JSON.stringify(read.ok && read.manifest)));
  });

  test('accepts the declarative form as YAML, and grants neither its stage nor its autonomy', async () => {
    const reply = await api.call('POST', '/v1/agents', { token: trader, raw: YAML, headers: { 'content-type': 'application/yaml' } });
    expect(reply.status, reply.text).toBe(201);
    expect(reply.body).toMatchObject({
      name: 'Momentum',
      stage: 'draft',
      autonomy: 'research',
      requestedAutonomy: 'confirm',
      requestedStage: 'paper',
    });
  });

  test('names every problem of a manifest at once, each with its place and the allowed values', async () => {
    const reply = await api.call('POST', '/v1/agents', {
      token: trader,
      body: payload({
        maxCapitalUsd: null,
        stopLossPct: '4',
        universe: ['NOPEx'],
        orgId: THEIRS,
        entryConditions: [{ type: 'rsi_beneath', period: 14, value: 3 }],
      }),
    });
    expect([reply.status, reply.body.code]).toEqual([400, 'manifest_invalid']);
    const paths = reply.body.problems.map(({ path }: { path: string }) => path);
    expect(paths).toEqual(
      expect.arrayContaining(['$.maxCapitalUsd', '$.stopLossPct', '$.universe[0]', '$.orgId', '$.entryConditions[0].type']),
    );
    for (const problem of reply.body.problems) expect(problem.allowed).not.toBe('');
  });
});

describe('versions and autonomy', () => {
  test('a changed manifest is a new version with a new hash, back at draft', async () => {
    const id = await createdAgent(api, trader);
    const reply = await api.call('POST', `/v1/agents/${id}/versions`, { token: trader, body: payload({ stopLossPct: 5 }) });
    expect([reply.status, reply.body.manifestVersion, reply.body.stage]).toEqual([201, 2, 'draft']);
    const found = await api.call('GET', `/v1/agents/${id}`, { token: reader });
    expect(found.body.versions.map(({ version }: { version: number }) => version)).toEqual([2, 1]);
    expect(found.body.manifest.stopLossPct).toBe(5);
    const same = await api.call('POST', `/v1/agents/${id}/versions`, { token: trader, body: payload({ stopLossPct: 5 }) });
    expect([same.status, same.body.code]).toEqual([409, 'state_conflict']);
  });

  test('raising to policy_auto also needs risk:manage; both spellings of a level are accepted', async () => {
    const both = await api.token(['agent:read', 'trade:execute', 'risk:manage']);
    const id = await createdAgent(api, trader);
    const set = (token: string, autonomy: unknown) => api.call('POST', `/v1/agents/${id}/autonomy`, { token, body: { autonomy } });
    expect((await set(trader, 'policy_auto')).status).toBe(403);
    expect((await set(both, 'POLICY_AUTO')).body).toMatchObject({ autonomy: 'policy_auto' });
    expect((await set(trader, 'EMERGENCY_RISK_ONLY')).body).toMatchObject({ autonomy: 'risk_only' });
    const wrong = await set(trader, 'reckless');
    expect(wrong.body).toMatchObject({ status: 400, code: 'malformed', problems: [{ path: '$.autonomy' }] });
    expect(wrong.body.problems[0].allowed).toContain('suggest');
  });
});

describe('pausing, resuming, halting', () => {
  test('pause, pause again, resume, resume again', async () => {
    const id = await createdAgent(api, trader);
    const paused = await api.call('POST', `/v1/agents/${id}/pause`, { token: trader });
    expect(paused.body).toMatchObject({ paused: true, pauseCause: 'operator', state: 'paused', stage: 'draft' });
    expect((await api.call('POST', `/v1/agents/${id}/pause`, { token: trader, body: {} })).body.code).toBe('already_paused');
    expect((await api.call('POST', `/v1/agents/${id}/resume`, { token: trader })).status).toBe(403);
    expect((await api.call('POST', `/v1/agents/${id}/resume`, { token: risk })).body).toMatchObject({
      paused: false,
      pauseCause: null,
      state: 'draft',
    });
    expect((await api.call('POST', `/v1/agents/${id}/resume`, { token: risk })).body).toMatchObject({ status: 409, code: 'not_paused' });
    const history = await api.call('GET', `/v1/agents/${id}/history`, { token: reader });
    expect(history.body.items.map((step: { event: { type: string } }) => step.event.type).slice(0, 2)).toEqual(['resume', 'pause']);
    const chart = await api.call('GET', `/v1/agents/${id}/chart`, { token: reader });
    expect(chart.body).toMatchObject({ machine: 'agent@1', status: 'running', value: { stage: 'draft', duty: 'active', feed: 'live' } });
    expect(chart.body.definition.id).toBe('agent@1');
    expect((await api.call('GET', `/v1/agents/${id}/evidence`, { token: reader })).body).toEqual({ items: [], nextCursor: null });
  });

  test('after a breaker it is resumed once the cause is over, and by a person other than its creator', async () => {
    const creator = await api.token(['agent:read', 'trade:execute', 'risk:manage']);
    const id = await createdAgent(api, creator);
    await placeAtStage(api.databaseUrl, id, 'limited_live');
    const { runtime } = actorsOn(api.sql, api.clock);
    const trip = (agentId: string, at: number) =>
      runtime.deliver(agentId, { type: 'breaker.tripped', breaker: 'daily_drawdown', at, observed: 9, limit: 3 }, { cause: 'test' });
    const resume = (agentId: string, token: string) => api.call('POST', `/v1/agents/${agentId}/resume`, { token });
    expect(await trip(id, api.clock.now())).toMatchObject({ ok: true });
    expect((await resume(id, risk)).body).toMatchObject({
      status: 409,
      code: 'cause_persists',
      detail: expect.stringContaining('daily drawdown limit was reached'),
    });
    const other = await createdAgent(api, creator);
    await placeAtStage(api.databaseUrl, other, 'limited_live');
    expect(await trip(other, api.clock.now() - 86_400_000)).toMatchObject({ ok: true });
    expect((await resume(other, creator)).body).toMatchObject({ status: 403, code: 'resume_by_creator' });
    expect((await resume(other, risk)).body).toMatchObject({ paused: false });
  });

  test("the halt pauses every agent of the caller's organization and of no other", async () => {
    const theirTrader = await api.token(['agent:read', 'trade:execute'], THEIRS);
    const theirs = await createdAgent(api, theirTrader);
    const ours = await createdAgent(api, trader);
    const halt = await api.call('POST', '/v1/agents/emergency-halt', { token: risk });
    expect(halt.status).toBe(200);
    expect(halt.body.paused).toContain(ours);
    expect(halt.body.paused).not.toContain(theirs);
    expect((await api.call('GET', `/v1/agents/${ours}`, { token: reader })).body).toMatchObject({
      paused: true,
      pauseCause: 'emergency_halt',
    });
    expect((await api.call('GET', `/v1/agents/${theirs}`, { token: theirTrader })).body.paused).toBe(false);
    const again = await api.call('POST', '/v1/agents/emergency-halt', { token: trader, body: { reason: 'prices look wrong' } });
    expect(again.body.epoch).toBe(halt.body.epoch + 1);
    const last = await api.call('GET', '/v1/agents/emergency-halt', { token: reader });
    const [row] = await api.sql<
      { by: string; at: Date }[]
    >`select halted_by as by, halted_at as at from control where epoch = ${again.body.epoch}`;
    expect(last.body).toMatchObject({
      epoch: again.body.epoch,
      haltedAt: row?.at.toISOString(),
      haltedBy: row?.by,
      reason: 'prices look wrong',
    });
    expect(row?.by).toMatch(/\S/);
    expect((await api.call('GET', '/v1/agents/emergency-halt', { token: theirTrader })).body).toMatchObject({ epoch: 0, haltedBy: null });
  });

  test.each(['', '  ', 'x'.repeat(501)])('the halt refuses the reason %j, which is empty or too long', async (reason) => {
    expect((await api.call('POST', '/v1/agents/emergency-halt', { token: risk, body: { reason } })).body.code).toBe('malformed');
  });
});

describe('Idempotency-Key', () => {
  const key = (name: string) => ({ 'idempotency-key': name });

  test('the same key and body gets the same answer byte for byte, and one agent', async () => {
    const body = payload({ name: 'once' });
    const first = await api.call('POST', '/v1/agents', { token: trader, body, headers: key('k-1') });
    const second = await api.call('POST', '/v1/agents', { token: trader, body: { ...body }, headers: key('k-1') });
    expect(second.text).toBe(first.text);
    expect([first.status, second.status]).toEqual([201, 201]);
    expect([first.headers['idempotency-replayed'], second.headers['idempotency-replayed']]).toEqual([undefined, 'true']);
    const [row] = await api.sql<{ count: number }[]>`select count(*) from agents where name = 'once'`;
    expect(row?.count).toBe(1);
  });

  test('another body, or another agent, under the key is refused', async () => {
    await api.call('POST', '/v1/agents', { token: trader, body: payload({ name: 'a' }), headers: key('k-2') });
    const other = await api.call('POST', '/v1/agents', { token: trader, body: payload({ name: 'b' }), headers: key('k-2') });
    expect([other.status, other.body.code]).toEqual([422, 'idempotency_mismatch']);
    const [one, two] = [await createdAgent(api, trader), await createdAgent(api, trader)];
    expect((await api.call('POST', `/v1/agents/${one}/pause`, { token: trader, headers: key('k-3') })).status).toBe(200);
    expect((await api.call('POST', `/v1/agents/${two}/pause`, { token: trader, headers: key('k-3') })).body.code).toBe(
      'idempotency_mismatch',
    );
    expect((await api.call('GET', `/v1/agents/${two}`, { token: reader })).body.paused).toBe(false);
  });

  test('a key belongs to its subject', async () => {
    const other = await api.token(['trade:execute']);
    const first = await api.call('POST', '/v1/agents', { token: trader, body: payload(), headers: key('k-4') });
    const second = await api.call('POST', '/v1/agents', { token: other, body: payload({ name: 'mine' }), headers: key('k-4') });
    expect(second.status).toBe(201);
    expect(second.body.id).not.toBe(first.body.id);
  });

  test('of 20 at once one has an effect, the others are told to wait or get its answer', async () => {
    const replies = await Promise.all(
      Array.from({ length: 20 }, () =>
        api.call('POST', '/v1/agents', { token: trader, body: payload({ name: 'race' }), headers: key('k-5') }),
      ),
    );
    const created = new Set(replies.filter(({ status }) => status === 201).map(({ text }) => text));
    expect(created.size).toBe(1);
    expect(replies.every(({ status, body }) => status === 201 || (status === 409 && body.code === 'idempotency_in_flight'))).toBe(true);
    const [row] = await api.sql<{ count: number }[]>`select count(*) from agents where name = 'race'`;
    expect(row?.count).toBe(1);
  });

  test('two processes with the same key: one effect, one answer', async () => {
    const url =
      String(api.sql.options.host[0]) === ''
        ? ''
        : `postgres://${api.sql.options.user}:${api.sql.options.pass ?? ''}@${api.sql.options.host[0]}:${api.sql.options.port[0]}/${api.sql.options.database}`;
    const other = await apiUnderTest(undefined, {}, url);
    try {
      const subject = 'two-processes';
      await api.ports.access.members.find(subject);
      await api.owner`insert into members (subject, org_id, name, permissions) values (${subject}, ${'00000000-0000-7000-8000-00000000000a'}, 'x', ${['trade:execute']}::text[])`;
      const [one, two] = [api.issue(subject), other.issue(subject)];
      for (let round = 0; round < 10; round++) {
        const call = { body: payload({ name: `both ${round}` }), headers: key(`p-${round}`) };
        const replies = await Promise.all([
          api.call('POST', '/v1/agents', { ...call, token: one }),
          other.call('POST', '/v1/agents', { ...call, token: two }),
        ]);
        const [row] = await api.sql<{ count: number }[]>`select count(*) from agents where name = ${`both ${round}`}`;
        expect(row?.count).toBe(1);
        expect(new Set(replies.filter(({ status }) => status === 201).map(({ text }) => text)).size).toBe(1);
        for (const { status } of replies) expect([201, 409]).toContain(status);
      }
    } finally {
      await other.close();
    }
  });

  test('a refused command is not stored: its key may be used again', async () => {
    const id = await createdAgent(api, trader);
    const resume = () => api.call('POST', `/v1/agents/${id}/resume`, { token: risk, headers: key('k-6') });
    expect((await resume()).body.code).toBe('not_paused');
    await api.call('POST', `/v1/agents/${id}/pause`, { token: trader });
    expect((await resume()).body).toMatchObject({ paused: false });
  });

  test.each(['', ' ', 'a b', 'ü', 'x'.repeat(256)])('the key %j is malformed', async (bad) => {
    const reply = await api.call('POST', '/v1/agents', { token: trader, body: payload({ name: 'never' }), headers: key(bad) });
    expect([reply.status, reply.body.code]).toEqual([400, 'malformed']);
  });
});

describe('pages', () => {
  test('paging the list while agents are added loses none and repeats none', async () => {
    const org = '00000000-0000-7000-8000-0000000000c0';
    await api.sql`insert into organizations (id, name) values (${org}, 'paged')`;
    const token = await api.token(['agent:read', 'trade:execute'], org);
    const before: string[] = [];
    for (let i = 0; i < 23; i++) before.push(await createdAgent(api, token, { name: `paged ${i}` }));
    const seen: string[] = [];
    let cursor: string | null = null;
    let pages = 0;
    do {
      const query: string = cursor === null ? '?limit=5' : `?limit=5&cursor=${cursor}`;
      const reply = await api.call('GET', `/v1/agents${query}`, { token });
      expect(reply.status, reply.text).toBe(200);
      expect(reply.body.items.length).toBeLessThanOrEqual(5);
      seen.push(...reply.body.items.map(({ id }: { id: string }) => id));
      cursor = reply.body.nextCursor;
      pages++;
      await createdAgent(api, token, { name: `late ${pages}` });
    } while (cursor !== null);
    expect(seen).toEqual([...before].reverse());
    expect(pages).toBe(5);
  });

  test('a foreign cursor is refused with its place and what is right', async () => {
    const decisions = Buffer.from('decisions 1').toString('base64url');
    for (const bad of [
      'xyz',
      decisions,
      Buffer.from("agents ' or 1=1").toString('base64url'),
      Buffer.from('agents ').toString('base64url'),
    ]) {
      const reply = await api.call('GET', `/v1/agents?cursor=${bad}`, { token: reader });
      expect(reply.body, bad).toMatchObject({ status: 400, code: 'malformed', problems: [{ path: 'query.cursor' }] });
    }
    for (const bad of [
      'limit=0',
      'limit=201',
      'limit=1.5',
      'limit=abc',
      'limit=',
      'limit=1&limit=2',
      'limit=1e1',
      'limit=%201',
      'size=5',
    ]) {
      expect((await api.call('GET', `/v1/agents?${bad}`, { token: reader })).status, bad).toBe(400);
    }
    expect((await api.call('GET', '/v1/agents?limit=200', { token: reader })).status).toBe(200);
  });
});

describe('decisions', () => {
  let id: string;
  let suggesting: string;
  const SLOTS = 5;
  beforeAll(async () => {
    id = await createdAgent(api, trader);
    suggesting = await createdAgent(api, trader, { name: 'Says what it would do' });
    const raised = await api.call('POST', `/v1/agents/${suggesting}/autonomy`, { token: trader, body: { autonomy: 'suggest' } });
    expect(raised.status, raised.text).toBe(200);
    const first = NOW + 60_000;
    const { tick } = actorsOn(api.sql, api.clock);
    for (let i = 0; i < SLOTS; i++) {
      const slot = first + i * 60_000;
      const keys = i === 2 ? (['spotchain:AAPLx'] as const) : (['spotchain:AAPLx', 'spotchain:TSLAx'] as const);
      const observations = new Map(keys.map((key) => [key, sampleObservation(key, slot, { mid: '180.5', premiumPct: -2 - i, rsi: 20 })]));
      api.clock.advanceTo(slot + 500);
      await tick({ slot, observations });
    }
  });

  test('with a trade at suggest are recommendations, with the rules that call for it, page by page', async () => {
    const first = await api.call('GET', '/v1/recommendations?limit=2', { token: reader });
    expect(first.status, first.text).toBe(200);
    expect(first.body.items).toHaveLength(2);
    const [newest] = first.body.items;
    expect(newest).toMatchObject({ agentId: suggesting, agentName: 'Says what it would do', side: 'buy', instrument: 'spotchain:AAPLx' });
    expect(newest.rules.map(({ type }: { type: string }) => type)).toEqual(expect.arrayContaining(['premium_below', 'rsi_below']));
    expect(newest.why).toContain('Every entry rule held.');
    const all = [...first.body.items];
    for (let cursor = first.body.nextCursor; cursor !== null; ) {
      const next = await api.call('GET', `/v1/recommendations?limit=2&cursor=${cursor}`, { token: reader });
      all.push(...next.body.items);
      cursor = next.body.nextCursor;
    }
    expect(new Set(all.map(({ decisionId }) => decisionId)).size).toBe(all.length);
    expect(all.map(({ slot }) => slot)).toEqual(
      all
        .map(({ slot }) => slot)
        .toSorted()
        .reverse(),
    );
    const record = await api.call('GET', `/v1/agents/${suggesting}/decisions/${newest.decisionId}`, { token: reader });
    expect(record.body).toMatchObject({ hash: newest.hash, disposition: 'propose_entry' });
    const stranger = await api.token(['agent:read'], THEIRS);
    expect((await api.call('GET', '/v1/recommendations', { token: stranger })).body.items).toEqual([]);
  });

  test('come with the gates’ reasons for no trades: the limiting autonomy, or first a pause', async () => {
    const why = async (of: string) => (await api.call('GET', `/v1/agents/${of}/gates`, { token: reader })).body.whyNoTrades;
    expect(await why(id)).toEqual([
      'Its rules asked for a trade at 5 of its last 5 decisions, but at autonomy research it proposes nothing. Raise it: POST /v1/agents/:id/autonomy.',
    ]);
    expect((await why(suggesting))[0]).toMatch(
      /^It recommended an entry at \d of its last 5 decisions, but at autonomy suggest it places no orders/,
    );
    expect((await api.call('POST', `/v1/agents/${id}/pause`, { token: trader })).status).toBe(200);
    expect(await why(id)).toEqual(['It makes no decisions: a member paused it. Resume it: POST /v1/agents/:id/resume.']);
  });

  test('are complete records, newest first, chained, and their hash matches the trail', async () => {
    const reply = await api.call('GET', `/v1/agents/${id}/decisions`, { token: reader });
    expect(reply.status, reply.text).toBe(200);
    expect(reply.body.items.length).toBe(SLOTS);
    const slots = reply.body.items.map(({ slot }: { slot: string }) => slot);
    expect(slots).toEqual([...slots].sort().reverse());
    const [newest, second] = reply.body.items;
    expect(newest.previousHash).toBe(second.hash);
    expect(newest).toMatchObject({
      agentId: id,
      disposition: 'hold',
      reason: 'research_only',
      book: { positions: [], realizedPnlUsd: '0' },
    });
    expect(Object.keys(newest.observed)).toEqual(['spotchain:AAPLx', 'spotchain:TSLAx']);
    expect(newest.observed['spotchain:AAPLx']).toMatchObject({ premiumPct: -6, quote: { mid: '180.5', quality: 'live' } });
    // Two instruments with two entry rules, one exit rule and two guardrails each.
    expect(newest.rules.length).toBe(10);
    expect(newest.rules[0]).toEqual({
      instrument: 'spotchain:AAPLx',
      side: 'entry',
      type: 'premium_below',
      passed: true,
      observed: -6,
      threshold: -1.5,
    });
    const [row] = await api.sql<Record<string, string>[]>`
      select encode(manifest_hash, 'hex') as m, encode(observed_hash, 'hex') as o, outcome from decisions where agent_id = ${id} order by slot desc limit 1`;
    const text = decisionChainText({
      agentId: id,
      slot: Date.parse(newest.slot),
      manifestVersion: 1,
      manifestHash: String(row?.['m']),
      observedHash: String(row?.['o']),
      disposition: newest.disposition,
      reason: newest.reason,
      instrument: newest.instrument,
      outcome: String(row?.['outcome']),
      risk: newest.risk,
      book: null,
      previousHash: newest.previousHash,
    });
    expect(sha256Hex(text)).toBe(newest.hash);
  });

  test('an instrument that was not received is missing in the observations, and its rules fail', async () => {
    const reply = await api.call('GET', `/v1/agents/${id}/decisions?limit=3`, { token: reader });
    const partial = reply.body.items[2];
    expect(Object.keys(partial.observed)).toEqual(['spotchain:AAPLx']);
    expect(
      partial.rules.filter((rule: { instrument: string; passed: boolean }) => rule.instrument === 'spotchain:TSLAx' && rule.passed),
    ).toEqual([]);
  });

  test('pages of two cover all of them, and each is found by its id', async () => {
    const seen: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const reply = await api.call('GET', `/v1/agents/${id}/decisions?limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`, {
        token: reader,
      });
      for (const decision of reply.body.items) {
        const one = await api.call('GET', `/v1/agents/${id}/decisions/${decision.id}`, { token: reader });
        expect(one.body).toEqual(decision);
        seen.push(decision.id);
      }
      cursor = reply.body.nextCursor;
    }
    expect(seen).toEqual(Array.from({ length: SLOTS }, (_, i) => decisionId(id, NOW + 60_000 * (SLOTS - i))));
  });

  test('an unknown id, or one of another agent, is not found', async () => {
    const other = await createdAgent(api, trader);
    const real = decisionId(id, NOW + 60_000);
    for (const path of [
      `${id}/decisions/${decisionId(id, NOW)}`,
      `${other}/decisions/${real}`,
      `${id}/decisions/nonsense`,
      `${id}/decisions/${other}`,
    ]) {
      expect((await api.call('GET', `/v1/agents/${path}`, { token: reader })).body, path).toMatchObject({ status: 404, code: 'not_found' });
    }
  });
});

test('actions are in the audit: who, what, in which request', async () => {
  const id = await createdAgent(api, trader);
  const reply = await api.call('POST', `/v1/agents/${id}/pause`, { token: trader });
  const rows = await api.sql<
    { action: string; request_id: string }[]
  >`select action, request_id from audit where target = ${id} order by seq`;
  expect(rows.map(({ action }) => action)).toEqual(['agent.create', 'agent.pause']);
  expect(rows[1]?.request_id).toBe(reply.headers['x-request-id']);
});

test('no answer of this file was caused by a defect', () => {
  expect(api.defects).toEqual([]);
});
