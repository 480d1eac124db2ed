/** Queue of database writes, one at a time: a slow database delays later writes, not the streams. */
import type { Clock } from '../../../streams/clock/clock.ts';
import type { Log } from '../../../streams/log.ts';
import { isAway } from './database.ts';

/** Maximum waiting writes; further ones are dropped and logged. */
const MOST_WAITING = 10_000;

/** Maximum attempts of one piece while the database is away, and the milliseconds between two. */
const MAX_ATTEMPTS = 60;
const RETRY_MS = 1_000;

/** @param clock with it, a piece is repeated while the database is away. Its work must allow that. Default: it is not repeated. */
export function createWriteLine(log: Pick<Log, 'warn' | 'error'>, clock: Pick<Clock, 'now' | 'deadline'> | null = null) {
  let writing: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  let isEnding = false;
  let wake = (): void => {};

  async function persist(work: () => Promise<unknown>): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        await work();
        return;
      } catch (error) {
        if (clock === null || isEnding || attempt === MAX_ATTEMPTS || !isAway(error)) throw error;
        await new Promise<void>((resolve) => {
          const cancel = clock.deadline(clock.now() + RETRY_MS, resolve);
          wake = () => {
            cancel();
            resolve();
          };
        });
      }
    }
  }

  return {
    /** Takes its turn; a piece that fails is logged as `what`, and the next one goes on. */
    write(what: string, work: () => Promise<unknown>): void {
      if (waiting >= MOST_WAITING) {
        log.error({ what }, 'the database is too slow; records were dropped');
        return;
      }
      waiting++;
      writing = writing
        .then(() => persist(work))
        .catch((error: unknown) => log.warn({ err: error }, what))
        .finally(() => {
          waiting--;
        });
    },
    /** Resolves when all writes so far are done. */
    done: (): Promise<unknown> => writing,
    /** Repeats nothing any more. Resolves when all writes so far are done or have failed. */
    end(): Promise<unknown> {
      isEnding = true;
      wake();
      return writing;
    },
  };
}

export type WriteLine = ReturnType<typeof createWriteLine>;
