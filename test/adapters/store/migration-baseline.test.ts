// Databases older than the baseline migration: a complete list of applied files is replaced by the baseline, any other is refused.
import { readFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { openDatabase, type Sql } from '../../../src/adapters/store/database.ts';
import { migrate } from '../../../src/adapters/store/migrate.ts';
import { testDatabase } from '../../harness/postgres.ts';

/** Lines `name hash` of the table `migrations` after all files before the baseline. */
const BEFORE = readFileSync(new URL('./migrations-before-the-baseline.txt', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => ({ name: line.slice(0, -65), hash: line.slice(-64) }));
const NAMED_WRITERS_AT = new Date('2026-11-20T10:00:00.000Z');

const listed = (sql: Sql) => sql<{ name: string; hash: string }[]>`select name, hash from migrations order by name collate "C"`;

/** Creates a database as the old files left it. */
async function databaseOfBefore(list: typeof BEFORE): Promise<{ url: string; sql: Sql }> {
  const url = await testDatabase();
  const sql = openDatabase({ url, connections: 1, role: null, name: 'baseline test' });
  onTestFinished(() => sql.end({ timeout: 1 }));
  await sql`delete from migrations where name < '0450'`;
  await sql`
    insert into migrations (name, hash, applied_at)
    select name, hash, case when starts_with(name, '0005_') then ${NAMED_WRITERS_AT}::timestamptz else now() end
    from jsonb_to_recordset(${sql.json(list)}) as b(name text, hash text)`;
  return { url, sql };
}

test('a complete old list is replaced by the baseline: the same schema, and the date from which writers are bound to their tables', async () => {
  const fresh = openDatabase({ url: await testDatabase(), connections: 1, role: null, name: 'baseline test' });
  onTestFinished(() => fresh.end({ timeout: 1 }));
  const { url, sql } = await databaseOfBefore(BEFORE);
  const { applied, present } = await migrate(url);
  expect(applied).toEqual([]);
  expect((await listed(sql)).map(({ name }) => name)).toEqual(present);
  expect(await listed(sql)).toEqual(await listed(fresh));
  expect(await sql`select applied_at from migrations where name = '0005_trail.sql'`).toEqual([{ applied_at: NAMED_WRITERS_AT }]);
  expect((await migrate(url)).applied).toEqual([]);
});

test.each([
  ['lacks its last file', BEFORE.slice(0, -1), 28],
  ['has a file of other content', BEFORE.map((file, index) => (index === 20 ? { ...file, hash: '0'.repeat(64) } : file)), 29],
  ['is of another baseline', [{ name: '0001_actors.sql', hash: '0'.repeat(64) }], 1],
  ['has the names of the baseline, from before later files were part of it', BEFORE.filter(({ name }) => name < '0400'), 19],
])('an old list that %s is refused with advice, and stays', async (_, list, count) => {
  const { url, sql } = await databaseOfBefore(list);
  const before = await listed(sql);
  await expect(migrate(url)).rejects.toThrow(
    `the database has ${count} migrations from before the baseline, which are not exactly the 29 that the baseline stands for: ` +
      'check out the commit before the one that removed migrations/0449_proposals_beside_revocations.sql, run `sevengate migrate` there, and start this version again',
  );
  expect(await listed(sql)).toEqual(before);
});

test('a file of the baseline that was changed after it had been applied is named', async () => {
  const url = await testDatabase();
  const sql = openDatabase({ url, connections: 1, role: null, name: 'baseline test' });
  onTestFinished(() => sql.end({ timeout: 1 }));
  await sql`update migrations set hash = ${'0'.repeat(64)} where name = '0011_trading.sql'`;
  await expect(migrate(url)).rejects.toThrow('migration 0011_trading.sql was changed after it had been applied: put the original back');
});
