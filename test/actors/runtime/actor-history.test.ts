// Any moment of a long history is rebuilt exactly from the preceding checkpoint. actor-history.proof.test.ts does it over 100,000 steps.
import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { agentKind } from '../../../actors/agent/effects.ts';
import {
  CHECKPOINT_STEPS,
  createActorHistory,
  foldSteps,
  type StoredStep,
  writeCheckpoints,
} from '../../../actors/runtime/actor-history.ts';
import { createDirectory } from '../../../actors/runtime/directory.ts';
import { eventStep, restore, startStep } from '../../../actors/runtime/step.ts';
import { createHistoryStore } from '../../../src/adapters/store/actors/history-store.ts';
import { openDatabase, type Sql } from '../../../src/adapters/store/database.ts';
import type { ActorState } from '../../../src/domain/agents/actor-step.ts';
import { testDatabase } from '../../harness/postgres.ts';
import { eachRow } from '../../../actors/runtime/containment.ts';

const ORG = '00000000-0000-7000-8000-000000000001';
const ID = '00000000-0000-7000-8000-00000000000a';
const INPUT = { autonomy: 'research', manifestVersion: 1, manifestHash: 'a'.repeat(64) };
const STEPS = 4_000;
/** Cycle of eight events that ends in its initial state, so that its states are known without folding. */
const CYCLE = [
  { type: 'feed.degraded', venue: 'spotchain' },
  { type: 'pause', cause: 'operator' },
  { type: 'feed.restored', venue: 'spotchain' },
  { type: 'autonomy.set', autonomy: 'confirm' },
  { type: 'resume', subject: 'ann', createdBy: 'bob', at: 0 },
  { type: 'autonomy.set', autonomy: 'suggest' },
  { type: 'feed.degraded', venue: 'reference' },
  { type: 'feed.restored', venue: 'reference' },
];
const directory = createDirectory([agentKind]);
const subject = { actorId: ID, orgId: ORG, now: 0 };
let sql: Sql;
/** States after each step of the first cycle, and of every later one. */
const expected: ActorState[] = [];

const stateAfter = (version: number): ActorState =>
  expected[version <= CYCLE.length + 1 ? version - 1 : 1 + CYCLE.length + ((version - 2) % CYCLE.length)] as ActorState;

beforeAll(async () => {
  sql = openDatabase({ url: await testDatabase(), name: 'test' });
  let state = startStep(agentKind, subject, INPUT).state;
  expected.push(state);
  for (let i = 0; i < CYCLE.length * 2; i++) {
    state = eventStep(agentKind, subject, restore(agentKind.machine, state), CYCLE[i % CYCLE.length] as never).state;
    expected.push(state);
  }
  await sql`insert into organizations (id, name) values (${ORG}, 'ours')`;
  await sql`
    insert into actors (id, org_id, kind, machine, version, snapshot, status)
    values (${ID}, ${ORG}, 'agent', 'agent@1', ${STEPS}, ${sql.json(stateAfter(STEPS) as never)}, 'running')`;
  const values = Array.from({ length: CYCLE.length }, (_, index) => stateAfter(2 + CYCLE.length + index).value);
  await sql`
    insert into steps (actor_id, version, at, machine, event, from_value, to_value, cause)
    values (${ID}, 1, 1000, 'agent@1', ${sql.json({ type: 'started', input: INPUT } as never)}, null, ${sql.json(expected[0]?.value as never)}, 'test')`;
  await sql`
    insert into steps (actor_id, version, at, machine, event, from_value, to_value, cause)
    select ${ID}, n, n * 1000, 'agent@1', (${sql.json(CYCLE as never)}::jsonb) -> ((n - 2) % ${CYCLE.length})::int, 'null',
      case when n <= ${CYCLE.length + 1} then (${sql.json(expected.slice(1, CYCLE.length + 1).map(({ value }) => value) as never)}::jsonb) -> (n - 2)::int
        else (${sql.json(values as never)}::jsonb) -> ((n - 2) % ${CYCLE.length})::int end, 'test'
    from generate_series(2, ${STEPS}) as n`;
  return () => sql.end();
});

test('every moment is rebuilt exactly, reading no more steps than lie between two checkpoints', async () => {
  const store = createHistoryStore(sql);
  const errors: unknown[] = [];
  while ((await writeCheckpoints({ store, directory, contained: eachRow((error) => errors.push(error)) })) > 0 && errors.length === 0);
  expect(errors).toEqual([]);
  const [written] = await sql`select count(*) as count, max(version) as last from actor_checkpoints`;
  expect(written).toEqual({ count: Math.floor(STEPS / CHECKPOINT_STEPS), last: STEPS - (STEPS % CHECKPOINT_STEPS) });
  let read = 0;
  const counting = {
    ...store,
    async steps(actorId: string, from: number, to: number) {
      const steps = await store.steps(actorId, from, to);
      read += steps.length;
      return steps;
    },
  };
  const history = createActorHistory({ store: counting, directory });
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: STEPS }), async (version) => {
      read = 0;
      const past = await history.stateAt(ORG, 'agent', ID, { at: version * 1_000 + 999 });
      expect(past).toMatchObject({ ok: true, value: { version, state: stateAfter(version) } });
      expect(read).toBe(version % CHECKPOINT_STEPS);
    }),
    { numRuns: 40 },
  );
});

test('before its first step, and for another organization, there is nothing', async () => {
  const history = createActorHistory({ store: createHistoryStore(sql), directory });
  expect(await history.stateAt(ORG, 'agent', ID, { at: 999 })).toMatchObject({ ok: false, refusal: { code: 'not_found' } });
  expect(await history.stateAt('00000000-0000-7000-8000-000000000002', 'agent', ID, { version: 5 })).toMatchObject({ ok: false });
});

test('a step with another result than recorded is reported, and steps under earlier names lead where they led', () => {
  const agent = { id: ID, orgId: ORG, kind: 'agent' };
  const step = (version: number, event: object, to: ActorState): StoredStep => ({
    version,
    at: version,
    machine: 'agent@1',
    event: event as never,
    to: to.value,
  });
  const start = step(1, { type: 'started', input: INPUT }, expected[0] as ActorState);
  expect(() =>
    foldSteps(directory, agent, null, [start, step(2, { type: 'pause', cause: 'operator' }, expected[0] as ActorState)]),
  ).toThrow(/step 2/);
  expect(foldSteps(directory, agent, null, [start])).toMatchObject({ version: 1, state: expected[0] });
});
