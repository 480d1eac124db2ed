/** Time, randomness and pauses in one place, so that a test can replace them and never sleeps. */

export interface Timing {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Resolves after this many milliseconds, or rejects with the signal's reason if it is aborted first. */
  wait(ms: number, signal?: AbortSignal): Promise<void>;
  /** Random number in [0, 1). It spreads the pauses of many clients. */
  random(): number;
}

/** Longest delay of `setTimeout`, almost 25 days. A longer one would end at once. */
const LONGEST_MS = 2_147_483_647;

/** Timing of the platform. */
export const PLATFORM_TIMING: Timing = {
  now: () => Date.now(),
  random: () => Math.random(),
  wait(ms, signal) {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const timer = setTimeout(
        () => {
          signal?.removeEventListener('abort', give);
          resolve();
        },
        Math.min(ms, LONGEST_MS),
      );
      function give(): void {
        clearTimeout(timer);
        reject(signal?.reason);
      }
      signal?.addEventListener('abort', give, { once: true });
    });
  },
};

/** Creates a controller that is also aborted by the given signal, until it is released. */
export function linkedController(signal: AbortSignal | undefined): { readonly controller: AbortController; release(): void } {
  const controller = new AbortController();
  const abort = (): void => controller.abort(signal?.reason);
  if (signal?.aborted) abort();
  else signal?.addEventListener('abort', abort, { once: true });
  return { controller, release: () => signal?.removeEventListener('abort', abort) };
}

/** Returns the pause after so many failures in a row, in milliseconds: doubles up to the longest, randomized over its second half. */
export function spreadPause(failures: number, { firstMs, longestMs }: { firstMs: number; longestMs: number }, timing: Timing): number {
  return Math.min(longestMs, firstMs * 2 ** failures) * (0.5 + timing.random() / 2);
}
