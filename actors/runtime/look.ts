/** Work that is done again and again, never twice at once: how the daemons of the runtime look for what is due. */
import type { Clock } from '../../streams/clock.ts';

export interface Look {
  /** Ends the looking, after the one that is under way. */
  stop(): Promise<void>;
}

/** Looks every `everyMs` after the last look ended. An error goes to `onError` and the next look comes all the same. */
export function lookEvery(
  clock: Pick<Clock, 'now' | 'deadline'>,
  everyMs: number,
  look: () => Promise<unknown>,
  onError: (error: unknown) => void,
): Look {
  let stopped = false;
  let current: Promise<unknown> = Promise.resolve();
  let cancel = (): void => {};
  const schedule = (): void => {
    if (stopped) return;
    cancel = clock.deadline(clock.now() + everyMs, () => {
      current = look().catch(onError).finally(schedule);
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
