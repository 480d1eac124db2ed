/** Waiting for a condition instead of for a time. */
import { setTimeout as pause } from 'node:timers/promises';
import { inProof } from './rounds.ts';

/**
 * Factor of a crowded machine over a promise before a test counts as hanging. The promise itself is measured on a quiet machine and printed
 * by the journeys; a test that fails because a neighbour is busy proves nothing.
 */
export const PATIENCE = 10;

/** No wait of the suite is longer: a test that takes more is ended by its own bound, and could not say what it waited for. */
export const LONGEST_MS = 200_000;

export interface WaitForOptions {
  /** Promised time, default 10,000 ms. Fails after `PATIENCE` times as many milliseconds; in the suite after 200,000 at the latest. */
  readonly deadlineMs?: number;
  /** Named in the failure. */
  readonly what: string;
}

/**
 * Returns the wait before the next look, in milliseconds, by the time waited so far. What comes soon is noticed soon, and what takes a
 * minute is not polled twenty times a second, because a request costs the service milliseconds of processor time.
 */
const nextWait = (waitedMs: number): number => Math.min(Math.max(waitedMs / 20, 5), 250);

/** Asks again and again until `condition` gives something other than null, undefined or false, and returns that. */
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
