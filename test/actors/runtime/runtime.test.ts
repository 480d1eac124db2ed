// The durable runtime keeps its promises on both of its stores: the real PostgreSQL one and the one in memory.
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startActivities } from '../../../actors/runtime/activities.ts';
import type { ActorStore } from '../../../actors/runtime/actor-store.ts';
import { createDirectory } from '../../../actors/runtime/directory.ts';
import { createMemoryStore } from '../../../actors/runtime/memory-store.ts';
import { createRuntime, type Runtime } from '../../../actors/runtime/runtime.ts';
import { startTimers } from '../../../actors/runtime/timers.ts';
import { createActorStore } from '../../../src/adapters/store/actors/actor-store.ts';
import { openDatabase, type Sql } from '../../../src/adapters/store/database.ts';
import { uuidV7 } from '../../../src/domain/ids.ts';
import { createVirtualClock } from '../../../streams/virtual-clock.ts';
import { testDatabase } from '../../harness/postgres.ts';
import { lampKind } from './lamp.ts';

const ORG = '00000000-0000-7000-8000-000000000001';
const START = 1_790_000_000_000;
let made = 0;
const newId = (): string => uuidV7(START, Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 0, ++made >> 8, made & 255));

/** A clock by which no daemon looks by itself: the tests say when. */
const idle = (clock: { now(): number }) => ({ now: () => clock.now(), deadline: () => () => {} });

