/** State folders with a stopped, migrated cluster. Creating one takes six seconds of processor time, copying it almost none. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startEmbeddedPostgres } from '../../src/adapters/store/embedded-postgres.ts';
import { migrate } from '../../src/adapters/store/migrate.ts';

/** Creates a cluster in an empty folder, as the service does. Returns the folder. */
export async function prepareCluster(folder: string): Promise<string> {
  const server = await startEmbeddedPostgres({ home: folder, log: () => {} });
  try {
    await migrate(server.url);
  } finally {
    await server.stop();
  }
  return folder;
}

/** Copies the prepared cluster into an empty folder. Returns the folder. */
export async function copyCluster(prepared: string, folder: string): Promise<string> {
  // Keeps the file owner, which is another user if root runs the tests.
  await promisify(execFile)('cp', ['-a', join(prepared, 'postgres'), join(prepared, 'postgres.password'), folder]);
  return folder;
}
