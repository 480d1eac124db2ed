// A step whose commit succeeded although its answer was lost is one step, and its caller is told so.
import { beforeAll, expect, test } from 'vitest';
import { createDirectory } from '../../../../actors/runtime/directory.ts';
import { createRuntime } from '../../../../actors/runtime/runtime.ts';
import { createActorStore } from '../../../../src/adapters/store/actors/actor-store.ts';
import { openDatabase, type Sql } from '../../../../src/adapters/store/database.ts';
import { createVirtualClock } from '../../../../streams/clock/virtual-clock.ts';
import { lampKind } from '../../../actors/runtime/lamp.ts';
import { testDatabase } from '../../../harness/postgres.ts';

const ORG = '00000000-0000-7000-8000-000000000001';
let sql: Sql;
let made = 0;

beforeAll(async () => {
  sql = openDatabase({ url: await testDatabase(), name: 'test' });
  await sql`insert into organizations (id, name) values (${ORG}, 'ours')`;
  return () => sql.end();
});

/** Returns connections that lose the answer of the next commits, once each. */
function losing() {
  let left = 0;
  const lossy = new Proxy(sql, {
    get(target, name, receiver) {
      if (name !== 'begin') return Reflect.get(target, name, receiver) as unknown;
      return async (...given: Parameters<Sql['begin']>) => {
        const value = await target.begin(...given);
        if (left === 0) return value;
        left--;
        throw Object.assign(new Error('the connection was closed'), { code: 'CONNECTION_CLOSED' });
      };
    },
  });
  return { lossy, lose: () => void (left = 1) };
}

function world() {
  const { lossy, lose } = losing();
  const clock = createVirtualClock(1_790_000_000_000);
  const runtime = createRuntime({ store: createActorStore(lossy), directory: createDirectory([lampKind]), clock });
  const lamp = async () => {
    const id = `00000000-0000-7000-8000-${String(++made).padStart(12, '0')}`;
    await runtime.start('lamp', id, ORG, {}, { cause: 'test' });
    return id;
  };
  const read = async (id: string) => (await createActorStore(sql).load([id])).get(id);
  return { runtime, lose, lamp, read };
}

test('an event is taken once, and reported as taken', async () => {
  const { runtime, lose, lamp, read } = world();
  const id = await lamp();
  lose();
  // Taken twice, it would switch the lamp off again.
  expect(await runtime.deliver(id, { type: 'press', by: 'ann' }, { cause: 'ann 1' })).toMatchObject({ ok: true, value: { version: 2 } });
  expect(await read(id)).toMatchObject({ version: 2, state: { value: 'lit', context: { presses: 1 } } });
});

test('several events in one turn are taken once', async () => {
  const { runtime, lose, lamp, read } = world();
  const id = await lamp();
  lose();
  const turn = [1, 2].map(() => ({ event: { type: 'press', by: 'ann' }, options: { cause: 'ann 2' } }));
  expect(await runtime.deliverInTurn(id, turn)).toMatchObject({ ok: true, value: { version: 3 } });
  expect(await read(id)).toMatchObject({ version: 3, state: { context: { presses: 1 } } });
});

test('several actors in one transaction each take it once', async () => {
  const { runtime, lose, lamp, read } = world();
  const ids = [await lamp(), await lamp(), await lamp()];
  lose();
  const outcomes = await runtime.deliverMany(ids, { type: 'count' }, { cause: 'feed' });
  for (const id of ids) {
    expect(outcomes.get(id)).toMatchObject({ ok: true, value: { version: 2 } });
    expect(await read(id)).toMatchObject({ version: 2, state: { context: { presses: 1 } } });
  }
});

test('an actor that was started is started', async () => {
  const { runtime, lose, lamp, read } = world();
  lose();
  expect(await read(await lamp())).toMatchObject({ version: 1 });
  // Another start of it is refused.
  const id = await lamp();
  await expect(runtime.start('lamp', id, ORG, {}, { cause: 'test' })).rejects.toThrow(/duplicate key/);
});
