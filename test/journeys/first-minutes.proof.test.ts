// The first minutes with Sevengate: start it, create agents, watch them decide at the full minute, break a venue, halt, stop.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { dump } from 'js-yaml';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type DecisionRow, decisionHash, decisionId, GENESIS_HASH } from '../../src/domain/agents/decision.ts';
import { waitFor } from '../harness/wait-for.ts';
import { type EventReader, type FeedSocket, openSocket, readEvents } from './feed-clients.ts';
import { type Ended, expectPrompt, nextSlot, type Service, secretsOf, sevengate, startService } from './running-service.ts';

/** Strategy of the journey in payload form. */
const payload = {
  name: 'Two markets',
  universe: ['BTCUSDT', 'BTC'],
  timeframe: '1m',
  entryConditions: [
    { type: 'price_above', price: '1' },
    { type: 'rsi_below', period: 14, value: 40 },
  ],
  exitConditions: [{ type: 'price_below', price: '2' }],
  maxCapitalUsd: 10000,
  maxTradeNotionalUsd: 500.5,
  stopLossPct: 4,
  takeProfitPct: 8,
  maxDailyDrawdownPct: 3,
  maxOpenPositions: 2,
  maxSlippageBps: 30,
};
/** Same strategy in declarative form. */
const declarative = {
  version: '1',
  agent: { id: 'two-markets', name: 'Two markets', description: '', autonomy_level: 'RESEARCH', lifecycle_stage: 'DRAFT' },
  capital_allocation: { max_capital_usd: '10000.00', max_trade_notional_usd: '500.50', max_leverage: '1' },
  strategy: {
    universe: ['spotexchange:BTCUSDT:spot', 'evmvenue:BTC:perp'],
    timeframes: ['1m'],
    factors: [],
    entry_conditions: payload.entryConditions,
    exit_conditions: payload.exitConditions,
  },
  risk_guardrails: {
    max_daily_drawdown_pct: 3,
    stop_loss_pct: 4,
    take_profit_pct: 8,
    max_open_positions: 2,
    kill_switch_action: 'cancel_all_and_halt',
  },
  execution: { algorithm: 'smart_order_routing_maker_first', max_slippage_bps: 30, urgency: 'medium' },
};
const yaml = { 'content-type': 'application/yaml' };
const RULES = ['price_above', 'rsi_below', 'price_below', 'stop_loss', 'take_profit'];

let service: Service;
let control: string;
const sockets: FeedSocket[] = [];
const readers: EventReader[] = [];
/** Agents of this journey. */
const ours = { fromPayload: '', fromYaml: '', paused: '' };
let ended: Ended | null = null;

beforeAll(async () => {
  service = await startService({ first: true });
  control = (JSON.parse(readFileSync(join(service.home, 'sandbox.json'), 'utf8')) as { control: string }).control;
});

afterAll(async () => {
  for (const reader of readers) reader.close();
  await service?.discard();
});

