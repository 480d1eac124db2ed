/** Queue of database writes, one at a time: a slow database delays later writes, not the streams. */
import type { Log } from '../../../streams/log.ts';

/** Maximum waiting writes; further ones are dropped and logged. */
const MOST_WAITING = 10_000;

export function createWriteLine(log: Pick<Log, 'warn' | 'error'>) {
  let writing: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  return {
    /** Takes its turn; a piece that fails is logged as `what`, and the next one goes on. */
    write(what: string, work: () => Promise<unknown>): void {
      if (waiting >= MOST_WAITING) {
        log.error({ what }, 'the database is too slow; records were dropped');
        return;
      }
      waiting++;
      writing = writing
        .then(work)
        .catch((error: unknown) => log.warn({ err: error }, what))
        .finally(() => {
          waiting--;
        });
    },
    /** Resolves when all writes so far are done. */
    done: (): Promise<unknown> => writing,
  };
}

export type WriteLine = ReturnType<typeof createWriteLine>;
