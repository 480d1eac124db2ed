/** Waiting for a condition instead of for a time. */
import { until } from '../../src/adapters/server-process.ts';

export interface WaitForOptions {
  /** Fails after so many milliseconds; 20,000 unless told: a shared machine may be slow, and a shared server holds back what a transaction elsewhere has not ended. */
  readonly deadlineMs?: number;
  /** Named in the failure. */
  readonly what: string;
}

/** Asks again and again until `condition` gives something other than null, undefined or false, and returns that. */
export function waitFor<T>(condition: () => T | Promise<T>, { what, deadlineMs = 20_000 }: WaitForOptions) {
  return until(what, deadlineMs, condition);
}