test('the ready line comes last on standard output, after the place of the tokens and the sign-in link', () => {
  expect(service.stdout().split('\n')).toEqual([
    `tokens  ${service.home}/tokens/operator.token (also viewer, risk-manager, administrator), renewed every 20 minutes`,
    expect.stringMatching(/^sign in http:\/\/127\.0\.0\.1:\d+\/#\/sign-in\/[\w-]{22} \(works once, within 10 minutes\)$/),
    `ready ${service.url}`,
    '',
  ]);
});

test('the public pages answer without a token', async () => {
  expect((await service.get('/healthz', null)).body).toEqual({ status: 'ok' });
  const ready = await service.get('/readyz', null);
  expect(ready.status, ready.text).toBe(200);
  const metrics = await service.get('/metrics', null);
  expect(metrics.headers.get('content-type')).toMatch(/^text\/plain/);
  expect(metrics.text).toMatch(/^sevengate_decisions_total \d+$/m);
  const openapi = await service.get('/v1/openapi.json', null);
  expect(openapi.body.openapi).toMatch(/^3\.1/);
  expect(Object.keys(openapi.body.paths)).toEqual(expect.arrayContaining(['/v1/agents/{id}/decisions', '/v1/feeds']));
  const docs = await service.get('/docs/', null);
  expect([docs.status, docs.headers.get('content-type')]).toEqual([200, expect.stringMatching(/^text\/html/)]);
});

test('the seeded members and their three agents are there', async () => {
  expect((await service.get('/v1/me', 'viewer')).body).toMatchObject({ subject: 'viewer', permissions: ['market:read', 'agent:read'] });
  expect((await service.get('/v1/me', 'risk-manager')).body.permissions).toContain('risk:manage');
  const { items } = (await service.get('/v1/agents')).body;
  expect(items.map(({ name, stage, autonomy }: Record<string, string>) => [name, stage, autonomy]).sort()).toEqual([
    ['Crypto trend', 'draft', 'confirm'],
    ['Discount hunter', 'draft', 'suggest'],
    ['Perpetual carry', 'draft', 'research'],
  ]);
});

test('one strategy in either manifest form has one hash', async () => {
  const first = await service.post('/v1/agents', payload);
  expect(first.status, first.text).toBe(201);
  expect(first.body).toMatchObject({
    name: 'Two markets',
    stage: 'draft',
    autonomy: 'research',
    manifestVersion: 1,
    createdBy: 'operator',
  });
  const second = await service.ask('POST', '/v1/agents', { body: dump(declarative), headers: yaml });
  expect(second.status, second.text).toBe(201);
  expect(second.body.manifestHash).toBe(first.body.manifestHash);
  expect(second.body.id).not.toBe(first.body.id);
  [ours.fromPayload, ours.fromYaml] = [first.body.id, second.body.id];
  const detail = (await service.get(`/v1/agents/${first.body.id}`)).body;
  // RFC 8785 of the canonical manifest, computed without the product's code: its keys are ASCII, so plain sorting suffices.
  const sorted = (value: unknown): unknown =>
    Array.isArray(value)
      ? value.map(sorted)
      : value !== null && typeof value === 'object'
        ? Object.fromEntries(
            Object.keys(value)
              .sort()
              .map((key) => [key, sorted((value as Record<string, unknown>)[key])]),
          )
        : value;
  expect(
    createHash('sha256')
      .update(JSON.stringify(sorted(detail.manifest)))
      .digest('hex'),
  ).toBe(first.body.manifestHash);
});

test('an invalid manifest is refused with every wrong place, and creates no agent', async () => {
  const before = (await service.get('/v1/agents')).body.items.length;
  const refused = await service.post('/v1/agents', {
    ...payload,
    maxOpenPositions: 1.5,
    entryConditions: [{ type: 'rsi_bellow', period: 14 }],
  });
  expect(refused.status).toBe(400);
  expect(refused.headers.get('content-type')).toMatch(/^application\/problem\+json/);
  expect(refused.body.code).toBe('manifest_invalid');
  expect(refused.body.problems.map(({ path }: { path: string }) => path)).toEqual(
    expect.arrayContaining(['$.maxOpenPositions', '$.entryConditions[0].type']),
  );
  expect((await service.get('/v1/agents')).body.items).toHaveLength(before);
});

test('an Idempotency-Key makes a repeated request one agent', async () => {
  const headers = { 'idempotency-key': 'journey-1' };
  const first = await service.ask('POST', '/v1/agents', { body: { ...payload, name: 'Will be paused' }, headers });
  const again = await service.ask('POST', '/v1/agents', { body: { ...payload, name: 'Will be paused' }, headers });
  expect([first.status, again.status]).toEqual([201, 201]);
  expect(again.body).toEqual(first.body);
  const other = await service.ask('POST', '/v1/agents', { body: { ...payload, name: 'Another' }, headers });
  expect([other.status, other.body.code]).toEqual([422, 'idempotency_mismatch']);
  ours.paused = first.body.id;
});

test('autonomy is raised by its own command, and to policy_auto only with risk:manage', async () => {
  const path = `/v1/agents/${ours.fromPayload}/autonomy`;
  expect((await service.post(path, { autonomy: 'SUGGEST' })).body).toMatchObject({ autonomy: 'suggest' });
  const refused = await service.post(path, { autonomy: 'policy_auto' });
  expect([refused.status, refused.body.code]).toEqual([403, 'permission_missing']);
  expect((await service.post(path, { autonomy: 'policy_auto' }, 'risk-manager')).body).toMatchObject({ autonomy: 'policy_auto' });
  expect((await service.post(path, { autonomy: 'confirm' })).body).toMatchObject({ autonomy: 'confirm' });
});

test('a new version has a new hash and is at draft; the same manifest again is no version', async () => {
  const path = `/v1/agents/${ours.fromYaml}/versions`;
  const same = await service.post(path, payload);
  expect([same.status, same.body.code]).toEqual([409, 'state_conflict']);
  const before = (await service.get(`/v1/agents/${ours.fromYaml}`)).body.manifestHash;
  const changed = await service.post(path, { ...payload, maxSlippageBps: 31 });
  expect(changed.body).toMatchObject({ stage: 'draft', manifestVersion: 2 });
  expect(changed.body.manifestHash).not.toBe(before);
  const { versions } = (await service.get(`/v1/agents/${ours.fromYaml}`)).body;
  expect(versions.map(({ version, manifestHash }: Record<string, unknown>) => [version, manifestHash])).toEqual([
    [2, changed.body.manifestHash],
    [1, before],
  ]);
});

test('an agent is paused and resumed, and cannot be paused twice', async () => {
  const pause = () => service.post(`/v1/agents/${ours.paused}/pause`);
  expect((await pause()).body).toMatchObject({ paused: true, state: 'paused', stage: 'draft', pauseCause: 'operator' });
  const twice = await pause();
  expect([twice.status, twice.body.code]).toEqual([409, 'already_paused']);
  expect((await service.post(`/v1/agents/${ours.paused}/resume`)).status).toBe(403);
  expect((await service.post(`/v1/agents/${ours.paused}/resume`, undefined, 'risk-manager')).body).toMatchObject({
    paused: false,
    state: 'draft',
    pauseCause: null,
  });
  expect((await pause()).status).toBe(200);
});

test('a viewer may not trade, and another organization’s token is refused', async () => {
  const refused = await service.post('/v1/agents', payload, 'viewer');
  expect([refused.status, refused.body.code]).toEqual([403, 'permission_missing']);
  expect(refused.headers.get('content-type')).toMatch(/^application\/problem\+json/);
  expect(refused.body).toMatchObject({ status: 403, requestId: refused.headers.get('x-request-id') });
  const [head, body, signature] = service.token('operator').split('.') as [string, string, string];
  const forged = Buffer.from(JSON.stringify({ ...JSON.parse(Buffer.from(body, 'base64url').toString()), sub: 'risk-manager' }));
  const noAlgorithm = Buffer.from('{"alg":"none","typ":"at+jwt"}').toString('base64url');
  for (const token of ['a.b.c', `${head}.${forged.toString('base64url')}.${signature}`, `${noAlgorithm}.${body}.`]) {
    expect((await service.get('/v1/agents', token)).body, token).toMatchObject({ status: 401, code: 'unauthenticated' });
  }
  expect((await service.get('/v1/agents', null)).status).toBe(401);
  // A token in the URL would end up in logs and histories.
  expect((await service.get(`/v1/agents?access_token=${service.token('operator')}`, null)).status).toBe(401);
});

test('another organization sees nothing of this one: foreign ids answer like missing ones', async () => {
  const command = await sevengate(
    ['token', '--org', 'other', '--permissions', 'market:read,agent:read,trade:execute,risk:manage', '--json'],
    { SEVENGATE_HOME: service.home },
  );
  expect(command.code, command.stderr).toBe(0);
  const { token, orgId, subject } = JSON.parse(command.stdout) as Record<string, string>;
  expect((await service.get('/v1/me', token)).body).toMatchObject({ subject, orgId });
  expect((await service.get('/v1/agents', token)).body.items).toEqual([]);
  const missing = '01900000-0000-7000-8000-00000000dead';
  for (const [method, path] of [
    ['GET', ''],
    ['GET', '/decisions'],
    ['GET', '/history'],
    ['GET', '/chart'],
    ['GET', '/evidence'],
    ['POST', '/pause'],
    ['POST', '/resume'],
  ] as const) {
    const [foreign, absent] = await Promise.all(
      [ours.fromPayload, missing].map((id) => service.ask(method, `/v1/agents/${id}${path}`, { as: token as string })),
    );
    const { requestId: _, ...said } = foreign?.body ?? {};
    const { requestId: __, ...wouldSay } = absent?.body ?? {};
    expect(said.status, path).toBe(404);
    expect(said, path).toEqual(wouldSay);
  }
  expect((await service.get(`/v1/agents/${ours.fromPayload}`)).body.paused).toBe(false);
});

test('at the full minute every active agent decides once, a paused one does not, and a dead venue fails closed', async () => {
  const operator = service.token('operator');
  const live = await openSocket(service.url, operator);
  const leaving = await openSocket(service.url, operator);
  sockets.push(live, leaving);
  for (const socket of [live, leaving]) socket.send({ op: 'subscribe', id: 'decisions', channel: 'decisions' });
  const { cursor } = await leaving.frame('the answer', ({ id }) => id === 'decisions');
  await live.frame('the answer', ({ id }) => id === 'decisions');
  const events = await readEvents(service.url, `channel=decisions&agentId=${ours.fromPayload}`, operator);
  readers.push(events);
  await leaving.close();

  const frozen = await fetch(`${control}/faults/spotexchange`, { method: 'PUT', body: '{"freeze":true}' });
  expect(await frozen.json()).toMatchObject({ freeze: true, garbage: 0 });
  await waitFor(async () => (await service.get('/v1/quotes?venue=spotexchange&instrument=BTCUSDT')).body.items[0]?.quality !== 'live', {
    what: 'a quote of the frozen venue that is not live',
    deadlineMs: 8_000,
  });

  const slot = nextSlot(1_000);
  const agents = (await service.get('/v1/agents')).body.items as { id: string; paused: boolean; manifestHash: string; name: string }[];
  const onDuty = agents.filter(({ paused }) => !paused);
  expect(agents.filter(({ paused }) => paused).map(({ id }) => id)).toEqual([ours.paused]);
  const of = (id: string) => live.updates('decisions').filter(({ data }) => data.agentId === id && Date.parse(data.slot) === slot);
  await waitFor(() => onDuty.every(({ id }) => of(id).length > 0), {
    what: 'a decision of every agent on duty',
    deadlineMs: slot - Date.now() + 12_000,
  });

  const sql = service.database();
  try {
    for (const { id, manifestHash } of onDuty) {
      expect(of(id)).toHaveLength(1);
      const { items } = (await service.get(`/v1/agents/${id}/decisions`)).body;
      const [newest] = items;
      expect(newest).toEqual(of(id)[0].data);
      expect(newest).toMatchObject({ id: decisionId(id, slot), agentId: id, manifestHash, at: new Date(slot).toISOString() });
      expect((await service.get(`/v1/agents/${id}/decisions/${newest.id}`)).body).toEqual(newest);
      // The packed rows as stored, from the first: each hash covers its row and the hash before it.
      const rows = await packedRows(sql, id);
      expect(rows).toHaveLength(items.length);
      let previous = GENESIS_HASH;
      for (const row of rows) {
        expect(row.previousHash).toBe(previous);
        expect(decisionHash(row)).toBe(row.hash);
        previous = row.hash;
      }
      expect(newest.hash).toBe(previous);
    }
    expect((await packedRows(sql, ours.paused)).filter((row) => row.slot >= slot)).toEqual([]);
  } finally {
    await sql.end({ timeout: 2 });
  }

  const [{ data: decision }] = of(ours.fromPayload);
  expect(decision.rules.map(({ instrument, type }: Record<string, string>) => `${instrument} ${type}`)).toEqual(
    ['spotexchange:BTCUSDT', 'evmvenue:BTC'].flatMap((instrument) => RULES.map((type) => `${instrument} ${type}`)),
  );
  const seen = (instrument: string, type: string) =>
    decision.rules.find((rule: Record<string, unknown>) => rule['instrument'] === instrument && rule['type'] === type);
  expect(seen('spotexchange:BTCUSDT', 'price_above')).toMatchObject({ passed: false, observed: null, threshold: '1' });
  // The other venue is received, on a busy machine perhaps not in time for every slot; then its rules see no quote.
  const { quote } = decision.observed['evmvenue:BTC'];
  const isLive = quote?.quality === 'live';
  expect(seen('evmvenue:BTC', 'price_above')).toMatchObject({ passed: isLive, observed: isLive ? quote.mid : null, threshold: '1' });
  if (quote !== null) expect(quote.receivedAt).toBeLessThanOrEqual(slot);
  expect(decision.observed['spotexchange:BTCUSDT'].quote?.quality).not.toBe('live');
  const trend = of(onDuty.find(({ name }) => name === 'Crypto trend')?.id as string)[0].data;
  // The rules' result on frozen quotes is arbitrary; that no trade follows is not.
  expect(['hold', 'blocked_by_risk']).toContain(trend.disposition);

  // The client that was away resumes from its cursor and gets each missed event once.
  const back = await openSocket(service.url, operator);
  sockets.push(back);
  back.send({ op: 'subscribe', id: 'again', channel: 'decisions', from: cursor });
  await waitFor(() => back.updates('decisions').length >= live.updates('decisions').length, { what: 'what was missed' });
  expect(back.updates('decisions').map(({ data }) => data)).toEqual(live.updates('decisions').map(({ data }) => data));
  expect(back.updates('decisions').map(({ seq }) => seq)).toEqual(
    live.updates('decisions').map((_, index) => back.updates('decisions')[0].seq + index),
  );
  // On a busy machine a slot may have begun while the venue froze: its decision comes first.
  const ofOne = await events.event(
    'the decision as an event',
    ({ data }) => data?.agentId === ours.fromPayload && Date.parse(data.slot) === slot,
  );
  expect(ofOne.data).toEqual(decision);
  expect(events.events.filter(({ data }) => data.type === 'update').every(({ data }) => data.data.agentId === ours.fromPayload)).toBe(true);
});

test('the venue recovers once it is received again', async () => {
  const off = await fetch(`${control}/faults/spotexchange`, { method: 'DELETE' });
  expect(await off.json()).toMatchObject({ freeze: false });
  await waitFor(async () => (await service.get('/v1/quotes?venue=spotexchange&instrument=BTCUSDT')).body.items[0]?.quality === 'live', {
    what: 'a live quote',
    deadlineMs: 25_000,
  });
});

test('an emergency halt pauses every agent at once, and each is resumed by a risk manager', async () => {
  const halt = await service.post('/v1/agents/emergency-halt');
  expect(halt.status, halt.text).toBe(200);
  // The halt answers once it holds; on a busy machine the last agents are paused a moment later.
  const items = await waitFor(
    async () => {
      const { items: agents } = (await service.get('/v1/agents')).body as { items: { id: string; paused: boolean }[] };
      return agents.every(({ paused }) => paused) && agents;
    },
    { what: 'every agent to be paused' },
  );
  const onDuty = items.map(({ id }) => id).filter((id) => id !== ours.paused);
  expect(onDuty).toEqual(expect.arrayContaining(halt.body.paused));
  expect(halt.body.paused.length + halt.body.pausing).toBe(onDuty.length);
  expect((await service.get(`/v1/agents/${ours.fromPayload}`)).body.pauseCause).toBe('emergency_halt');
  expect((await service.post('/v1/agents/emergency-halt')).body).toMatchObject({ paused: [], epoch: halt.body.epoch + 1 });
  for (const { id } of items) {
    const resumed = await service.post(`/v1/agents/${id}/resume`, undefined, 'risk-manager');
    expect([resumed.status, resumed.body.state], resumed.text).toEqual([200, 'draft']);
  }
});

test('history and chart show the steps taken', async () => {
  const { items } = (await service.get(`/v1/agents/${ours.paused}/history?limit=200`)).body;
  expect(items.map(({ version }: { version: number }) => version)).toEqual(items.map((_: unknown, index: number) => items.length - index));
  const duties = items.flatMap(({ event, from, to }: { event: { type: string }; from: { duty?: string } | null; to: { duty: string } }) =>
    ['pause', 'resume'].includes(event.type) ? [[event.type, from?.duty, to.duty]] : [],
  );
  expect(duties).toEqual([
    ['resume', 'paused', 'active'],
    ['pause', 'active', 'paused'],
    ['resume', 'paused', 'active'],
    ['pause', 'active', 'paused'],
  ]);
  const received = (await service.get(`/v1/agents/${ours.fromPayload}/history?limit=200`)).body.items
    .map(({ event }: { event: { type: string; venue?: string } }) => (event.venue === 'spotexchange' ? event.type : null))
    .filter(Boolean);
  expect(received.slice(0, 2)).toEqual(['feed.restored', 'feed.degraded']);
  const chart = (await service.get(`/v1/agents/${ours.paused}/chart`)).body;
  expect(chart).toMatchObject({ machine: 'agent@1', status: 'running', version: items[0].version, value: items[0].to });
  expect(chart.mermaid).toContain('stateDiagram');
  expect(Object.keys(chart.definition.states)).toEqual(['stage', 'duty', 'feed']);
});

test('Ctrl-C stops everything it started, and no secret was printed', async () => {
  const [socket] = sockets;
  ended = await service.stop('SIGINT');
  expect(ended).toMatchObject({ code: 0, signal: null, left: [] });
  expectPrompt(ended);
  expect((await (socket as FeedSocket).closed())[0]).toBe(1012);
  const printed = service.stdout() + service.stderr();
  for (const secret of secretsOf(service.home)) expect(printed.includes(secret)).toBe(false);
  expect(printed).not.toMatch(/eyJ[\w-]+\.eyJ/);
  for (const entry of service.log())
    expect(entry).toMatchObject({ level: expect.any(Number), time: expect.any(String), msg: expect.any(String) });
  expect(service.log().filter(({ level }) => level >= 50)).toEqual([]);
});

/** Reads an agent's decisions as stored, oldest first. */
async function packedRows(sql: ReturnType<Service['database']>, agentId: string): Promise<DecisionRow[]> {
  const rows = await sql`
    select agent_id, slot, manifest_version, disposition, reason, instrument, outcome, risk, book,
      encode(manifest_hash, 'hex') as manifest_hash, encode(observed_hash, 'hex') as observed_hash,
      encode(previous_hash, 'hex') as previous_hash, encode(hash, 'hex') as hash
    from decisions where agent_id = ${agentId} order by slot`;
  return rows.map((row) => ({
    agentId: row['agent_id'],
    slot: row['slot'],
    manifestVersion: row['manifest_version'],
    manifestHash: row['manifest_hash'],
    observedHash: row['observed_hash'],
    disposition: row['disposition'],
    reason: row['reason'],
    instrument: row['instrument'],
    outcome: row['outcome'],
    risk: row['risk'] === null ? null : JSON.parse(row['risk']),
    book: row['book'],
    previousHash: row['previous_hash'],
    hash: row['hash'],
  }));
}
