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
const AFTER_BASELINE = '0433';
/** SHA-256 of the complete old list, over its lines `name hash` sorted by name. */
const BEFORE = { files: 26, digest: 'fcf78a881a3ba2208751e341eaacf0bf5c3da55aa513c977bcea197d37c5c5ce' } as const;
/** File that gave each table its writers, in the old and the new list; the verifier reads when it was applied. */
const NAMED_WRITERS = '0005_trail.sql';

/** @throws Error if the old list is not complete */
export async function exchangeForBaseline(sql: Sql, files: readonly MigrationFile[]): Promise<void> {
  const before = await sql<{ name: string; hash: string }[]>`
    select name, hash from migrations where name < ${AFTER_BASELINE} order by name collate "C"`;
  const other = before.filter(({ name, hash }) => !files.some((file) => file.name === name && file.hash === hash));
  // If only one file of the baseline was changed, `migrate` refuses it and names it.
  if (other.length === 0 || (other.length === 1 && files.some(({ name }) => name === other[0]?.name))) return;
  const lines = before.map(({ name, hash }) => `${name} ${hash}\n`).join('');
  if (createHash('sha256').update(lines).digest('hex') !== BEFORE.digest)
    throw new Error(
      `the database has ${before.length} migrations from before the baseline, which are not exactly the ${BEFORE.files} that the baseline stands for: ` +
        'check out the commit before the one that removed migrations/0432_settings_of_members.sql, run `sevengate migrate` there, and start this version again',
    );
  const baseline = files.filter(({ name }) => name < AFTER_BASELINE).map(({ name, hash }) => ({ name, hash }));
  await sql.begin(async (transaction) => {
    const [{ at } = { at: null }] = await transaction<{ at: Date }[]>`
      with gone as (delete from migrations where name < ${AFTER_BASELINE} returning name, applied_at)
      select applied_at as at from gone where name = ${NAMED_WRITERS}`;
    await transaction`
      insert into migrations (name, hash, applied_at)
      select name, hash, ${at}::timestamptz from jsonb_to_recordset(${transaction.json(baseline)}) as b(name text, hash text)`;
  });
}
