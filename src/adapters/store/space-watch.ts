/** Watches free space: the disk of the state folder, and changes that the database refused for lack of space. */
import { statfs } from 'node:fs/promises';
import type { Clock } from '../../../streams/clock/clock.ts';
import { errorText } from '../../domain/values/value-text.ts';
import { isOutOfResources } from './database.ts';

/** Bytes below which a disk counts as full: PostgreSQL needs as much for its next files. */
const LEAST_BYTES = 64 * 1024 * 1024;
/** Milliseconds for which a refusal for lack of space counts. */
const REFUSAL_COUNTS_MS = 30_000;

/** @param freeBytes returns the free bytes on the state folder's disk; default asks the system */
export function createSpaceWatch(
  home: string,
  clock: Pick<Clock, 'elapsed'>,
  freeBytes: () => Promise<number> = async () => {
    const { bavail, bsize } = await statfs(home);
    return bavail * bsize;
  },
) {
  let refused: { readonly at: number; readonly detail: string } | null = null;
  return {
    /** Takes note of an error; true if it says that something has run out. */
    noted(error: unknown): boolean {
      if (!isOutOfResources(error)) return false;
      refused = { at: clock.elapsed(), detail: errorText(error) };
      return true;
    },
    /** Describes what is left. @throws Error if there is too little, or if the database has just refused a change for lack of space. */
    async left(): Promise<string> {
      const free = await freeBytes();
      const megabytes = Math.floor(free / 1_048_576);
      if (free < LEAST_BYTES) throw new Error(`${megabytes} MiB are left on the disk of ${home}`);
      if (refused !== null && clock.elapsed() - refused.at < REFUSAL_COUNTS_MS) throw new Error(`a change was refused: ${refused.detail}`);
      return `${megabytes} MiB are left on the disk of the state folder`;
    },
  };
}

export type SpaceWatch = ReturnType<typeof createSpaceWatch>;
