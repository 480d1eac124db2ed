// A database password alone changes nothing and reads nothing of an organization. The holder of a service's session cannot
// sign, and its changes are refused or found. The suite tries a third of the attacks with a session, the proof all.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Sql, Transaction } from '../../src/adapters/store/database.ts';
import { findProtection } from '../../src/adapters/store/trail/table-writers.ts';
import { rounds } from '../harness/rounds.ts';
import { ATTACKS, type Attack } from './attacks.ts';
import { OURS, type SignedFixture, signedFixture } from './signed-fixture.ts';

let world: SignedFixture;
beforeAll(async () => {
  world = await signedFixture();
});
afterAll(() => world.close());

/** Returns the number of rows that an attack took; zero if it was refused. Its changes are committed. */
async function tried(attack: Attack, sql: Sql, on: SignedFixture): Promise<{ readonly taken: number; readonly refusal: string | null }> {
  try {
    return { taken: await sql.begin((transaction) => attack.run(transaction, on)), refusal: null };
  } catch (error) {
    return { taken: 0, refusal: (error as Error).message };
  }
}

describe('with the password of a login', () => {
  test.each(ATTACKS.map((attack) => [attack.name, attack] as const))('nobody can %s', async (_, attack) => {
    const thief = await world.thief(attack.role, 'password');
    const { taken, refusal } = await tried(attack, thief, world);
    await thief.end();
    expect(taken, refusal ?? 'it was taken').toBe(0);
    // Finding no row to change is not a refusal.
    if (attack.session !== 'sees nothing') expect(refusal).not.toBeNull();
  });

  test('no table accepts a change, whatever privileges the role has on it, including the expected ones', async () => {
    const tables = await world.owner<{ name: string; column: string }[]>`
      select c.relname as name, (select attname from pg_attribute where attrelid = c.oid and attnum > 0 and not attisdropped and attgenerated = '' and attidentity = '' order by attnum limit 1) as column
      from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') order by 1`;
    expect(tables.length).toBeGreaterThan(60);
    for (const role of ['app', 'callers', 'evaluator'] as const) {
      const thief = await world.thief(role, 'password');
      for (const { name, column } of tables) {
        const changes: readonly [string, (sql: Sql) => Promise<unknown>][] = [
          ['insert', (sql) => sql`insert into ${sql(name)} default values`],
          ['update', (sql) => sql`update ${sql(name)} set ${sql(column)} = ${sql(column)}`],
          ['delete', (sql) => sql`delete from ${sql(name)}`],
          ['truncate', (sql) => sql`truncate ${sql(name)}`],
        ];
        for (const [what, change] of changes) {
          const refused = await change(thief).then(
            () => 'nothing refused it',
            (error: unknown) => (error as { code?: string }).code,
          );
          expect(refused, `${role} ${what} ${name}`).toBe('42501');
        }
      }
      await thief.end();
    }
  });
});

test('the service’s own trail is intact, except for the agent that the fixture moved past its gates', async () => {
  // A change in the same transaction is signed too.
  await world.worker`insert into audit (org_id, subject, action, request_id, target) values (${OURS}, 'ann', 'agent.look', 'r', 'x')`;
  await world.logged();
  const report = await world.verify();
  expect(report.breaks.filter(({ part, agentId }) => part !== 'gate' && !(part === 'step' && agentId === world.agents[1]))).toEqual([]);
  expect(report.signatures).toMatchObject({ consistency: null });
  expect(report.signatures?.checkpoints).toBeGreaterThan(0);
  expect(report.signatures?.batches).toBeGreaterThan(10);
  expect(report.signatures?.logged).toBe(report.signatures?.batches);
});

/** Ends live leases with a signed step of their holder, the only way to end one. */
async function endsLeases(copy: SignedFixture): Promise<void> {
  const [first, second] = copy.agents;
  const endedBy = (actor: string) =>
    copy.worker.begin(async (transaction) => {
      await transaction`
        insert into steps select (jsonb_populate_record(s, jsonb_build_object('version', s.version + 1))).* from steps s
        where actor_id = ${actor} order by version desc limit 1`;
      return (await transaction`delete from execution_leases where key = ${second}`).count;
    });
  await expect(endedBy(first)).rejects.toThrow('no step of it begins or ends it');
  expect(await endedBy(second)).toBe(1);
  await copy.close();
}

/** Returns what a session's statement left for its writer to sign, or null if it was refused or changed nothing. Rolled back. */
async function leftToSign(session: Sql, change: (sql: Transaction) => Promise<{ readonly count: number }>): Promise<number | null> {
  let left: number | null = null;
  const undone = new Error('rolled back');
  await session
    .begin(async (transaction) => {
      const { count } = await change(transaction);
      const [open] = await transaction<{ changes: number }[]>`select count(*)::int as changes from trail_open_changes()`;
      if (count > 0) left = open?.changes ?? 0;
      throw undone;
    })
    .catch((error: unknown) => {
      if (error !== undone && (error as { code?: string }).code === undefined) throw error;
    });
  return left;
}

