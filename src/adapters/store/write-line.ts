/** Work on the database, one piece after the other: a slow database delays the next piece, never the streams that bring it. */
import type { Log } from '../../../streams/log.ts';

/** Pieces that may wait; what comes on top of them is dropped, and said. */
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
