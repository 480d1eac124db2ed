/** Applies database migrations: forward only, in order, each once and in one transaction. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { openDatabase, type Transaction } from './database.ts';
import { exchangeForBaseline, type MigrationFile } from './migration-baseline.ts';
import { SCHEMA_LOCK } from './schema-lock.ts';
import type { BatchSigner } from './trail/batch-seal.ts';
import { sealAsOwner } from './trail/writer-registry.ts';

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
