/**
 * Databases from before the baseline of migrations (0001 to 0018): their schema is the baseline's, their list of applied files is not.
 * Where that list is complete it is exchanged, so that both go on with the same files.
 */
import { createHash } from 'node:crypto';
import type { Sql } from './database.ts';

export interface MigrationFile {
  readonly name: string;
  readonly text: string;
  readonly hash: string;
}

const LAST_OF_BASELINE = '0018_history.sql';
/** First file and SHA-256 of the complete list from before the baseline, over its lines `name hash`, by name. */
const BEFORE = { first: '0001_actors.sql', files: 99, digest: '6334bbe93cd2f7b6394b4c68cf3f58914dd1df3b784e440c5d455a421d298ff4' } as const;
/** The file that gave each table its writers: the verifier asks when the database got it. */
const NAMED_WRITERS = '0260_tables_name_their_writers.sql';

/** @throws Error if the list from before is not the complete one. */
export async function exchangeForBaseline(sql: Sql, files: readonly MigrationFile[]): Promise<void> {
  const applied = await sql<{ name: string; hash: string }[]>`select name, hash from migrations order by name collate "C"`;
  const before = applied.filter(({ name }) => !files.some((file) => file.name === name));
  if (!before.some(({ name }) => name === BEFORE.first)) return;
  const lines = before.map(({ name, hash }) => `${name} ${hash}\n`).join('');
  if (createHash('sha256').update(lines).digest('hex') !== BEFORE.digest)
    throw new Error(
      `the database has ${before.length} migrations from before the baseline, which are not exactly the ${BEFORE.files} that the baseline stands for: ` +
        'check out the commit before the one that added migrations/0001_roles.sql, run `sevengate migrate` there, and start this version again',
    );
  const baseline = files.filter(({ name }) => name <= LAST_OF_BASELINE).map(({ name, hash }) => ({ name, hash }));
  await sql.begin(async (transaction) => {
    await transaction`alter sequence candle_work_id_seq rename to long_work_id_seq`;
    const old = await transaction<{ table: string; name: string }[]>`
      select conrelid::regclass::text as table, conname as name from pg_constraint
      where connamespace = 'public'::regnamespace and conname ~ '^(errands|candle_work)_'`;
    for (const { table, name } of old)
      await transaction`alter table ${transaction(table)} rename constraint ${transaction(name)}
        to ${transaction(name.replace(/^errands_/, 'activities_').replace(/^candle_work_/, 'long_work_'))}`;
    await transaction`
      insert into migrations (name, hash, applied_at)
      select b.name, b.hash, w.applied_at from jsonb_to_recordset(${transaction.json(baseline)}) as b(name text, hash text)
      cross join migrations w where w.name = ${NAMED_WRITERS}`;
    await transaction`delete from migrations where name = any(${before.map(({ name }) => name)})`;
  });
}
