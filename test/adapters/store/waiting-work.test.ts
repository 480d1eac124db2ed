// Loops that poll at the same moment share one statement, and each gets its own answer.
import { expect, test } from 'vitest';
import { openDatabase } from '../../../src/adapters/store/database.ts';
import { holdsNow } from '../../../src/adapters/store/asked-together.ts';
import { testDatabase } from '../../harness/postgres.ts';

test('concurrent conditions are one statement, a broken one fails alone, and nothing is cached', async () => {
  const sql = openDatabase({ url: await testDatabase('empty'), role: null, connections: 2, name: 'waiting work' });
  try {
    await sql`create table told (at timestamptz)`;
    await sql`create function notes(answer boolean) returns boolean language sql as $$ insert into told values (statement_timestamp()) returning answer $$`;
    const ask = (answer: boolean): Promise<boolean> => holdsNow(sql, sql`notes(${answer}) or 1 = ${2}`);
    expect(await Promise.all([ask(true), ask(false), ask(true)])).toEqual([true, false, true]);
    const statements = async () => (await sql`select count(distinct at)::int as statements, count(*)::int as asked from told`)[0];
    expect(await statements()).toEqual({ statements: 1, asked: 3 });
    expect(await ask(false)).toBe(false);
    expect(await statements()).toEqual({ statements: 2, asked: 4 });
    const broken = holdsNow(sql, sql`exists (select 1 from nowhere)`);
    expect(await Promise.allSettled([ask(true), broken])).toMatchObject([{ value: true }, { reason: { code: '42P01' } }]);
  } finally {
    await sql.end({ timeout: 5 });
  }
});
