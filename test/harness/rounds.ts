/** Repetitions of a test with many rounds: in the suite as often as finds a fault of the usual kind, in `npm run proof` far more often. */
import { test } from 'vitest';

/** True in `npm run proof`. A proof runs every file that calls one of these functions, beside the `*.proof.test.ts`. */
export function inProof(): boolean {
  return process.env['TEST_PROOF'] !== undefined;
}

export function rounds({ suite, proof }: { readonly suite: number; readonly proof: number }): number {
  return inProof() ? proof : suite;
}

/**
 * True if a case of a large table is run: in `npm run proof` each one, in the suite one in `nth`, along the diagonals, so that every row
 * and every column of the table is met.
 */
export function isMet(row: number, column: number, nth: number): boolean {
  return (row + column) % rounds({ suite: nth, proof: 1 }) === 0;
}

/** A test of a long story, run by `npm run proof` alone; what the suite has of it stands beside it, or in the rooms that it passes. */
export const testInProof = test.runIf(inProof());
