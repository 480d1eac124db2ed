/** The writers of a process: which keys it opens, and the database that takes changes from nobody else. */
import { resolve } from 'node:path';
import { openWriterKeys, type WriterKey } from '../adapters/signing-keys/writer-keys.ts';
import { migrate } from '../adapters/store/migrate.ts';
import { registerWriters } from '../adapters/store/trail/writer-registry.ts';
import type { Writer } from '../domain/trail/batch.ts';
import type { Config, Role } from './config.ts';

/** The keys that a process of these roles opens: no other process of the service needs to be able to read them. */
export function writersOf(roles: readonly Role[]): readonly Writer[] {
  const writers = new Set<Writer>();
  if (roles.includes('feed')) writers.add('feed');
  // Whoever carries actors assesses their gates, and so does whoever serves their commands.
  if (roles.includes('worker')) for (const writer of ['worker', 'evaluator', 'log'] as const) writers.add(writer);
  if (roles.includes('api') || roles.includes('sandbox')) for (const writer of ['api', 'evaluator'] as const) writers.add(writer);
  return [...writers];
}

export interface ReadyDatabase {
  readonly keys: Readonly<Partial<Record<Writer, WriterKey>>>;
  /** Names of the migrations that were applied now. */
  readonly applied: readonly string[];
  /** How many rows were signed as found; null where the trail was signed before. */
  readonly genesis: number | null;
}

/**
 * Migrates a database and registers the writers with it. From the first registration on it takes changes from writers alone.
 * @param ownerUrl of the login that owns the tables. @throws Error in one sentence where a key file cannot be used.
 */
export async function readyDatabase(
  config: Pick<Config, 'SEVENGATE_HOME'>,
  ownerUrl: string,
  writers: readonly Writer[],
): Promise<ReadyDatabase> {
  const keys: Readonly<Partial<Record<Writer, WriterKey>>> = openWriterKeys(resolve(config.SEVENGATE_HOME), writers);
  const opened = Object.values(keys);
  // First, where the trail is signed already: what a migration changes is signed by a key that the database knows.
  const before = await registerWriters(ownerUrl, opened);
  const { applied } = await migrate(ownerUrl, () => {}, opened[0] ?? null);
  const after = await registerWriters(ownerUrl, opened);
  return { keys, applied, genesis: before ?? after };
}
