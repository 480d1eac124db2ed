/** Folder of a run's temporary files: PostgreSQL clusters, state folders of services, browser profiles. */
import { readFileSync, statfsSync } from 'node:fs';
import { freemem } from 'node:os';

const MEMORY = '/dev/shm';
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
