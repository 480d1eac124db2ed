/** Folder of a run's temporary files: clusters of PostgreSQL, state folders of services, profiles of browsers. */
import { readFileSync, statfsSync } from 'node:fs';
import { freemem } from 'node:os';

const MEMORY = '/dev/shm';
/** Space that a run needs several times over, in bytes. */
const NEEDED = 6 * 2 ** 30;

/**
 * Makes `os.tmpdir()` of this process, of its threads and of its children a folder in memory, where this machine has one
 * that is large enough. A test database is 900 files: on a disk much of what PostgreSQL costs is making and removing them.
 * Who sets TMPDIR has chosen already.
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
    // Programs are copied to a temporary folder by some tests, and run there.
    if (type !== 'tmpfs' || options.split(',').includes('noexec')) return false;
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize >= NEEDED && freemem() >= NEEDED;
  } catch {
    return false;
  }
}