/** Different value of a column as SQL, by type. */
const ANOTHER: Readonly<Record<string, string>> = {
  text: "%I || 'x'",
  int4: '%I + 1',
  int8: '%I + 1',
  numeric: '%I + 1',
  bool: 'not %I',
  uuid: 'gen_random_uuid()',
  jsonb: `coalesce(%I, '{}') || '{"x":1}'`,
  timestamptz: "%I + interval '1 second'",
  _text: "%I || '{x}'",
};

/**
 * Changes every table with rows: adds a row under another key, changes each column, deletes every row. Claims and renewals are unsigned.
 */
async function rowChanges(
  owner: Sql,
): Promise<readonly { readonly name: string; readonly changes: readonly (readonly [string, string])[] }[]> {
  const columns = await owner<{ name: string; column: string; another: string | null; isKey: boolean; isClaim: boolean }[]>`
    select c.relname as name, a.attname as column, replace(e.value, '%I', quote_ident(a.attname)) as another,
      coalesce(a.attnum = any(i.indkey), false) as "isKey", coalesce(a.attname = any(t.unsigned_columns), false) as "isClaim"
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
    join pg_type y on y.oid = a.atttypid left join jsonb_each_text(${owner.json(ANOTHER)}) e on e.key = y.typname
    left join pg_index i on i.indrelid = c.oid and i.indisprimary left join trail_tables t on t.name = c.relname
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') order by 1, a.attnum`;
  const found: { name: string; changes: (readonly [string, string])[] }[] = [];
  for (const name of new Set(columns.map((column) => column.name))) {
    const all = columns.filter((column) => column.name === name);
    const [row] = await owner`select 1 from ${owner(name)} limit 1`;
    if (row === undefined) continue;
    const key = all.findLast(({ isKey, another }) => isKey && another !== null);
    const put: (readonly [string, string])[] =
      key === undefined
        ? []
        : [
            [
              'insert',
              `insert into ${name} overriding system value select (jsonb_populate_record(r, jsonb_build_object('${key.column}', ${key.another}))).* from ${name} r order by ${key.column} desc limit 1`,
            ],
          ];
    const changed = all
      .filter(({ another, isClaim }) => another !== null && !isClaim)
      .map(
        ({ column, another }) =>
          ['update', `update ${name} set ${column} = ${another} where ${another} is distinct from ${column}`] as const,
      );
    found.push({ name, changes: [...put, ...changed, ['delete', `delete from ${name}`]] });
  }
  return found;
}

describe('with a session of the service and without its key', () => {
  test('every insert, update and delete leaves something to sign, except in guarded tables, including the expected ones', async () => {
    const seen = new Set<string>();
    for (const role of ['app', 'callers', 'evaluator'] as const) {
      const thief = await world.thief(role, 'session');
      for (const { name, changes } of await rowChanges(world.owner)) {
        for (const [what, change] of changes) {
          const left = await leftToSign(thief, async (sql) => {
            if (role === 'callers')
              await sql`select set_config('sevengate.organization', ${OURS}, true), set_config('sevengate.organization_proof', ${world.proofOfOurs}, true)`;
            return sql.unsafe(change);
          });
          if (left === null) continue;
          seen.add(`${what} ${name}`);
          expect([role, what, name, left > 0 ? 'signed' : findProtection(name)]).toEqual([
            role,
            what,
            name,
            left > 0 ? 'signed' : 'guarded',
          ]);
        }
      }
      await thief.end();
    }
    // Otherwise the test would prove nothing.
    for (const tried of ['insert steps', 'insert audit', 'update agents', 'update activities', 'update books', 'delete timers'])
      expect([...seen], tried).toContain(tried);
  });

  test('each attack is refused or found', async () => {
    const outcomes: Record<string, string> = {};
    const before = new Set((await world.verify()).breaks.map(({ part, detail }) => `${part} ${detail}`));
    const template = await world.copy();
    let present = template;
    const every = rounds({ suite: 3, proof: 1 });
    const attacks = ATTACKS.filter((_, index) => index % every === 0);
    for (const attack of attacks) {
      const copy = await present.copy();
      present = template;
      const thief = await copy.thief(attack.role, 'session');
      const { taken, refusal } = await tried(attack, thief, copy);
      const found = taken > 0 ? (await copy.verify()).breaks.filter(({ part, detail }) => !before.has(`${part} ${detail}`)) : [];
      const untaken = refusal === null ? 'sees nothing' : 'refused';
      outcomes[attack.name] = taken === 0 ? untaken : found.length > 0 ? 'found' : 'open';
      await copy.close();
    }
    expect(outcomes).toEqual(Object.fromEntries(attacks.map(({ name, session }) => [name, session])));
    await endsLeases(await template.copy());
  });
});
