/** Time measurements: printed, and a failure only if the machine must be hanging. */
import { expect } from 'vitest';
import { PATIENCE } from './wait-for.ts';

/** Prints a measurement beside its promise. Fails only far beyond the promise. */
export function measured(what: string, ms: number, promisedMs?: number): void {
  const promise = promisedMs === undefined ? '' : ` (promised: ${promisedMs / 1_000} s)`;
  console.info(`${what}: ${(ms / 1_000).toFixed(1)} s${promise}`);
  if (promisedMs !== undefined) expect(ms, what).toBeLessThan(PATIENCE * promisedMs);
}

/** Returns the smallest figure that this share of the figures does not exceed: `percentile(figures, 0.99)`. */
export function percentile(figures: readonly number[], share: number): number {
  return [...figures].sort((a, b) => a - b)[Math.ceil(figures.length * share) - 1] as number;
}
