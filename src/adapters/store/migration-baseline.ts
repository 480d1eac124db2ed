/**
 * Databases from before the baseline of migrations (0001 to 0019): their schema is the baseline's, their list of applied files is not.
 * Where that list is complete it is exchanged, so that both go on with the same files.
 */
import { createHash } from 'node:crypto';
import type { Sql } from './database.ts';

export interface MigrationFile {
  readonly name: string;
  readonly text: string;
  readonly hash: string;
}

/** Every file below it is the baseline's, now and before. */
const AFTER_BASELINE = '0400';
/** SHA-256 of the complete list from before the baseline, over its lines `name hash`, by name. */
const BEFORE = { files: 42, digest: 'eeba1f7c75ee1af2a9b54860183baa9b1dbcbec589758172dba3f527a16ed384' } as const;
/** The file that gave each table its writers, now and before: the verifier asks when the database got it. */
const NAMED_WRITERS = '0005_trail.sql';

/** @throws Error if the list from before is not the complete one. */
export async function exchangeForBaseline(sql: Sql, files: readonly MigrationFile[]): Promise<void> {
  const before = await sql<{ name: string; hash: string }[]>`
    select name, hash from migrations where name < ${AFTER_BASELINE} order by name collate "C"`;
  if (before.every(({ name }) => files.some((file) => file.name === name))) return;
  const lines = before.map(({ name, hash }) => `${name} ${hash}\n`).join('');
  if (createHash('sha256').update(lines).digest('hex') !== BEFORE.digest)
    throw new Error(
      `the database has ${before.length} migrations from before the baseline, which are not exactly the ${BEFORE.files} that the baseline stands for: ` +
        'check out the commit before the one that added migrations/0001_database_roles.sql, run `sevengate migrate` there, and start this version again',
    );
  const baseline = files.filter(({ name }) => name < AFTER_BASELINE).map(({ name, hash }) => ({ name, hash }));
  await sql.begin(async (transaction) => {
    const replanned = await transaction<{ name: string }[]>`
      select proname as name from pg_proc where pronamespace = 'public'::regnamespace and prorettype = 'trigger'::regtype
        and not coalesce(proconfig, '{}') && array['plan_cache_mode=force_generic_plan']`;
    for (const { name } of replanned) await transaction`alter function ${transaction(name)}() set plan_cache_mode = force_generic_plan`;
    const [{ at } = { at: null }] = await transaction<{ at: Date }[]>`
      with gone as (delete from migrations where name < ${AFTER_BASELINE} returning name, applied_at)
      select applied_at as at from gone where name = ${NAMED_WRITERS}`;
    await transaction`
      insert into migrations (name, hash, applied_at)
      select name, hash, ${at}::timestamptz from jsonb_to_recordset(${transaction.json(baseline)}) as b(name text, hash text)`;
  });
}
