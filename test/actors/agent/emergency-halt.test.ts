// A halt answers once its epoch is durable, however many agents there are. No agent starts anything until all are paused.
import { beforeEach, expect, test } from 'vitest';
import { createCommandHandler } from '../../../actors/agent/commands.ts';
import { createEmergencyHalt } from '../../../actors/agent/emergency-halt.ts';
import type { Runtime } from '../../../actors/runtime/runtime.ts';
import { readPermitFacts } from '../../../src/adapters/store/actors/actor-records.ts';
import { createAgentDirectory } from '../../../src/adapters/store/agents/agent-directory.ts';
import { openDatabase, type Sql } from '../../../src/adapters/store/database.ts';
import { supersededBy } from '../../../src/domain/orders/execution.ts';
import { createLiveClock } from '../../../streams/clock/live-clock.ts';
import { testDatabase } from '../../harness/postgres.ts';
import { waitFor } from '../../harness/wait-for.ts';
import { actorsOn } from '../../world/actor-world.ts';
import { copyAgent } from './many-agents.ts';
import { sampleManifest } from './sample.ts';
import { contained } from '../../harness/contained.ts';

const ORG = '00000000-0000-7000-8000-000000000001';
const AGENTS = 1_000;
const clock = createLiveClock();
const context = { orgId: ORG, subject: 'ann', permissions: ['trade:execute', 'risk:manage'], requestId: 'r' } as const;
let sql: Sql;
let runtime: Runtime;

beforeEach(async () => {
  const url = await testDatabase();
  sql = openDatabase({ url, name: 'test' });
  await sql`insert into organizations (id, name) values (${ORG}, 'ours')`;
  const actors = actorsOn(sql, clock);
  runtime = actors.runtime;
  await actors.commands.create(context, sampleManifest());
  const owner = openDatabase({ url, role: null, connections: 1, name: 'test owner' });
  await copyAgent(owner, AGENTS);
  await owner.end();
  return () => sql.end();
});

const unpaused = async (): Promise<number> =>
  (await sql<{ count: number }[]>`select count(*) as count from agents where pause_cause is null`)[0]?.count as number;

test('many agents: the halt answers before they are paused, and meanwhile no agent has a permit', async () => {
  // Every batch waits for the test: the halt must answer without them.
  let go = (): void => {};
  const held = new Promise<void>((resolve) => {
    go = resolve;
  });
  let delivered = 0;
  const slow: Runtime = {
    ...runtime,
    deliverMany: async (...parameters) => {
      await held;
      delivered += parameters[0].length;
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
  const permit = { manifestHash, mode: 'paper', reduceOnly: true, byItself: true } as const;
  const reason = async (epoch: number) =>
    supersededBy({ ...permit, epoch }, (await sql.begin((transaction) => readPermitFacts(transaction, [id]))).get(id) as never);
  // The epoch is new, and the agent is not paused yet.
  expect(await reason(1)).toBe('halted');
  // Halts in the meantime are durable too, and the running sweep covers them: no agent is paused again for each.
  for (let epoch = 2; epoch <= 6; epoch++)
    expect(await commands.emergencyHalt(context)).toMatchObject({ ok: true, value: { epoch, pausing: AGENTS } });
  go();
  await waitFor(async () => (await unpaused()) === 0, { what: 'all agents paused', deadlineMs: 60_000 });
  await waitFor(async () => (await sql`select 1 from control where swept_epoch = epoch`).length > 0, { what: 'the halt to be over' });
  expect(delivered).toBe(AGENTS);
  expect(await reason(6)).toBe('paused');
  const told = await sql<{ body: { paused: number; of: number } }[]>`
    select body from announcements where channel = 'alerts' and body->>'what' = 'emergency_halt' order by xid, seq`;
  expect(told.at(-1)?.body).toMatchObject({ paused: AGENTS, of: AGENTS });
  expect(told.length).toBe(AGENTS / 500);
});

test('an agent that is resumed during one halt is paused by the next, and is in the audit of that one', async () => {
  const resumed = (await sql<{ id: string }[]>`select id from agents order by id limit 1`)[0]?.id as string;
  const store = createAgentDirectory(sql);
  const handlers = actorsOn(sql, clock).commands;
  const second: Promise<unknown>[] = [];
  const meanwhile: Runtime = {
    ...runtime,
    deliverMany: async (ids, ...rest) => {
      const outcomes = await runtime.deliverMany(ids, ...rest);
      if (ids.includes(resumed) && second.length === 0) {
        expect((await handlers.resume({ ...context, subject: 'risk' }, resumed)).ok).toBe(true);
        second.push(halts.halt(ORG, { subject: 'bob', requestId: 'r2' }, []));
        // The epoch is durable, so the running sweep sees it.
        await waitFor(async () => (await sql`select 1 from control where epoch = 2`).length > 0, { what: 'the second halt' });
      }
      return outcomes;
    },
  };
  const halts = createEmergencyHalt({ runtime: meanwhile, store, clock });
  await halts.halt(ORG, { subject: 'ann', requestId: 'r1' }, [], 'done');
  await Promise.all(second);
  await waitFor(async () => (await sql`select 1 from control where swept_epoch = 2`).length > 0, { what: 'both halts to be over' });
  expect(await unpaused()).toBe(0);
  const causes = await sql<{ cause: string }[]>`
    select cause from steps where actor_id = ${resumed} and event->>'type' = 'pause' order by version`;
  expect(causes.map(({ cause }) => cause)).toEqual(['ann r1', 'bob r2']);
});

test('a halt whose process died is continued by another one, and not before', async () => {
  const store = createAgentDirectory(sql);
  await store.beginHalt(ORG, { subject: 'ann', requestId: 'r1', reason: 'prices look wrong' }, []);
  const worker = createEmergencyHalt({ runtime, store, clock });
  expect(await worker.sweepAbandoned(contained)).toBe(0);
  await sql`update control set sweeping_until = clock_timestamp() - interval '1 second'`;
  expect(await worker.sweepAbandoned(contained)).toBe(1);
  expect(await unpaused()).toBe(0);
  expect(await worker.sweepAbandoned(contained)).toBe(0);
});
