/** A real, migrated PostgreSQL database for one test file. */
import { inject } from 'vitest';

/**
 * The address of a fresh database of this run's own embedded PostgreSQL, with every migration applied.
 * Nobody else uses it, and it goes when the run ends. `empty`: one without any table.
 */
export async function testDatabase(kind: 'migrated' | 'empty' = 'migrated'): Promise<string> {
  const answer = await fetch(`${inject('servers')}/database/${kind}`);
  if (!answer.ok) throw new Error(`no test database: ${await answer.text()}`);
  return (await answer.json()) as string;
}
