/** Applies database migrations: forward only, in order, each once and in one transaction. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { openDatabase, type Sql, type Transaction } from './database.ts';
import type { BatchSigner } from './trail/batch-seal.ts';
import { SCHEMA_LOCK, sealAsOwner } from './trail/writer-registry.ts';

const MIGRATIONS = new URL('../../../migrations/', import.meta.url);

export interface MigrationResult {
  readonly applied: readonly string[];
  readonly present: readonly string[];
}

/**
 * Applies missing migrations. @throws Error if an applied file was changed or removed, or if a statement fails; nothing of that file is
 * kept
 */
export async function migrate(
  url: string,
  onProgress: (name: string, done: number, total: number) => void = () => {},
  /** Signer of the migrations' changes to logged tables; without it the trail shows them as unsigned. */
  writer: BatchSigner | null = null,
): Promise<MigrationResult> {
  const files = readdirSync(MIGRATIONS)
    .filter((name) => /^\d{4}_[a-z0-9_]+\.sql$/.test(name))
    .sort()
    .map(readMigration);
  const names = files.map(({ name }) => name);
  const sql = openDatabase({ url, connections: 1, role: null, name: 'sevengate migrate' });
  try {
    await sql`select pg_advisory_lock(${SCHEMA_LOCK})`;
    await sql`create table if not exists migrations (name text primary key, hash text not null, applied_at timestamptz not null default clock_timestamp())`;
    await exchangeForBaseline(sql, files);
    const known = new Map(
      (await sql<{ name: string; hash: string }[]>`select name, hash from migrations`).map((row) => [row.name, row.hash]),
    );
    for (const name of known.keys()) {
      if (!names.includes(name))
        throw new Error(`the database has migration ${name}, which this version lacks: start the version that wrote it, or a newer one`);
    }
    const applied: string[] = [];
    for (const [index, { name, text, hash }] of files.entries()) {
      const before = known.get(name);
      if (before !== undefined && before !== hash)
        throw new Error(`migration ${name} was changed after it had been applied: put the original back and add a new file`);
      if (before === undefined) {
        await sql.begin(async (transaction) => {
          await transaction.unsafe(text);
          await protectTables(transaction);
          if (writer !== null) await sealMigration(transaction, writer);
          await transaction`insert into migrations (name, hash) values (${name}, ${hash})`;
        });
        applied.push(name);
      }
      onProgress(name, index + 1, files.length);
    }
    return { applied, present: names };
  } finally {
    await sql.end({ timeout: 5 });
  }
}

function readMigration(name: string): MigrationFile {
  const text = readFileSync(new URL(name, MIGRATIONS), 'utf8');
  return { name, text, hash: createHash('sha256').update(text).digest('hex') };
}

/** Adds row-level security and write protection to the tables that a migration created. */
async function protectTables(transaction: Transaction): Promise<void> {
  const [known] = await transaction<{ rows: boolean; writes: boolean }[]>`
    select to_regprocedure('protect_organizations()') is not null as rows, to_regprocedure('protect_writes()') is not null as writes`;
  if (known?.rows === true) await transaction`select protect_organizations()`;
  if (known?.writes === true) await transaction`select protect_writes()`;
}

async function sealMigration(transaction: Transaction, writer: BatchSigner): Promise<void> {
  const [known] = await transaction<{ there: boolean }[]>`select to_regprocedure('trail_open_changes()') is not null as there`;
  if (known?.there === true) await sealAsOwner(transaction, writer);
}

interface MigrationFile {
  readonly name: string;
  readonly text: string;
  readonly hash: string;
}

/** First file name after the baseline, in the old and the new list. */
const AFTER_BASELINE = '0450';
/** SHA-256 of the complete old list, over its lines `name hash` sorted by name. */
const BEFORE = { files: 29, digest: 'f39e4bedb96687c2bd5c39ed9c6a12a3e6a416dc8887b274cbb274582de702c7' } as const;
/** File that gave each table its writers, in the old and the new list; the verifier reads when it was applied. */
const NAMED_WRITERS = '0005_trail.sql';

/**
 * Converts a database from before the baseline of migrations (0001 to 0019). Its schema equals the baseline's, but its list of applied files
 * does not. A complete list is replaced by the baseline's. @throws Error if the old list is not complete
 */
async function exchangeForBaseline(sql: Sql, files: readonly MigrationFile[]): Promise<void> {
  const before = await sql<{ name: string; hash: string }[]>`
    select name, hash from migrations where name < ${AFTER_BASELINE} order by name collate "C"`;
  const other = before.filter(({ name, hash }) => !files.some((file) => file.name === name && file.hash === hash));
  // If only one file of the baseline was changed, `migrate` refuses it and names it.
  if (other.length === 0 || (other.length === 1 && files.some(({ name }) => name === other[0]?.name))) return;
  const lines = before.map(({ name, hash }) => `${name} ${hash}\n`).join('');
  if (createHash('sha256').update(lines).digest('hex') !== BEFORE.digest)
    throw new Error(
      `the database has ${before.length} migrations from before the baseline, which are not exactly the ${BEFORE.files} that the baseline stands for: ` +
        'check out the commit before the one that removed migrations/0449_proposals_beside_revocations.sql, run `sevengate migrate` there, and start this version again',
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