describe.each(['memory', 'postgres'] as const)('on the %s store', (where) => {
  let sql: Sql | null = null;
  let store: ActorStore;
  let clock: ReturnType<typeof createVirtualClock>;
  let runtime: Runtime;
  const errors: unknown[] = [];

  beforeAll(async () => {
    clock = createVirtualClock(START);
    if (where === 'memory') store = createMemoryStore();
    else {
      sql = openDatabase({ url: await testDatabase(), name: 'test' });
      await sql`insert into organizations (id, name) values (${ORG}, 'ours')`;
      store = createActorStore(sql);
    }
    runtime = createRuntime({ store, directory: createDirectory([lampKind]), clock });
  });
  afterAll(async () => {
    await sql?.end();
  });

  const lamp = async (presses = 0): Promise<string> => {
    const id = newId();
    await runtime.start('lamp', id, ORG, { presses }, { cause: 'test' });
    return id;
  };
  const state = async (id: string) => (await store.load([id])).get(id);

  test('a step is committed with its next version, and the world hears of it only then', async () => {
    const id = await lamp();
    const outcome = await runtime.deliver(id, { type: 'press', by: 'ann' }, { cause: 'test' });
    expect(outcome).toMatchObject({ ok: true, value: { version: 2 } });
    expect(await state(id)).toMatchObject({ version: 2, state: { value: 'lit', context: { presses: 1, bill: null } } });
  });

  test('a refusal, by validation or because the state has no such transition, changes nothing', async () => {
    const id = await lamp();
    expect(await runtime.deliver(id, { type: 'press', by: 'nobody' }, { cause: 'test' })).toMatchObject({
      ok: false,
      refusal: { code: 'permission_missing' },
    });
    expect(await runtime.deliver(id, { type: 'sing' }, { cause: 'test' })).toMatchObject({
      ok: false,
      refusal: { code: 'state_conflict' },
    });
    expect(await state(id)).toMatchObject({ version: 1 });
  });

  test('a foreign actor answers as a missing one', async () => {
    const id = await lamp();
    const foreign = await runtime.deliver(id, { type: 'press', by: 'ann' }, { cause: 'test', orgId: newId() });
    expect(foreign).toEqual(await runtime.deliver(newId(), { type: 'press', by: 'ann' }, { cause: 'test', orgId: ORG }));
  });

  test('twenty writers at once: every event counts once', async () => {
    const id = await lamp();
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => runtime.deliver(id, { type: 'count' }, { cause: 'test' })));
    const done = outcomes.filter(({ ok }) => ok).length;
    expect(done).toBeGreaterThanOrEqual(11);
    expect(await state(id)).toMatchObject({ version: 1 + done, state: { context: { presses: done } } });
  });

  test('an `after` of the chart is a durable timer: it fires when due, once, and a left state takes it away', async () => {
    const id = await lamp();
    await runtime.deliver(id, { type: 'press', by: 'ann' }, { cause: 'test' });
    const timers = startTimers({ store, runtime, clock: idle(clock), onError: (error) => errors.push(error) });
    clock.advanceTo(clock.now() + 4_900);
    await timers.fireDue();
    expect(await state(id)).toMatchObject({ state: { value: 'lit' } });
    clock.advanceTo(clock.now() + 100);
    await timers.fireDue();
    await timers.fireDue();
    expect(await state(id)).toMatchObject({ version: 3, state: { value: 'dark' } });
    await runtime.deliver(id, { type: 'press', by: 'ann' }, { cause: 'test' });
    await runtime.deliver(id, { type: 'press', by: 'ann' }, { cause: 'test' });
    clock.advanceTo(clock.now() + 60_000);
    await timers.fireDue();
    expect(await state(id)).toMatchObject({ version: 5, state: { value: 'dark' } });
    await timers.stop();
    expect(errors).toEqual([]);
  });

  test('two processes that fire the same timer cause one step', async () => {
    const id = await lamp();
    await runtime.deliver(id, { type: 'press', by: 'ann' }, { cause: 'test' });
    clock.advanceTo(clock.now() + 5_000);
    const both = [1, 2].map(() => startTimers({ store, runtime, clock: idle(clock), onError: (error) => errors.push(error) }));
    await Promise.all(both.map((timers) => timers.fireDue()));
    expect(await state(id)).toMatchObject({ version: 3, state: { value: 'dark' } });
    for (const timers of both) await timers.stop();
    expect(errors).toEqual([]);
  });

  test('an activity is carried out after the commit, again until it is answered, always under the same key; the answer is an event', async () => {
    const id = await lamp();
    await runtime.deliver(id, { type: 'press', by: 'ann' }, { cause: 'test' });
    const keys: string[] = [];
    const failures: unknown[] = [];
    const activities = startActivities({
      store,
      runtime,
      clock: idle(clock),
      workers: {
        bill: async ({ presses }, key) => {
          if (key.startsWith(id)) keys.push(key);
          if (key.startsWith(id) && keys.length < 3) throw new Error('the line was busy');
          return `${String(presses)} presses`;
        },
      },
      onError: (error) => failures.push(error),
    });
    for (let round = 0; round < 4; round++) {
      await activities.carryDue();
      clock.advanceTo(clock.now() + 60_000);
    }
    await activities.stop();
    expect(keys).toEqual([`${id}:2:0`, `${id}:2:0`, `${id}:2:0`]);
    expect(await state(id)).toMatchObject({ state: { context: { bill: '1 presses' } } });
  });

  test('an activity waits for a process that carries its kind: others do not use up its attempts', async () => {
    const id = await lamp();
    await runtime.deliver(id, { type: 'press', by: 'ann' }, { cause: 'test' });
    const failures: unknown[] = [];
    const parts = { store, runtime, clock: idle(clock), onError: (error: unknown) => failures.push(error) };
    const others = startActivities({ ...parts, workers: { letter: async () => 'posted' } });
    for (let round = 0; round < 12; round++) {
      clock.advanceTo(clock.now() + 400_000);
      expect(await others.carryDue()).toBe(0);
    }
    await others.stop();
    const billing = startActivities({ ...parts, workers: { bill: async () => 'paid at once' } });
    await billing.carryDue();
    await billing.stop();
    expect(await state(id)).toMatchObject({ state: { context: { bill: 'paid at once' } } });
    expect(failures).toEqual([]);
  });

  test('an activity that never succeeds is given up, and the actor hears of it', async () => {
    const id = await lamp();
    await runtime.deliver(id, { type: 'press', by: 'ann' }, { cause: 'test' });
    const activities = startActivities({
      store,
      runtime,
      clock: idle(clock),
      workers: { bill: () => Promise.reject(new Error('no such number')) },
      onError: () => {},
    });
    for (let round = 0; round < 11; round++) {
      clock.advanceTo(clock.now() + 400_000);
      await activities.carryDue();
    }
    await activities.stop();
    expect(await state(id)).toMatchObject({ state: { context: { bill: 'none: no such number' } } });
  });

  test('a step that throws keeps the last good state, harms nobody else, and is an incident', async () => {
    const [broken, other] = [await lamp(), await lamp()];
    const outcomes = await runtime.deliverMany([broken, other], { type: 'break' }, { cause: 'test' });
    expect(outcomes.get(broken)).toMatchObject({ ok: false, refusal: { code: 'unavailable' } });
    expect(await state(broken)).toMatchObject({ version: 1, status: 'running', state: { value: 'dark' } });
    expect(await runtime.deliver(broken, { type: 'press', by: 'ann' }, { cause: 'test' })).toMatchObject({ ok: true });
    expect(await runtime.deliver(other, { type: 'poison' }, { cause: 'test' })).toMatchObject({
      ok: false,
      refusal: { code: 'unavailable' },
    });
    expect(await state(other)).toMatchObject({ version: 1 });
  });

  test('what a feed causes and throws puts the actor into quarantine, where it takes nothing', async () => {
    const id = await lamp();
    await runtime.deliverMany([id], { type: 'break' }, { cause: 'feed' });
    expect(await state(id)).toMatchObject({ status: 'quarantined', state: { value: 'dark' } });
    expect(await runtime.deliver(id, { type: 'press', by: 'ann' }, { cause: 'test' })).toMatchObject({
      ok: false,
      refusal: { code: 'state_conflict' },
    });
  });

  test('a state of an older machine is migrated by its next step; one that nothing fits is quarantined, and nothing crashes', async () => {
    const [old, strange, unknown] = [newId(), newId(), newId()];
    const plan = (value: string, context: Record<string, number>) => ({
      state: { value, context, status: 'active' as const },
      records: [],
      timers: [],
      activities: [],
      announcements: [],
    });
    const start = (id: string, machine: string, p: ReturnType<typeof plan>) =>
      store.start({ id, orgId: ORG, kind: 'lamp', machine, at: START, input: {}, plan: p, also: [], cause: 'test', tickPeriodMs: null });
    await start(old, 'lamp@1', plan('on', { times: 7 }));
    await start(strange, 'lamp@2', plan('glowing', { presses: 1 }));
    await start(unknown, 'lamp@0', plan('dark', { presses: 1 }));
    expect(await runtime.deliver(old, { type: 'press', by: 'ann' }, { cause: 'test' })).toMatchObject({ ok: true });
    expect(await state(old)).toMatchObject({ machine: 'lamp@2', state: { value: 'dark', context: { presses: 7 } } });
    for (const id of [strange, unknown]) {
      expect(await runtime.deliver(id, { type: 'press', by: 'ann' }, { cause: 'test' })).toMatchObject({ ok: false });
      expect(await state(id)).toMatchObject({ status: 'quarantined' });
    }
  });
});

test('from any state, through rest and back, a machine goes on as if it had never rested', async () => {
  const event = fc.constantFrom({ type: 'press', by: 'ann' }, { type: 'count' }, { type: 'sing' });
  await fc.assert(
    fc.asyncProperty(fc.array(event, { maxLength: 12 }), async (events) => {
      const clock = createVirtualClock(START);
      const ids = [newId(), newId()] as const;
      const stores = [createMemoryStore(), createMemoryStore()];
      const runtimes = stores.map((store) => createRuntime({ store, directory: createDirectory([lampKind]), clock }));
      for (const [index, runtime] of runtimes.entries()) {
        await runtime.start('lamp', ids[index] as string, ORG, {}, { cause: 'test' });
        for (const sent of events) {
          // The second one's runtime is made anew before every event: nothing lives outside of the store.
          const now =
            index === 0 ? runtime : createRuntime({ store: stores[1] as ActorStore, directory: createDirectory([lampKind]), clock });
          await now.deliver(ids[index] as string, sent, { cause: 'test' });
        }
      }
      const [first, second] = stores.map((store, index) => store.actors.get(ids[index] as string)?.state);
      expect(first).toEqual(second);
    }),
    { numRuns: 60 },
  );
});
