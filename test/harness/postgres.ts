/** A real, migrated PostgreSQL database for one test file, and a whole cluster of its own for a service. */
import { inject } from 'vitest';
import { copyCluster } from './prepared-cluster.ts';

/** The names of databases that this file has asked for. */
const ofThisFile: string[] = [];

/** Lets go of the databases of the file that has ended: see ended-file.ts. */
export async function dropTestDatabases(): Promise<void> {
  for (const name of ofThisFile.splice(0)) await fetch(`${inject('servers')}/database/ended/${name}`);
}

/**
 * The address of a fresh database of this run's own embedded PostgreSQL, with every migration applied.
 * Nobody else uses it, and it goes when the file ends. `empty`: one without any table.
 */
export async function testDatabase(kind: 'migrated' | 'empty' = 'migrated'): Promise<string> {
  const answer = await fetch(`${inject('servers')}/database/${kind}`);
  if (!answer.ok) throw new Error(`no test database: ${await answer.text()}`);
  const url = (await answer.json()) as string;
  ofThisFile.push(new URL(url).pathname.slice(1));
  return url;
}

/** Puts a migrated cluster, which is not running, into an empty state folder. Who looks at a first start begins without it. */
export async function withCluster(home: string): Promise<void> {
  const answer = await fetch(`${inject('servers')}/cluster`);
  if (!answer.ok) throw new Error(`no prepared cluster: ${await answer.text()}`);
  await copyCluster((await answer.json()) as string, home);
}
