/** Makes a database ready for its writers: migrated, and taking changes from nobody else. */
import type { Writer } from '../../domain/trail/batch.ts';
import { openWriterKeys, type WriterKey } from '../signing-keys/writer-keys.ts';
import { openDatabase } from './database.ts';
import { migrate } from './migrate.ts';
import { registerWriters } from './trail/writer-registry.ts';

export interface ReadyDatabase {
  readonly keys: Readonly<Partial<Record<Writer, WriterKey>>>;
  /** Names of the migrations that were applied now. */
  readonly applied: readonly string[];
  /** Number of rows that were signed as found; null if the trail was signed before. */
  readonly genesis: number | null;
}

/**
 * Migrates a database and registers the writers with it. From the first registration on it takes changes from writers alone.
 * @param home the state folder, in which the keys lie. @param ownerUrl of the login that owns the tables. @throws Error in one sentence if a key file cannot be used.
 */
export async function readyDatabase(home: string, ownerUrl: string, writers: readonly Writer[]): Promise<ReadyDatabase> {
  const keys: Readonly<Partial<Record<Writer, WriterKey>>> = openWriterKeys(home, writers);
  const opened = Object.values(keys);
  // First, if the trail is signed already: what a migration changes is signed by a key that the database knows.
  const before = await registerWriters(ownerUrl, opened);
  const { applied } = await migrate(ownerUrl, () => {}, keys.worker ?? keys.api ?? opened[0] ?? null);
  // Another process may have migrated meanwhile: what counts is what the database knew of these writers before, not who migrated it.
  const after = before.knowsAll ? null : await registerWriters(ownerUrl, opened);
  return { keys, applied, genesis: before.genesis ?? after?.genesis ?? null };
}

/** Returns the key that signs a command's changes, if the database takes changes from writers alone; null if it knows none. */
export async function commandWriter(home: string, ownerUrl: string): Promise<WriterKey | null> {
  const owner = openDatabase({ url: ownerUrl, connections: 1, role: null, name: 'sevengate writers' });
  try {
    const [known] = await owner<{ there: boolean }[]>`select exists (select 1 from trail_writers) as there`;
    if (known?.there !== true) return null;
  } finally {
    await owner.end({ timeout: 3 });
  }
  const { api } = openWriterKeys(home, ['api']);
  await registerWriters(ownerUrl, [api]);
  return api;
}
