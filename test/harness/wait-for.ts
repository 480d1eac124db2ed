/** Waiting for a condition instead of for a time. */
import { until } from '../../src/adapters/server-process.ts';

/**
 * How much slower than its promise a crowded machine may be before we call it hanging. What is promised is measured on a
 * quiet machine and printed by the journeys; a test that fails because a neighbour is busy proves nothing.
 */
export const PATIENCE = 10;

/** No wait is longer: a test that takes more is ended by its own bound, and could not say what it waited for. */
const LONGEST_MS = 200_000;

export interface WaitForOptions {
  /** What is promised, 10,000 unless told; fails after `PATIENCE` times as many milliseconds, and after 200,000 at the latest. */
  readonly deadlineMs?: number;
  /** Named in the failure. */
  readonly what: string;
}

/** Asks again and again until `condition` gives something other than null, undefined or false, and returns that. */
export function waitFor<T>(condition: () => T | Promise<T>, { what, deadlineMs = 10_000 }: WaitForOptions) {
  return until(what, Math.min(PATIENCE * deadlineMs, LONGEST_MS), condition);
}
