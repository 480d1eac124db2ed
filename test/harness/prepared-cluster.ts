/** State folders with a stopped, migrated cluster. Creating one takes six seconds of processor time, copying it almost none. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { startEmbeddedPostgres } from '../../src/adapters/store/embedded-postgres.ts';
import { migrate } from '../../src/adapters/store/migrate.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
/** Clusters of earlier runs, each in a folder named by its day and by what it is made of. */
const KEPT = join(ROOT, 'node_modules', '.cache', 'clusters');
/** Files and folders that a cluster is made of. */
const PARTS = ['migrations', 'src/adapters/store', 'package-lock.json'];
const DAY_MS = 86_400_000;

/** Fills an empty folder with a cluster as the service creates it, or with a copy of today's. Returns the folder. */
export async function prepareCluster(folder: string): Promise<string> {
  const kept = join(KEPT, `${today()}-${digestOfParts()}`);
  if (existsSync(kept)) return copyCluster(kept, folder);
  const server = await startEmbeddedPostgres({ home: folder, log: () => {} });
  try {
    await migrate(server.url);
  } finally {
    await server.stop();
  }
  await keep(folder, kept);
  return folder;
}

/** Copies the prepared cluster into an empty folder. Returns the folder. */
export async function copyCluster(prepared: string, folder: string): Promise<string> {
  // Keeps the file owner, which is another user if root runs the tests.
  await promisify(execFile)('cp', ['-a', join(prepared, 'postgres'), join(prepared, 'postgres.password'), folder]);
  return folder;
}

/** Keeps a copy for the other runs of the day: a migration creates the partitions of its day. */
async function keep(folder: string, kept: string): Promise<void> {
  mkdirSync(KEPT, { recursive: true });
  // No run looks for a cluster of the day before yesterday any more.
  for (const name of readdirSync(KEPT)) {
    const path = join(KEPT, name);
    const { mtimeMs = Date.now() } = statSync(path, { throwIfNoEntry: false }) ?? {};
    if (Date.now() - mtimeMs > 2 * DAY_MS) rmSync(path, { recursive: true, force: true });
  }
  const draft = mkdtempSync(join(KEPT, 'draft-'));
  try {
    await copyCluster(folder, draft);
    renameSync(draft, kept);
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    // Another run was faster.
    if (!existsSync(kept)) throw error;
  }
}

const today = (): string => new Date().toISOString().slice(0, 10);

/** Returns a digest of the names and texts of {@link PARTS}. */
function digestOfParts(): string {
  const hash = createHash('sha256');
  for (const part of PARTS) {
    const path = join(ROOT, part);
    const files = statSync(path).isDirectory()
      ? readdirSync(path, { recursive: true, encoding: 'utf8' })
          .sort()
          .map((name) => join(path, name))
      : [path];
    for (const file of files.filter((one) => statSync(one).isFile())) hash.update(`${file}\n`).update(readFileSync(file));
  }
  return hash.digest('hex').slice(0, 16);
}
