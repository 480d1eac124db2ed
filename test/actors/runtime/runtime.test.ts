// The durable runtime keeps its promises on both stores: PostgreSQL and memory.
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { assign, setup } from 'xstate';
import { startActivities } from '../../../actors/runtime/activities.ts';
import type { ActorKind } from '../../../actors/runtime/actor-kind.ts';
import type { ActorStore } from '../../../actors/runtime/actor-store.ts';
import { createDirectory } from '../../../actors/runtime/directory.ts';
import { createMemoryStore } from '../../../actors/runtime/memory-store.ts';
import { createRuntime, type Runtime } from '../../../actors/runtime/runtime.ts';
import { eventStep, restore, startStep } from '../../../actors/runtime/step.ts';
import { startTimers } from '../../../actors/runtime/timers.ts';
import { createActorStore } from '../../../src/adapters/store/actors/actor-store.ts';
import { shareCommits } from '../../../src/adapters/store/actors/shared-commits.ts';
import { openDatabase, type Sql } from '../../../src/adapters/store/database.ts';
import { uuidV7 } from '../../../src/domain/values/ids.ts';
import { createVirtualClock } from '../../../streams/clock/virtual-clock.ts';
import { testDatabase } from '../../harness/postgres.ts';
import { lampKind } from './lamp.ts';
import { eachRow } from '../../../actors/runtime/containment.ts';
import { latch } from '../../harness/latch.ts';

const ORG = '00000000-0000-7000-8000-000000000001';
const START = 1_790_000_000_000;
let made = 0;
const newId = (): string => uuidV7(START, Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 0, ++made >> 8, made & 255));

/** Returns a clock whose timers never fire: the tests trigger the work. */
const idle = (clock: { now(): number }) => ({ now: () => clock.now(), deadline: () => () => {} });

