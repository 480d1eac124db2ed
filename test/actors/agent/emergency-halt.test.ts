// A halt answers once its epoch is durable, however many agents there are; none begins anything until all of them are paused.
import { beforeEach, expect, test } from 'vitest';
import { createCommandHandler } from '../../../actors/agent/command-handler.ts';
import { createEmergencyHalt } from '../../../actors/agent/emergency-halt.ts';
import type { Runtime } from '../../../actors/runtime/runtime.ts';
import { readPermitFacts } from '../../../src/adapters/store/actors/actor-records.ts';
import { createAgentDirectory } from '../../../src/adapters/store/agents/agent-directory.ts';
import { openDatabase, type Sql } from '../../../src/adapters/store/database.ts';
import { supersededBy } from '../../../src/domain/execution.ts';
import { createLiveClock } from '../../../streams/live-clock.ts';
import { testDatabase } from '../../harness/postgres.ts';
import { waitFor } from '../../harness/wait-for.ts';
import { actorsOn } from '../../world/actor-world.ts';
import { sampleManifest } from './sample.ts';

const ORG = '00000000-0000-7000-8000-000000000001';
const AGENTS = 3_000;
const clock = createLiveClock();
const context = { orgId: ORG, subject: 'ann', permissions: ['trade:execute', 'risk:manage'], requestId: 'r' } as const;
let sql: Sql;
let runtime: Runtime;

beforeEach(async () => {
  sql = openDatabase({ url: await testDatabase(), name: 'test' });
  await sql`insert into organizations (id, name) values (${ORG}, 'ours')`;
  const actors = actorsOn(sql, clock);
  runtime = actors.runtime;
  await actors.commands.create(context, sampleManifest());
  await sql`insert into actors (id, org_id, kind, machine, version, snapshot, status, tick_period_ms, tick_from)
    select gen_random_uuid(), org_id, kind, machine, 1, snapshot, status, tick_period_ms, tick_from from actors cross join generate_series(2, ${AGENTS})`;
  await sql`insert into manifests (agent_id, version, hash, canonical, created_by)
    select a.id, 1, m.hash, m.canonical, 'ann' from actors a cross join (select * from manifests limit 1) m where a.id <> m.agent_id`;
  await sql`insert into agents (id, org_id, name, stage, autonomy, manifest_version, manifest_hash, created_by)
    select a.id, a.org_id, 'copy', 'draft', 'research', 1, m.hash, 'ann' from actors a join manifests m on m.agent_id = a.id where not exists (select 1 from agents g where g.id = a.id)`;
  return () => sql.end();
});

const unpaused = async (): Promise<number> =>
  (await sql<{ count: number }[]>`select count(*) as count from agents where pause_cause is null`)[0]?.count as number;

test('three thousand agents: the answer comes before they are paused, and meanwhile nobody has a permit', async () => {
  // Every batch waits for the test: the halt has to answer without them.
  let go = (): void => {};
  const held = new Promise<void>((resolve) => {
    go = resolve;
  });
  const slow: Runtime = {
    ...runtime,
    deliverMany: async (...parameters) => {
      await held;
      return runtime.deliverMany(...parameters);
    },
  };
  const commands = createCommandHandler({ runtime: slow, agents: createAgentDirectory(sql), clock, newId: () => 'unused' });
  const answered = await commands.emergencyHalt(context);
  expect(answered).toMatchObject({ ok: true, value: { epoch: 1, pausing: AGENTS, paused: [] } });
  expect(await unpaused()).toBe(AGENTS);
  expect(await sql`select count(*) as count from audit where action = 'agents.emergency_halt'`).toEqual([{ count: 1 }]);
  const [agent] = await sql<{ id: string; manifest_hash: string }[]>`select id, manifest_hash from agents limit 1`;
  const { id, manifest_hash: manifestHash } = agent as { id: string; manifest_hash: string };
  const permit = { epoch: 1, manifestHash, mode: 'paper', reduceOnly: true, byItself: true } as const;
  const reason = async () => supersededBy(permit, (await sql.begin((transaction) => readPermitFacts(transaction, [id]))).get(id) as never);
  // Though the epoch is the new one and the agent is not paused yet.
  expect(await reason()).toBe('halted');
  go();
  await waitFor(async () => (await unpaused()) === 0, { what: 'all agents paused', deadlineMs: 60_000 });
  await waitFor(async () => (await sql`select 1 from control where swept_epoch = epoch`).length > 0, { what: 'the halt to be over' });
  expect(await reason()).toBe('paused');
  const told = await sql<{ body: { paused: number; of: number } }[]>`
    select body from announcements where channel = 'alerts' and body->>'what' = 'emergency_halt' order by xid, seq`;
  expect(told.at(-1)?.body).toMatchObject({ paused: AGENTS, of: AGENTS });
  expect(told.length).toBe(AGENTS / 500);
});

test('a halt whose process died is gone on with by another, and not before', async () => {
  const store = createAgentDirectory(sql);
  await store.beginHalt(ORG, []);
  const worker = createEmergencyHalt({ runtime, store, clock });
  expect(await worker.sweepAbandoned()).toBe(0);
  await sql`update control set sweeping_until = clock_timestamp() - interval '1 second'`;
  expect(await worker.sweepAbandoned()).toBe(1);
  expect(await unpaused()).toBe(0);
  expect(await worker.sweepAbandoned()).toBe(0);
});
