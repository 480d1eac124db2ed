// The agent's chart on the runtime: duty, autonomy, versions, the five-second breaker, the emergency halt.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AgentCommands, createCommandHandler } from '../../../actors/agent/commands.ts';
import type { CommandContext } from '../../../src/core/command-context.ts';
import { agentKind, agentValue } from '../../../actors/agent/effects.ts';
import { createEmergencyHalt } from '../../../actors/agent/emergency-halt.ts';
import { createDirectory } from '../../../actors/runtime/directory.ts';
import { createMemoryStore } from '../../../actors/runtime/memory-store.ts';
import { createRuntime, type Runtime } from '../../../actors/runtime/runtime.ts';
import { startTimers } from '../../../actors/runtime/timers.ts';
import { tradersSubscribedTo } from '../../../src/adapters/store/agents/manifest-reads.ts';
import { openDatabase, type Sql } from '../../../src/adapters/store/database.ts';
import type { Manifest } from '../../../src/domain/manifest/manifest.ts';
import type { EpochMs } from '../../../src/domain/values/time.ts';
import type { InstrumentKey, Venue } from '../../../src/domain/market/venue.ts';
import { createVirtualClock } from '../../../streams/clock/virtual-clock.ts';
import { testDatabase } from '../../harness/postgres.ts';
import { actorsOn } from '../../world/actor-world.ts';
import { SLOT, sampleManifest } from './sample.ts';
import { eachRow } from '../../../actors/runtime/containment.ts';
import { contained } from '../../harness/contained.ts';

const ORG = '00000000-0000-7000-8000-000000000001';
let sql: Sql;
let commands: AgentCommands;
let runtime: Runtime;
let store: ReturnType<typeof actorsOn>['store'];
let timers: ReturnType<typeof startTimers>;
const clock = createVirtualClock(SLOT + 1_000);
let made = 0;
const context = (
  subject = 'creator',
  permissions: CommandContext['permissions'] = ['market:read', 'agent:read', 'trade:execute'],
): CommandContext => ({ orgId: ORG, subject, permissions, requestId: `r${++made}` });

beforeAll(async () => {
  sql = openDatabase({ url: await testDatabase(), name: 'test' });
  await sql`insert into organizations (id, name) values (${ORG}, 'ours')`;
  ({ store, runtime, commands } = actorsOn(sql, clock));
  timers = startTimers({ contained: eachRow(() => {}), store, runtime, clock, onError: () => {} });
});
afterAll(async () => {
  await timers.stop();
  await sql.end();
});

async function created(manifest: Manifest = sampleManifest()): Promise<string> {
  const outcome = await commands.create(context(), manifest);
  if (!outcome.ok) throw new Error(outcome.refusal.detail);
  return outcome.value.id;
}
const row = async (id: string) =>
  (
    await sql`select g.stage, g.autonomy, g.pause_cause, g.manifest_version, a.tick_from, a.tick_until, a.version from agents g join actors a on a.id = g.id where g.id = ${id}`
  )[0];

/** Places an agent at a stage through its actor, with the database's gate disabled for that row. */
async function atStage(id: string, stage: string): Promise<void> {
  const owner = openDatabase({ url: await ownerUrl(), role: null, connections: 1, name: 'test owner' });
  await owner.begin(async (transaction) => {
    await transaction`alter table agents disable trigger agent_stage_gate`;
    await transaction`update agents set stage = ${stage} where id = ${id}`;
    await transaction`alter table agents enable always trigger agent_stage_gate`;
    await transaction`update actors set snapshot = jsonb_set(snapshot, '{value,stage}', to_jsonb(${stage}::text)), version = version + 1 where id = ${id}`;
  });
  await owner.end();
}
const ownerUrl = async (): Promise<string> => {
  const { host, port, user, pass, database } = sql.options as unknown as {
    host: string[];
    port: number[];
    user: string;
    pass: string;
    database: string;
  };
  return `postgres://${user}:${encodeURIComponent(pass)}@${host[0]}:${port[0]}/${database}`;
};

