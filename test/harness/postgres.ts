/** A real, migrated PostgreSQL database for one test file, and a whole cluster of its own for a service. */
import { inject } from 'vitest';
import { copyCluster } from './prepared-cluster.ts';

/**
 * The address of a fresh database of this run's own embedded PostgreSQL, with every migration applied.
 * Nobody else uses it, and it goes when the run ends. `empty`: one without any table.
 */
export async function testDatabase(kind: 'migrated' | 'empty' = 'migrated'): Promise<string> {
  const answer = await fetch(`${inject('servers')}/database/${kind}`);
  if (!answer.ok) throw new Error(`no test database: ${await answer.text()}`);
  return (await answer.json()) as string;
}

/** Puts a migrated cluster, which is not running, into an empty state folder. Who looks at a first start begins without it. */
export async function withCluster(home: string): Promise<void> {
  const answer = await fetch(`${inject('servers')}/cluster`);
  if (!answer.ok) throw new Error(`no prepared cluster: ${await answer.text()}`);
  await copyCluster((await answer.json()) as string, home);
}