describe.each(['memory', 'memory of the present', 'postgres'] as const)('on the %s store', (where) => {
  let sql: Sql | null = null;
  let store: ActorStore;
  let clock: ReturnType<typeof createVirtualClock>;
  let runtime: Runtime;
  const errors: unknown[] = [];

  beforeAll(async () => {
    clock = createVirtualClock(START);
    if (where === 'memory') store = createMemoryStore();
    else if (where === 'memory of the present') store = createMemoryStore({ onRecord: () => {} });
    else {
      sql = openDatabase({ url: await testDatabase(), name: 'test' });
      await sql`insert into organizations (id, name) values (${ORG}, 'ours')`;
      // As in the service: steps of one moment share a transaction.
      store = shareCommits(createActorStore(sql));
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

  test('a step is committed with its next version, and announced only afterwards', async () => {
    const id = await lamp();
    const outcome = await runtime.deliver(id, { type: 'press', by: 'ann' }, { cause: 'test' });
    expect(outcome).toMatchObject({ ok: true, value: { version: 2 } });
    expect(await state(id)).toMatchObject({ version: 2, state: { value: 'lit', context: { presses: 1, bill: null } } });
  });

  test('actors started together are all started, or none is', async () => {
    const ids = [newId(), newId(), newId()];
    const starts = ids.map((id) => runtime.prepare('lamp', id, ORG, { presses: 3 }, { cause: 'test' }));
    const [first, second, third] = starts as [(typeof starts)[0], (typeof starts)[0], (typeof starts)[0]];
    await runtime.begin([first]);
    await expect(runtime.begin([second, first, third])).rejects.toThrow();
    await expect(runtime.begin([second, second])).rejects.toThrow();
    expect((await store.load(ids)).size).toBe(1);
    await runtime.begin([second, third]);
    for (const id of ids) expect(await state(id)).toMatchObject({ version: 1, state: { value: 'dark', context: { presses: 3 } } });
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

  test('an actor of another organization is not found', async () => {
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

  test('an `after` of the chart is a durable timer: it fires once when due, and leaving the state cancels it', async () => {
    const id = await lamp();
    await runtime.deliver(id, { type: 'press', by: 'ann' }, { cause: 'test' });
    const timers = startTimers({
      contained: eachRow((error) => errors.push(error)),
      store,
      runtime,
      clock: idle(clock),
      onError: (error) => errors.push(error),
    });
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
    const both = [1, 2].map(() =>
      startTimers({
        contained: eachRow((error) => errors.push(error)),
        store,
        runtime,
        clock: idle(clock),
        onError: (error) => errors.push(error),
      }),
    );
    await Promise.all(both.map((timers) => timers.fireDue()));
    expect(await state(id)).toMatchObject({ version: 3, state: { value: 'dark' } });
    for (const timers of both) await timers.stop();
    expect(errors).toEqual([]);
  });

  test('an activity runs after the commit, repeatedly until it is answered, always under the same key; the answer is an event', async () => {
    const id = await lamp();
    await runtime.deliver(id, { type: 'press', by: 'ann' }, { cause: 'test' });
    const keys: string[] = [];
    const failures: unknown[] = [];
    const activities = startActivities({
      contained: eachRow((error) => failures.push(error)),
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

  test('an activity waits for a process that supports its kind: others do not use up its attempts', async () => {
    const id = await lamp();
    await runtime.deliver(id, { type: 'press', by: 'ann' }, { cause: 'test' });
    const failures: unknown[] = [];
    const parts = { store, runtime, clock: idle(clock), onError: (error: unknown) => failures.push(error) };
    const others = startActivities({
      contained: eachRow((error) => {
        throw error;
      }),
      ...parts,
      workers: { letter: async () => 'posted' },
    });
    for (let round = 0; round < 12; round++) {
      clock.advanceTo(clock.now() + 400_000);
      expect(await others.carryDue()).toBe(0);
    }
    await others.stop();
    const billing = startActivities({
      contained: eachRow((error) => {
        throw error;
      }),
      ...parts,
      workers: { bill: async () => 'paid at once' },
    });
    await billing.carryDue();
    await billing.stop();
    expect(await state(id)).toMatchObject({ state: { context: { bill: 'paid at once' } } });
    expect(failures).toEqual([]);
  });

  test('several events in one turn are as many steps of one commit; if one is not taken, none is', async () => {
    const id = await lamp();
    const turn = (...types: string[]) =>
      runtime.deliverInTurn(
        id,
        types.map((type) => ({ event: { type, by: 'ann' }, options: { cause: 'test' } })),
      );
    expect(await turn('count', 'press', 'count')).toMatchObject({ ok: true, value: { version: 4, plan: { state: { value: 'lit' } } } });
    expect(await state(id)).toMatchObject({ version: 4, state: { value: 'lit', context: { presses: 3 } } });
    // The second one would be taken only if the lamp were off.
    expect(await turn('count', 'break')).toMatchObject({ ok: false, refusal: { code: 'state_conflict' } });
    expect(await state(id)).toMatchObject({ version: 4, state: { context: { presses: 3 } } });
    // The timer is that of the second step: it fires as if the steps had come one by one.
    clock.advanceTo(clock.now() + 5_000);
    const timers = startTimers({
      contained: eachRow((error) => errors.push(error)),
      store,
      runtime,
      clock: idle(clock),
      onError: (error) => errors.push(error),
    });
    await timers.fireDue();
    await timers.stop();
    expect(await state(id)).toMatchObject({ version: 5, state: { value: 'dark' } });
    // A timer set by an earlier step of a turn and cancelled by a later one is not stored.
    expect(await turn('press', 'press')).toMatchObject({ ok: true, value: { version: 7 } });
    clock.advanceTo(clock.now() + 60_000);
    expect((await store.dueTimers(clock.now(), 1_000)).filter(({ actorId }) => actorId === id)).toEqual([]);
  });

  test('racing turns of one actor run one after the other, each complete', async () => {
    const id = await lamp();
    const turns = await Promise.all(
      Array.from({ length: 6 }, () =>
        runtime.deliverInTurn(id, [
          { event: { type: 'count' }, options: { cause: 'test' } },
          { event: { type: 'count' }, options: { cause: 'test' } },
        ]),
      ),
    );
    const done = turns.filter(({ ok }) => ok).length;
    expect(done).toBeGreaterThan(0);
    expect(await state(id)).toMatchObject({ version: 1 + 2 * done, state: { context: { presses: 2 * done } } });
  });

  test('a hanging activity delays no other, and at most 128 run at once', async () => {
    const ids: string[] = [];
    for (let index = 0; index < 200; index++) ids.push(await lamp());
    // More steps at once than share a transaction.
    expect([...(await runtime.deliverMany(ids, { type: 'count' }, { cause: 'test' })).values()].every(({ ok }) => ok)).toBe(true);
    await runtime.deliverMany(ids, { type: 'press', by: 'ann' }, { cause: 'test' });
    const ours = new Set(ids);
    const hanging = latch();
    let underWay = 0;
    let most = 0;
    let ended = 0;
    const activities = startActivities({
      contained: eachRow((error) => errors.push(error)),
      store,
      runtime,
      clock: idle(clock),
      workers: {
        bill: async (_, key) => {
          most = Math.max(most, ++underWay);
          await (key.startsWith(ids[0] as string) ? hanging.released : new Promise((done) => setImmediate(done)));
          underWay--;
          if (ours.has(key.split(':')[0] as string) && ++ended === ids.length - 1) hanging.release();
          return 'paid';
        },
      },
      onError: (error) => errors.push(error),
    });
    // Ends only if all others run while the first one hangs.
    await activities.carryDue();
    await activities.stop();
    expect(ended).toBe(ids.length);
    expect(most).toBeLessThanOrEqual(128);
  });

  test('a renewed activity is not taken by others, and an ended one stays ended', async () => {
    const id = await lamp();
    await runtime.deliver(id, { type: 'press', by: 'ann' }, { cause: 'test' });
    const key = `${id}:2:0`;
    const taken = async () => (await store.takeActivities(clock.now(), 5_000, 1_000, ['bill'])).filter((one) => one.key === key);
    expect(await taken()).toHaveLength(1);
    clock.advanceTo(clock.now() + 4_000);
    await store.renewActivities([key], clock.now() + 5_000);
    clock.advanceTo(clock.now() + 4_000);
    expect(await taken()).toEqual([]);
    clock.advanceTo(clock.now() + 1_000);
    expect(await taken()).toMatchObject([{ attempts: 2 }]);
    // A late renewal does not shorten the lease.
    await store.renewActivities([key], clock.now());
    expect(await taken()).toEqual([]);
    await store.giveUpActivity(key, null);
    await store.renewActivities([key], clock.now());
    clock.advanceTo(clock.now() + 400_000);
    expect(await taken()).toEqual([]);
  });

  test('an activity that never succeeds is given up, and its actor is notified', async () => {
    const id = await lamp();
    await runtime.deliver(id, { type: 'press', by: 'ann' }, { cause: 'test' });
    const activities = startActivities({
      contained: eachRow(() => {}),
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

  test('an activity that was given up is not carried out again, even if the worker is cut off right after its actor was told', async () => {
    const id = await lamp();
    await runtime.deliver(id, { type: 'press', by: 'ann' }, { cause: 'test' });
    let carried = 0;
    const activities = startActivities({
      contained: eachRow(() => {}),
      store: { ...store, giveUpActivity: () => Promise.reject(new Error('the worker was cut off')) },
      runtime,
      clock: idle(clock),
      workers: {
        bill: async (_, key) => {
          if (key.startsWith(id)) carried++;
          throw new Error('no such number');
        },
      },
      onError: () => {},
    });
    for (let round = 0; round < 15; round++) {
      clock.advanceTo(clock.now() + 400_000);
      await activities.carryDue();
    }
    await activities.stop();
    expect(await state(id)).toMatchObject({ state: { context: { bill: 'none: no such number' } } });
    expect(carried).toBe(10);
  });

  test('a step that throws keeps the last good state, affects no other actor, and is an incident', async () => {
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

  test('a feed event that throws puts the actor into quarantine, in which it takes nothing', async () => {
    const id = await lamp();
    await runtime.deliverMany([id], { type: 'break' }, { cause: 'feed' });
    expect(await state(id)).toMatchObject({ status: 'quarantined', state: { value: 'dark' } });
    expect(await runtime.deliver(id, { type: 'press', by: 'ann' }, { cause: 'test' })).toMatchObject({
      ok: false,
      refusal: { code: 'state_conflict' },
    });
  });

  describe('of a timer that was read as due, and is set anew before it fires', () => {
    const press = (id: string) => runtime.deliver(id, { type: 'press', by: 'ann' }, { cause: 'test' });

    /** Returns timers whose deliveries others precede, once, and follow. */
    function timersAmid(before: () => Promise<unknown>, after: () => Promise<unknown>) {
      const once = (act: () => Promise<unknown>) => {
        let done: Promise<unknown> | null = null;
        return () => (done ??= act());
      };
      const [first, last] = [once(before), once(after)];
      const amid = async <Value>(deliver: () => Promise<Value>): Promise<Value> => {
        await first();
        const outcome = await deliver();
        await last();
        return outcome;
      };
      return startTimers({
        contained: eachRow((error) => errors.push(error)),
        store,
        runtime: {
          deliver: (...given) => amid(() => runtime.deliver(...given)),
          deliverMany: (...given) => amid(() => runtime.deliverMany(...given)),
        },
        clock: idle(clock),
        onError: (error) => errors.push(error),
      });
    }

    test.each([
      ['fires at its new time (%i at once)', 1, true],
      ['fires at its new time (%i at once)', 2, true],
      ['is not dropped with the old one (%i at once)', 1, false],
      ['is not dropped with the old one (%i at once)', 2, false],
    ])('it %s', async (_, count, isSetBefore) => {
      const ids = await Promise.all(Array.from({ length: count }, () => lamp()));
      const pressed = () => Promise.all(ids.map(press));
      await pressed();
      clock.advanceTo(clock.now() + 5_000);
      // Off and on again: both before the delivery, or one before it and one after its refusal.
      const timers = isSetBefore
        ? timersAmid(
            () => pressed().then(pressed),
            async () => {},
          )
        : timersAmid(pressed, pressed);
      await timers.fireDue();
      for (const id of ids) expect(await state(id)).toMatchObject({ state: { value: 'lit' } });
      clock.advanceTo(clock.now() + 4_999);
      await timers.fireDue();
      for (const id of ids) expect(await state(id)).toMatchObject({ state: { value: 'lit' } });
      clock.advanceTo(clock.now() + 1);
      await timers.fireDue();
      for (const id of ids) expect(await state(id)).toMatchObject({ state: { value: 'dark' } });
      await timers.stop();
      expect(errors).toEqual([]);
    });
  });

  describe('of an actor that is quarantined while its work is under way', () => {
    const quarantined = (id: string) =>
      store.incident({ actorId: id, at: clock.now(), kind: 'quarantined', detail: 'for this test', event: null, quarantine: true });
    const released = (id: string) => runtime.deliver(id, { type: 'count' }, { cause: 'test', releases: true });
    const parts = (failures: unknown[]) => ({
      contained: eachRow((error) => failures.push(error)),
      store,
      clock: idle(clock),
      onError: (error: unknown) => failures.push(error),
    });

    test.each([1, 2])('a due timer (%i at once) fires after the release', async (count) => {
      const failures: unknown[] = [];
      const ids = await Promise.all(Array.from({ length: count }, () => lamp()));
      for (const id of ids) await runtime.deliver(id, { type: 'press', by: 'ann' }, { cause: 'test' });
      clock.advanceTo(clock.now() + 5_000);
      let isLate = false;
      /** Another process quarantines the actors after their timers were read as due. */
      const beaten = async (): Promise<void> => {
        if (isLate) return;
        isLate = true;
        for (const id of ids) await quarantined(id);
      };
      const timers = startTimers({
        ...parts(failures),
        runtime: {
          deliver: (...given) => beaten().then(() => runtime.deliver(...given)),
          deliverMany: (...given) => beaten().then(() => runtime.deliverMany(...given)),
        },
      });
      await timers.fireDue();
      clock.advanceTo(clock.now() + 86_400_000);
      await timers.fireDue();
      for (const id of ids) expect(await state(id)).toMatchObject({ status: 'quarantined', state: { value: 'lit' } });
      for (const id of ids) expect(await released(id)).toMatchObject({ ok: true });
      await timers.fireDue();
      for (const id of ids) expect(await state(id)).toMatchObject({ status: 'running', state: { value: 'dark' } });
      await timers.stop();
      expect(failures).toEqual([]);
    });

    test.each([1, 2])('a due timer (%i at once) fires after a release that comes between its refusal and its end', async (count) => {
      const failures: unknown[] = [];
      const ids = await Promise.all(Array.from({ length: count }, () => lamp()));
      for (const id of ids) await runtime.deliver(id, { type: 'press', by: 'ann' }, { cause: 'test' });
      clock.advanceTo(clock.now() + 5_000);
      let isOver = false;
      const amid = async <Value>(deliver: () => Promise<Value>): Promise<Value> => {
        if (isOver) return deliver();
        isOver = true;
        for (const id of ids) await quarantined(id);
        const outcome = await deliver();
        for (const id of ids) expect(await released(id)).toMatchObject({ ok: true });
        return outcome;
      };
      const timers = startTimers({
        ...parts(failures),
        runtime: {
          deliver: (...given) => amid(() => runtime.deliver(...given)),
          deliverMany: (...given) => amid(() => runtime.deliverMany(...given)),
        },
      });
      await timers.fireDue();
      await timers.fireDue();
      for (const id of ids) expect(await state(id)).toMatchObject({ status: 'running', state: { value: 'dark' } });
      await timers.stop();
      expect(failures).toEqual([]);
    });

    test('an activity is carried out again after a release that comes between its refusal and its end', async () => {
      const failures: unknown[] = [];
      const id = await lamp();
      await runtime.deliver(id, { type: 'press', by: 'ann' }, { cause: 'test' });
      let carried = 0;
      const activities = startActivities({
        ...parts(failures),
        runtime: {
          async deliver(actorId, ...given) {
            const outcome = await runtime.deliver(actorId, ...given);
            if (actorId === id && carried === 1) expect(await released(id)).toMatchObject({ ok: true });
            return outcome;
          },
        },
        workers: {
          bill: async (_, key) => {
            if (key.startsWith(id) && ++carried === 1) await quarantined(id);
            return `bill ${carried}`;
          },
        },
      });
      await activities.carryDue();
      clock.advanceTo(clock.now() + 86_400_000);
      await activities.carryDue();
      expect(await state(id)).toMatchObject({ status: 'running', state: { context: { bill: 'bill 2' } } });
      await activities.stop();
      expect(failures).toEqual([]);
    });

    test('an activity is carried out again after the release, and not before', async () => {
      const failures: unknown[] = [];
      const id = await lamp();
      await runtime.deliver(id, { type: 'press', by: 'ann' }, { cause: 'test' });
      let carried = 0;
      const activities = startActivities({
        ...parts(failures),
        runtime,
        workers: {
          bill: async (_, key) => {
            if (key.startsWith(id) && ++carried === 1) await quarantined(id);
            return `bill ${carried}`;
          },
        },
      });
      for (let day = 0; day < 3; day++) {
        await activities.carryDue();
        clock.advanceTo(clock.now() + 86_400_000);
      }
      expect(carried).toBe(1);
      expect(await state(id)).toMatchObject({ status: 'quarantined', state: { context: { bill: null } } });
      expect(await released(id)).toMatchObject({ ok: true });
      await activities.carryDue();
      expect(await state(id)).toMatchObject({ status: 'running', state: { context: { bill: 'bill 2' } } });
      await activities.stop();
      expect(failures).toEqual([]);
    });
  });

  test('an actor that cannot take the end of an activity is quarantined, and the activity waits for its release', async () => {
    const id = await lamp();
    await runtime.deliver(id, { type: 'press', by: 'ann' }, { cause: 'test' });
    let isBroken = true;
    const activities = startActivities({
      contained: eachRow(() => {}),
      store,
      runtime,
      clock: idle(clock),
      onError: () => {},
      workers: {
        bill: async (_, key) => {
          if (isBroken && key.startsWith(id)) throw new Error('the bulb burst');
          return 'paid';
        },
      },
    });
    for (let day = 0; day < 15; day++) {
      await activities.carryDue();
      clock.advanceTo(clock.now() + 86_400_000);
    }
    expect(await state(id)).toMatchObject({ status: 'quarantined', state: { context: { bill: null } } });
    isBroken = false;
    expect(await runtime.deliver(id, { type: 'count' }, { cause: 'test', releases: true })).toMatchObject({ ok: true });
    await activities.carryDue();
    expect(await state(id)).toMatchObject({ status: 'running', state: { context: { bill: 'paid' } } });
    await activities.stop();
  });

  test('a state of an older machine is migrated by its next step; an unmigratable one is quarantined without a crash', async () => {
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

test('a slow live worker keeps its activity; a stalled one loses it', async () => {
  const clock = createVirtualClock(START);
  const store = createMemoryStore();
  const runtime = createRuntime({ store, directory: createDirectory([lampKind]), clock });
  const failures: unknown[] = [];
  const carriedBy: string[] = [];
  const slow = (name: string, ms: number) => ({
    bill: async () => {
      carriedBy.push(name);
      await new Promise<void>((done) => void clock.deadline(clock.now() + ms, done));
      return name;
    },
  });
  const parts = { store, runtime, onError: (error: unknown) => failures.push(error) };
  const press = async (): Promise<string> => {
    const id = newId();
    await runtime.start('lamp', id, ORG, {}, { cause: 'test' });
    await runtime.deliver(id, { type: 'press', by: 'ann' }, { cause: 'test' });
    return id;
  };
  const bill = (id: string) => store.actors.get(id)?.state.context['bill'];
  const kept = await press();
  const first = startActivities({
    contained: eachRow((error) => {
      throw error;
    }),
    ...parts,
    clock,
    workers: slow('first', 90_000),
  });
  await clock.settleTo(START + 1_000);
  expect(carriedBy).toEqual(['first']);
  const second = startActivities({
    contained: eachRow((error) => {
      throw error;
    }),
    ...parts,
    clock,
    workers: slow('second', 10),
  });
  await clock.settleTo(START + 89_000);
  expect(carriedBy).toEqual(['first']);
  await clock.settleTo(START + 92_000);
  expect(bill(kept)).toBe('first');
  // A process with a stopped clock takes an activity and reports nothing more.
  const lost = await press();
  const still = startActivities({
    contained: eachRow((error) => {
      throw error;
    }),
    ...parts,
    clock: idle(clock),
    workers: slow('still', 1e9),
  });
  void still.carryDue();
  await clock.settleTo(clock.now() + 4_000);
  expect([carriedBy.at(-1), bill(lost)]).toEqual(['still', null]);
  await clock.settleTo(clock.now() + 3_000);
  // Whichever live process looks first takes it over.
  expect(['first', 'second']).toContain(carriedBy.at(-1));
  await clock.settleTo(clock.now() + 100_000);
  expect(bill(lost)).toBe(carriedBy.at(-1));
  expect(carriedBy).toHaveLength(3);
  await first.stop();
  await second.stop();
  expect(failures).toEqual([]);
});

test('a store without history passes on records of steps, and keeps nothing of the past', async () => {
  const records: unknown[] = [];
  const [whole, present] = [createMemoryStore(), createMemoryStore({ onRecord: (record) => records.push(record) })];
  const id = newId();
  for (const store of [whole, present]) {
    const runtime = createRuntime({ store, directory: createDirectory([lampKind]), clock: createVirtualClock(START) });
    await runtime.start('lamp', id, ORG, { presses: 0 }, { cause: 'test' });
    for (const by of ['ann', 'bob', 'cid']) {
      await runtime.deliver(id, { type: 'press', by }, { cause: 'test', also: () => [{ type: 'pressed', by }] });
    }
  }
  expect(records).toEqual(whole.records);
  expect(records.length).toBeGreaterThan(2);
  expect(present.actors).toEqual(whole.actors);
  expect(present.changes).toBe(whole.steps.length);
  expect([present.steps, present.records, present.announcements]).toEqual([[], [], []]);
});

test('a context is created from an input when an actor starts, and at no later step', () => {
  let made = 0;
  const machine = setup({
    types: { context: {} as { readonly seen: number }, input: {} as { readonly from: number }, events: {} as { readonly type: 'look' } },
  }).createMachine({
    id: 'looks@1',
    context: ({ input: { from } }) => {
      made++;
      return { seen: from };
    },
    on: { look: { actions: assign({ seen: ({ context }) => context.seen + 1 }) } },
  });
  const kind: ActorKind = { kind: 'looks', machine, validate: () => null, effects: {}, migrations: {} };
  const subject = { actorId: 'a', orgId: ORG, now: START };
  let { state } = startStep(kind, subject, { from: 4 });
  for (let step = 0; step < 3; step++) state = eventStep(kind, subject, restore(machine, state), { type: 'look' }).state;
  expect(state.context).toEqual({ seen: 7 });
  expect(made).toBe(1);
  expect(() => startStep(kind, subject, undefined as never)).toThrow('the first step of an actor needs an input');
});

test('from any state, after storing and restoring, a machine continues unchanged', async () => {
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
          // The second one's runtime is created anew before every event: no state lives outside the store.
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
