/** Waiting for a condition instead of for a time. */
import { until } from '../../src/adapters/server-process.ts';

export interface WaitForOptions {
  /** Fails after so many milliseconds; 5,000 unless told. */
  readonly deadlineMs?: number;
  /** Named in the failure. */
  readonly what: string;
}

/** Asks again and again until `condition` gives something other than null, undefined or false, and returns that. */
export function waitFor<T>(condition: () => T | Promise<T>, { what, deadlineMs = 5_000 }: WaitForOptions) {
  return until(what, deadlineMs, condition);
}
