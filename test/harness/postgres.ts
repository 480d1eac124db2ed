/** Provides a real, migrated PostgreSQL database for one test file, and a cluster of its own for a service. */
import { inject } from 'vitest';
import { copyCluster } from './prepared-cluster.ts';

/** Databases that this file has requested. */
const ofThisFile: string[] = [];

/** Drops the databases of the file that has ended: see ended-file.ts. */
export async function dropTestDatabases(): Promise<void> {
  for (const name of ofThisFile.splice(0)) await fetch(`${inject('servers')}/database/ended/${name}`);
}

/**
 * Returns the address of a new database on this run's embedded PostgreSQL, with every migration applied.
 * Nobody else uses it, and it is dropped when the file ends. `empty`: without tables.
 */
export async function testDatabase(kind: 'migrated' | 'empty' = 'migrated'): Promise<string> {
  const answer = await fetch(`${inject('servers')}/database/${kind}`);
  if (!answer.ok) throw new Error(`no test database: ${await answer.text()}`);
  const url = (await answer.json()) as string;
  ofThisFile.push(new URL(url).pathname.slice(1));
  return url;
}

/** Copies a stopped, migrated cluster into an empty state folder. Tests of a first start do without it. */
export async function withCluster(home: string): Promise<void> {
  const answer = await fetch(`${inject('servers')}/cluster`);
  if (!answer.ok) throw new Error(`no prepared cluster: ${await answer.text()}`);
  await copyCluster((await answer.json()) as string, home);
}
