/** Prepares a database for its writers: applies migrations and registers the writers, after which it accepts changes only from them. */
import type { Writer } from '../../domain/trail/batch.ts';
import { openWriterKeys, type WriterKey } from '../signing-keys/writer-keys.ts';
import { openDatabase } from './database.ts';
import { migrate } from './migrate.ts';
import { registerWriters } from './trail/writer-registry.ts';

export interface ReadyDatabase {
  readonly keys: Readonly<Partial<Record<Writer, WriterKey>>>;
  /** Names of the migrations that were applied. */
  readonly applied: readonly string[];
  /** Number of existing rows that were signed; null if the trail was signed before. */
  readonly genesis: number | null;
}

/**
 * Migrates a database and registers the writers. After the first registration it accepts changes from writers only. @param home state
 * folder with the keys @param ownerUrl URL of the login that owns the tables @throws Error with one sentence if a key file cannot be used
 */
export async function readyDatabase(home: string, ownerUrl: string, writers: readonly Writer[]): Promise<ReadyDatabase> {
  const keys: Readonly<Partial<Record<Writer, WriterKey>>> = openWriterKeys(home, writers);
  const opened = Object.values(keys);
  // On a signed trail, register first, so that the migration's changes are signed by a known key.
  const before = await registerWriters(ownerUrl, opened);
  const { applied } = await migrate(ownerUrl, () => {}, keys.worker ?? keys.api ?? opened[0] ?? null);
  // Decided by what the database knew of the writers, because another process may have migrated it meanwhile.
  const after = before.knowsAll ? null : await registerWriters(ownerUrl, opened);
  return { keys, applied, genesis: before.genesis ?? after?.genesis ?? null };
}

/** Returns the key that signs a command's changes; null if the database has no registered writers. */
export async function commandWriter(home: string, ownerUrl: string): Promise<WriterKey | null> {
  const owner = openDatabase({ url: ownerUrl, connections: 1, role: null, name: 'sevengate writers' });
  try {
    const [table] = await owner<{ there: boolean }[]>`select to_regclass('trail_writers') is not null as there`;
    if (table?.there !== true) return null;
    const [known] = await owner<{ there: boolean }[]>`select exists (select 1 from trail_writers) as there`;
    if (known?.there !== true) return null;
  } finally {
    await owner.end({ timeout: 3 });
  }
  const { api } = openWriterKeys(home, ['api']);
  await registerWriters(ownerUrl, [api]);
  return api;
}