test('a new agent is at draft with research autonomy and is ticked from the next slot on', async () => {
  const id = await created();
  expect(await row(id)).toMatchObject({
    stage: 'draft',
    autonomy: 'research',
    pause_cause: null,
    manifest_version: 1,
    tick_from: SLOT + 60_000,
    tick_until: null,
  });
  const steps = await sql`select version, event, to_value from steps where actor_id = ${id}`;
  expect(steps).toMatchObject([{ version: 1, to_value: { stage: 'draft', duty: 'active', feed: 'live' } }]);
  expect(await sql`select action, subject, before_hash is null as fresh from audit where target = ${id}`).toMatchObject([
    { action: 'agent.create', subject: 'creator', fresh: true },
  ]);
});

test('pause stops ticking at once, resume continues from the next slot; repeating either is refused', async () => {
  const id = await created();
  expect(await commands.pause(context(), id)).toMatchObject({ ok: true, value: { paused: true, pauseCause: 'operator', stage: 'draft' } });
  expect(await row(id)).toMatchObject({ pause_cause: 'operator', tick_until: clock.now() });
  expect(await commands.pause(context(), id)).toMatchObject({ ok: false, refusal: { code: 'already_paused' } });
  expect(await commands.resume(context(), id)).toMatchObject({ ok: true, value: { paused: false } });
  expect(await row(id)).toMatchObject({ pause_cause: null, tick_until: null, tick_from: SLOT + 60_000 });
  expect(await commands.resume(context(), id)).toMatchObject({ ok: false, refusal: { code: 'not_paused' } });
});

test('raising the autonomy to automatic orders needs risk:manage; lowering it does not', async () => {
  const id = await created();
  expect(await commands.setAutonomy(context(), id, 'autonomous')).toMatchObject({ ok: false, refusal: { code: 'permission_missing' } });
  expect(await commands.setAutonomy(context('rita', ['risk:manage']), id, 'autonomous')).toMatchObject({
    ok: true,
    value: { autonomy: 'autonomous' },
  });
  for (const lower of ['policy_auto', 'policy_auto', 'risk_only'] as const)
    expect(await commands.setAutonomy(context(), id, lower)).toMatchObject({ ok: true, value: { autonomy: lower } });
  for (const higher of ['policy_auto', 'autonomous'] as const)
    expect(await commands.setAutonomy(context(), id, higher)).toMatchObject({ ok: false, refusal: { code: 'permission_missing' } });
  expect(await row(id)).toMatchObject({ autonomy: 'risk_only' });
});

test('any changed parameter is a new version at draft; an unchanged manifest is refused; concurrent versions each get their number', async () => {
  const id = await created();
  await atStage(id, 'paper');
  expect(await commands.addVersion(context(), id, sampleManifest())).toMatchObject({ ok: false, refusal: { code: 'state_conflict' } });
  const outcomes = await Promise.all(
    [6, 7, 8, 9].map((stopLossPct) => commands.addVersion(context(), id, sampleManifest({ stopLossPct }))),
  );
  expect(outcomes.every(({ ok }) => ok)).toBe(true);
  expect(await row(id)).toMatchObject({ stage: 'draft', manifest_version: 5 });
  expect((await sql`select version from manifests where agent_id = ${id} order by version`).map(({ version }) => version)).toEqual([
    1, 2, 3, 4, 5,
  ]);
});

test('an agent that cannot take a new version says why, instead of reporting a conflict', async () => {
  const id = await created();
  const at = clock.now();
  await store.incident({ actorId: id, at, kind: 'quarantined', detail: 'for this test', event: null, quarantine: true });
  const outcome = await commands.addVersion(context(), id, sampleManifest({ stopLossPct: 6 }));
  expect(outcome).toMatchObject({ ok: false, refusal: { code: 'state_conflict', detail: expect.stringContaining('quarantined') } });
});

