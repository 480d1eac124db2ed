/** State folders with a migrated cluster that is not running: to make one takes six seconds of processor time, to copy it none. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startEmbeddedPostgres } from '../../src/adapters/store/embedded-postgres.ts';
import { migrate } from '../../src/adapters/store/migrate.ts';

/** Makes a cluster in an empty folder, as the service makes its own. Answers the folder. */
export async function prepareCluster(folder: string): Promise<string> {
  const server = await startEmbeddedPostgres({ home: folder, log: () => {} });
  try {
    await migrate(server.url);
  } finally {
    await server.stop();
  }
  return folder;
}

/** Puts a copy of the prepared cluster into an empty folder. Answers the folder. */
export async function copyCluster(prepared: string, folder: string): Promise<string> {
  // With its owner, which is not this user where this one is root.
  await promisify(execFile)('cp', ['-a', join(prepared, 'postgres'), join(prepared, 'postgres.password'), folder]);
  return folder;
}
