/**
 * Converts databases from before the baseline of migrations (0001 to 0019). Their schema equals the baseline's, but their list of applied
 * files does not. A complete list is replaced by the baseline's.
 */
import { createHash } from 'node:crypto';
import type { Sql } from './database.ts';

export interface MigrationFile {
  readonly name: string;
  readonly text: string;
  readonly hash: string;
}

/** First file name after the baseline, in the old and the new list. */
const AFTER_BASELINE = '0400';
/** SHA-256 of the complete old list, over its lines `name hash` sorted by name. */
const BEFORE = { files: 42, digest: 'eeba1f7c75ee1af2a9b54860183baa9b1dbcbec589758172dba3f527a16ed384' } as const;
/** File that gave each table its writers, in the old and the new list; the verifier reads when it was applied. */
const NAMED_WRITERS = '0005_trail.sql';

/** @throws Error if the old list is not complete */
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