test.each(['daily_drawdown', 'data_degraded', 'operator'] as const)(
  'a release from quarantine during a pause by %s does not ease it',
  async (cause) => {
    const id = await created();
    await atStage(id, 'live');
    if (cause === 'daily_drawdown') {
      const trip = { type: 'breaker.tripped', breaker: cause, at: clock.now(), observed: 6, limit: 5 } as const;
      expect((await runtime.deliver(id, trip, { cause: 'test' })).ok).toBe(true);
    } else expect((await runtime.deliver(id, { type: 'pause', cause }, { cause: 'test' })).ok).toBe(true);
    await store.incident({ actorId: id, at: clock.now(), kind: 'quarantined', detail: 'for this test', event: null, quarantine: true });
    const rita = context('rita', ['risk:manage']);
    // A breaker's own pause goes on: the rest of its closing, and the end of its day.
    const kept = cause === 'operator' ? 'quarantine' : cause;
    expect(await commands.release(rita, id)).toMatchObject({ ok: true, value: { paused: true, pauseCause: kept } });
    expect(await row(id)).toMatchObject({ pause_cause: kept });
    expect(await commands.resume(context(), id)).toMatchObject({ ok: false });
    expect((await commands.resume(rita, id)).ok).toBe(cause !== 'daily_drawdown');
  },
);

test('a halt pauses all other agents if the first ones cannot be paused, and a worker finishes it', async () => {
  const store = createMemoryStore();
  let commits = 0;
  const halting = createRuntime({
    store: {
      ...store,
      commit: (steps) => (++commits === 1 ? Promise.reject(new Error('the statement took too long')) : store.commit(steps)),
    },
    directory: createDirectory([agentKind]),
    clock,
  });
  const ids = Array.from({ length: 1_200 }, (_, n) => `agent ${n}`);
  for (const id of ids)
    await halting.start('agent', id, ORG, { autonomy: 'research', manifestVersion: 1, manifestHash: 'ab' }, { cause: 'test' });
  let ended: number | null = null;
  const directory = {
    find: async () => null,
    onDuty: async () => ids.filter((id) => agentValue(store.actors.get(id)?.state as never).duty === 'active'),
    beginHalt: async () => ({ epoch: 1, onDuty: ids.length }),
    haltProgress: async () => {},
    endHalt: async (_: string, epoch: number) => {
      ended = epoch;
    },
    takeOverHalts: async () => [{ orgId: ORG, epoch: 1 }],
    write: async () => {},
    held: async () => [],
    cancellable: async () => [],
    openOrders: async () => [],
    leasesEnded: async () => {},
  };
  const handler = createCommandHandler({ runtime: halting, agents: directory, clock, newId: () => 'unused' });
  const answered = await handler.emergencyHalt(context());
  expect(answered).toMatchObject({ ok: true, value: { epoch: 1, pausing: 500 } });
  expect(ended).toBe(null);
  const duties = ids.map((id) => agentValue(store.actors.get(id)?.state as never).duty);
  expect([duties.indexOf('paused'), duties.filter((duty) => duty === 'paused').length]).toEqual([500, 700]);
  // No agent gets a permit until a worker has done the rest.
  expect(await createEmergencyHalt({ runtime: halting, store: directory, clock }).sweepAbandoned(contained)).toBe(1);
  expect([ended, (await directory.onDuty()).length]).toEqual([1, 0]);
});

test('the database refuses a skipped stage, another initial stage, and a changed manifest that keeps its stage', async () => {
  const id = await created();
  await expect(sql`update agents set stage = 'backtest' where id = ${id}`).rejects.toThrow(/needs evidence/);
  await expect(sql`update agents set stage = 'live' where id = ${id}`).rejects.toThrow(/only the gate to backtest can open/);
  await expect(sql`update agents set manifest_hash = ${'0'.repeat(64)} where id = ${id}`).rejects.toThrow(/not on record/);
  await expect(sql`update decisions set disposition = 'hold'`).rejects.toThrow(/permission denied|append-only/);
  await expect(sql`delete from steps`).rejects.toThrow(/permission denied|append-only/);
  await expect(sql`truncate audit`).rejects.toThrow(/permission denied|append-only/);
  await expect(sql`alter table agents disable trigger agent_stage_gate`).rejects.toThrow(/must be owner/);
});

