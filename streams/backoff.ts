/** Backoff before a failed operation is retried, shared by every feed, poll and request. */

interface BackoffBounds {
  /** Maximum delay before the first retry. Default 0.5 s. */
  readonly firstMs?: number;
  /** Longest maximum delay. Default 30 s. */
  readonly mostMs?: number;
}

/**
 * Milliseconds to wait before attempt `attempt` (1 = the first after a loss): the full delay doubles from `firstMs` to
 * `mostMs`, and half of it is random, so that many processes do not return in step. `random` gives 0 <= n < 1.
 *
 * With the default bounds it is never under 15 s from the 7th attempt on, which keeps every pattern of loss below 60
 * attempts in 10 minutes.
 */
export function backoffMs(attempt: number, random: () => number, { firstMs = 500, mostMs = 30_000 }: BackoffBounds = {}): number {
  const full = Math.min(mostMs, firstMs * 2 ** Math.min(attempt - 1, 16));
  return Math.round(full * (0.5 + random() / 2));
}
