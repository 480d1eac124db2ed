/** Folder of a run's temporary files: PostgreSQL clusters, state folders of services, browser profiles. */
import { mkdtempSync, readFileSync, statfsSync } from 'node:fs';
import { freemem, tmpdir } from 'node:os';
import { join } from 'node:path';

const MEMORY = '/dev/shm';
/** Beginning of the name of each folder of a run, before the id of its process. */
export const RUN_PREFIX = 'sevengate-test-';
/** Required free space in bytes, several times what a run needs. */
const NEEDED = 6 * 2 ** 30;

/**
 * Points `os.tmpdir()` of this process, its threads and its children to a folder in memory, if there is one that is large
 * enough. A test database has 900 files: on a disk, creating and removing them is much of PostgreSQL's cost.
 * An explicit TMPDIR is kept.
 */
export function keepTemporaryFilesInMemory(): void {
  if (process.env['TMPDIR'] === undefined && isUsable()) process.env['TMPDIR'] = MEMORY;
}

/** Creates a temporary folder of this run. It is removed at the end of the run at the latest, and servers with a pid file in it are stopped. */
export const newRunFolder = (purpose = ''): string => mkdtempSync(join(tmpdir(), `${RUN_PREFIX}${process.pid}-${purpose}`));

function isUsable(): boolean {
  try {
    const [, type, options = ''] =
      readFileSync('/proc/mounts', 'utf8')
        .split('\n')
        .map((line) => line.split(' ').slice(1))
        .findLast(([place]) => place === MEMORY) ?? [];
    // Some tests copy programs to a temporary folder and run them there.
    if (type !== 'tmpfs' || options.split(',').includes('noexec')) return false;
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize >= NEEDED && freemem() >= NEEDED;
  } catch {
    return false;
  }
}