test('degraded data pauses an agent with live capital after five seconds, not after 4.9 s, and only another person resumes it once the feed recovers', async () => {
  const id = await created();
  await atStage(id, 'limited_live');
  await runtime.deliverMany([id], { type: 'feed.degraded', venue: 'spotchain' }, { cause: 'feed' });
  clock.advanceTo(clock.now() + 4_900);
  await timers.fireDue();
  await runtime.deliverMany([id], { type: 'feed.restored', venue: 'spotchain' }, { cause: 'feed' });
  clock.advanceTo(clock.now() + 60_000);
  await timers.fireDue();
  expect(await row(id)).toMatchObject({ pause_cause: null });

  await runtime.deliverMany([id], { type: 'feed.degraded', venue: 'spotchain' }, { cause: 'feed' });
  clock.advanceTo(clock.now() + 5_000);
  await timers.fireDue();
  expect(await row(id)).toMatchObject({ stage: 'limited_live', pause_cause: 'data_degraded', tick_until: clock.now() });
  expect(await commands.resume(context('rita', ['risk:manage']), id)).toMatchObject({ ok: false, refusal: { code: 'cause_persists' } });
  await runtime.deliverMany([id], { type: 'feed.restored', venue: 'spotchain' }, { cause: 'feed' });
  expect(await commands.resume(context('creator', ['risk:manage']), id)).toMatchObject({
    ok: false,
    refusal: { code: 'resume_by_creator' },
  });
  expect(await commands.resume(context('rita', ['risk:manage']), id)).toMatchObject({
    ok: true,
    value: { paused: false, stage: 'limited_live' },
  });
});

test('an agent whose later manifest dropped a degraded venue is still notified of its recovery', async () => {
  const id = await created();
  expect(await tradersSubscribedTo(sql)('evmvenue')).not.toContain(id);
  await runtime.deliverMany([id], { type: 'feed.degraded', venue: 'evmvenue' }, { cause: 'feed' });
  expect(await tradersSubscribedTo(sql)('evmvenue')).toContain(id);
  await runtime.deliverMany([id], { type: 'feed.restored', venue: 'evmvenue' }, { cause: 'feed' });
  expect(await tradersSubscribedTo(sql)('evmvenue')).not.toContain(id);
});

test('a broken book reaches only the agents of its instrument, and counts toward the five seconds', async () => {
  const id = await created();
  const [universe] = await sql<{ key: InstrumentKey }[]>`
    select m.canonical::jsonb #>> '{universe,0,key}' as key from manifests m where m.agent_id = ${id}`;
  const { key } = universe as { key: InstrumentKey };
  expect(await tradersSubscribedTo(sql)(key)).toContain(id);
  expect(await tradersSubscribedTo(sql)(`${key}X` as InstrumentKey)).not.toContain(id);
  expect(await tradersSubscribedTo(sql)(key.replace(/.$/, '_') as InstrumentKey)).not.toContain(id);
  const due = async (): Promise<number | undefined> =>
    (await sql<{ at: EpochMs }[]>`select due_at as at from timers where actor_id = ${id} and timer_id like '%degradedFor%'`)[0]?.at;
  for (const leftMs of [1_200, 0]) {
    await runtime.deliverMany([id], { type: 'feed.degraded', venue: key, leftMs }, { cause: 'feed' });
    expect(await due()).toBe(clock.now() + leftMs);
    await runtime.deliverMany([id], { type: 'feed.restored', venue: key }, { cause: 'feed' });
    expect(await due()).toBeUndefined();
  }
});

