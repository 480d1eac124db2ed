/** Classifies transient failures and computes the wait before the next attempt. */
import { ApiError, NetworkError } from './errors.ts';
import { spreadPause, type Timing } from './timing.ts';

/** Statuses that mean a busy service or proxy. */
const BUSY = [429, 502, 503, 504];
const PAUSES = { firstMs: 500, longestMs: 8_000 };
/** Longest `Retry-After` that is waited for. Beyond it the call fails at once. */
const LONGEST_RETRY_AFTER_MS = 60_000;

/** True if the same request may succeed later. */
function isPassing(error: unknown): boolean {
  if (error instanceof ApiError) return BUSY.includes(error.status) || error.code === 'idempotency_in_flight';
  if (!(error instanceof NetworkError)) return false;
  return error.failure !== 'foreign' || BUSY.includes(error.status ?? 0);
}

/** Returns the wait in milliseconds after so many failures, or null to give up. Never shorter than `Retry-After`. */
export function pauseAfter(error: unknown, failures: number, timing: Timing, pauses = PAUSES): number | null {
  if (!isPassing(error)) return null;
  const asked = error instanceof ApiError || error instanceof NetworkError ? (error.retryAfterMs ?? 0) : 0;
  return asked > LONGEST_RETRY_AFTER_MS ? null : Math.max(asked, spreadPause(failures, pauses, timing));
}
