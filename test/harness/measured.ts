/** Figures of time: printed as they are, and no failure before the machine must be called hanging. */
import { expect } from 'vitest';
import { PATIENCE } from './wait-for.ts';

/** Prints what was measured, for whoever reads the run, and what was promised; far beyond the promise it is a failure. */
export function measured(what: string, ms: number, promisedMs?: number): void {
  const promise = promisedMs === undefined ? '' : ` (promised: ${promisedMs / 1_000} s)`;
  console.info(`${what}: ${(ms / 1_000).toFixed(1)} s${promise}`);
  if (promisedMs !== undefined) expect(ms, what).toBeLessThan(PATIENCE * promisedMs);
}

/** The least of the figures that this share of them does not exceed: `percentile(figures, 0.99)` of 99 in 100. */
export function percentile(figures: readonly number[], share: number): number {
  return [...figures].sort((a, b) => a - b)[Math.ceil(figures.length * share) - 1] as number;
}
