/** Work that is done again and again: how the daemons of the runtime look for what is due. */
import type { Clock } from '../../streams/clock.ts';
import type { WorkName } from './loops.ts';

/** A look that has not ended by then is given up on: an answer that never comes must not end the looking. */
const LOOK_LIMIT_MS = 30_000;

export interface Look {
  /** Ends the looking, after the one that is under way. */
  stop(): Promise<void>;
}

/** The first look of any loop by a clock. All looks lie on whole intervals from there: loops that look at the same moment wake a process once. */
const origins = new WeakMap<object, number>();

function nextLook(clock: Pick<Clock, 'now'>, everyMs: number): number {
  const now = clock.now();
  const origin = origins.get(clock) ?? now;
  origins.set(clock, origin);
  return origin + (Math.floor((now - origin) / everyMs) + 1) * everyMs;
}

/**
 * Looks once in every `everyMs`, never twice at once unless a look hangs: one that took longer is followed by the next at the next whole
 * interval. An error, and a look that is given up on, go to `onError`; the next look comes all the same.
 */
export function runEvery(
  clock: Pick<Clock, 'now' | 'deadline'>,
  loop: WorkName,
  everyMs: number,
  look: () => Promise<unknown>,
  onError: (error: unknown) => void,
): Look {
  let stopped = false;
  let current: Promise<unknown> = Promise.resolve();
  let cancel = (): void => {};

  function limited(): Promise<unknown> {
    return new Promise<void>((resolve, reject) => {
      const giveUp = clock.deadline(clock.now() + LOOK_LIMIT_MS, () =>
        reject(new Error(`${loop}: a look did not end within ${LOOK_LIMIT_MS / 1_000} s`)),
      );
      look()
        .then(() => resolve(), reject)
        .finally(giveUp);
    });
  }

  const schedule = (): void => {
    if (stopped) return;
    cancel = clock.deadline(nextLook(clock, everyMs), () => {
      current = limited().catch(onError).finally(schedule);
    });
  };
  schedule();
  return {
    async stop() {
      stopped = true;
      cancel();
      await current;
    },
  };
}
