/** Waits for a condition instead of for a time. */
import { setTimeout as pause } from 'node:timers/promises';
import { inProof } from './rounds.ts';

/**
 * Factor over a promised time before a test counts as hanging. The promise itself is measured on a quiet machine and printed
 * by the journeys; a test that fails because the machine is busy proves nothing.
 */
export const PATIENCE = 10;

/** Longest wait of the suite. A longer one would be ended by the test's own timeout, without saying what it waited for. */
export const LONGEST_MS = 200_000;

export interface WaitForOptions {
  /** Promised time in milliseconds, default 10,000. Fails after `PATIENCE` times as long, in the suite after 200,000 ms at the latest. */
  readonly deadlineMs?: number;
  /** Description for the failure. */
  readonly what: string;
}

/**
 * Returns the wait before the next poll in milliseconds, by the time waited so far: short at first, longer for slow conditions, because a
 * request costs the service milliseconds of processor time.
 */
const nextWait = (waitedMs: number): number => Math.min(Math.max(waitedMs / 20, 5), 250);

/** Polls until `condition` returns something other than null, undefined or false, and returns that. */
export async function waitFor<T>(
  condition: () => T | Promise<T>,
  { what, deadlineMs = 10_000 }: WaitForOptions,
): Promise<Exclude<T, null | false | undefined>> {
  const longestMs = Math.min(PATIENCE * deadlineMs, inProof() ? Number.POSITIVE_INFINITY : LONGEST_MS);
  const began = performance.now();
  for (;;) {
    const found = await condition();
    if (found !== null && found !== false && found !== undefined) return found as Exclude<T, null | false | undefined>;
    const waitedMs = performance.now() - began;
    if (waitedMs > longestMs) throw new Error(`${what}: not within ${longestMs / 1000} s`);
    await pause(nextWait(waitedMs));
  }
}