test('a rule on the basis also observes the paired instrument: the spot book, and the mark of the perpetuals venue', async () => {
  const spot = { key: 'spotexchange:BTCUSDT', kind: 'spot' } as const;
  const perp = { key: 'evmvenue:BTC', kind: 'perp' } as const;
  const basis = { entry: [{ type: 'rsi_below', period: 14, value: 40, timeframe: '1h' }], exit: [{ type: 'basis_below', pct: -1 }] };
  const [perpOnBasis, perpAlone, spotOnBasis] = [
    await created(sampleManifest({ universe: [perp], ...basis })),
    await created(sampleManifest({ universe: [perp], exit: [] })),
    await created(sampleManifest({ universe: [spot], ...basis })),
  ];
  const looking = async (subject: InstrumentKey | Venue) => {
    const ids = await tradersSubscribedTo(sql)(subject);
    return [perpOnBasis, perpAlone, spotOnBasis].map((id) => ids.includes(id));
  };
  expect(await looking(spot.key)).toEqual([true, false, true]);
  expect(await looking('spotexchange')).toEqual([true, false, true]);
  expect(await looking('evmvenue')).toEqual([true, true, true]);
  // The mark is not part of the perpetual's order book.
  expect(await looking(perp.key)).toEqual([true, true, false]);
  expect(await looking('spotexchange:ETHUSDT')).toEqual([false, false, false]);
});

test('without live capital, lost data raises an alert and no pause; with two venues degraded, both must recover', async () => {
  const id = await created();
  await runtime.deliverMany([id], { type: 'feed.degraded', venue: 'spotchain' }, { cause: 'feed' });
  await runtime.deliverMany([id], { type: 'feed.degraded', venue: 'reference' }, { cause: 'feed' });
  clock.advanceTo(clock.now() + 5_000);
  await timers.fireDue();
  expect(await row(id)).toMatchObject({ pause_cause: null });
  expect(await sql`select body->>'what' as what from announcements where actor_id = ${id} and channel = 'alerts'`).toMatchObject([
    { what: 'data_degraded' },
  ]);
  await runtime.deliverMany([id], { type: 'feed.restored', venue: 'reference' }, { cause: 'feed' });
  expect((await sql`select snapshot->'value'->>'feed' as feed from actors where id = ${id}`)[0]).toMatchObject({ feed: 'lost' });
  await runtime.deliverMany([id], { type: 'feed.restored', venue: 'spotchain' }, { cause: 'feed' });
  expect((await sql`select snapshot->'value'->>'feed' as feed from actors where id = ${id}`)[0]).toMatchObject({ feed: 'live' });
});

test('the emergency halt pauses every active agent of the organization and increases the epoch', async () => {
  const ids = await Promise.all([created(), created(), created()]);
  await commands.pause(context(), ids[0] as string);
  const first = await commands.emergencyHalt(context());
  if (!first.ok) throw new Error(first.refusal.detail);
  expect(first.value.paused).toEqual(expect.arrayContaining(ids.slice(1)));
  expect(first.value.paused).not.toContain(ids[0]);
  expect(await sql`select 1 from agents where org_id = ${ORG} and pause_cause is null`).toHaveLength(0);
  const second = await commands.emergencyHalt(context());
  expect(second).toMatchObject({ ok: true, value: { paused: [], epoch: first.value.epoch + 1 } });
});

test('an answer is stored in the same transaction; the same key twice at once has one effect', async () => {
  const remember = {
    route: 'POST /v1/agents',
    key: 'k1',
    requestHash: 'h',
    answer: (view: unknown) => ({ status: 201, body: JSON.stringify(view) }),
  };
  const before = (await sql`select count(*) as n from agents`)[0]?.['n'];
  const outcomes = await Promise.all([1, 2, 3].map(() => commands.create({ ...context(), remember }, sampleManifest({ name: 'once' }))));
  expect(outcomes.filter(({ ok }) => ok)).toHaveLength(1);
  expect(outcomes.filter((outcome) => !outcome.ok && outcome.refusal.code === 'idempotency_in_flight')).toHaveLength(2);
  expect((await sql`select count(*) as n from agents`)[0]?.['n']).toBe(Number(before) + 1);
});
