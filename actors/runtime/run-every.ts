/** Runs periodic work, by which the runtime's loops look for what is due. */
import type { Clock } from '../../streams/clock/clock.ts';
import type { WorkName } from './loops.ts';

/** Time in milliseconds after which a look is given up, so that an answer that never comes does not end the loop. */
const LOOK_LIMIT_MS = 30_000;

export interface Look {
  /** Stops the loop after the running look. */
  stop(): Promise<void>;
}

/**
 * First look of any loop, by clock. All looks fall on whole intervals from there, so that loops that look at the same moment wake a process
 * once.
 */
const origins = new WeakMap<object, number>();

function nextLook(clock: Pick<Clock, 'now'>, everyMs: number): number {
  const now = clock.now();
  const origin = origins.get(clock) ?? now;
  origins.set(clock, origin);
  return origin + (Math.floor((now - origin) / everyMs) + 1) * everyMs;
}

/**
 * Looks once per `everyMs`, never twice at once unless a look hangs. After a long look the next one comes at the next whole interval.
 * Errors and looks that are given up go to `onError`, and the loop goes on.
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
        reject(new Error(`${loop}: a round did not end within ${LOOK_LIMIT_MS / 1_000} s`)),
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
