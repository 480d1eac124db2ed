/** Repetitions of a test with many rounds: enough for common faults in the suite, far more in `npm run proof`. */
import { test } from 'vitest';

/** True in `npm run proof`. A proof runs every file that calls one of these functions, and all `*.proof.test.ts`. */
export function inProof(): boolean {
  return process.env['TEST_PROOF'] !== undefined;
}

export function rounds({ suite, proof }: { readonly suite: number; readonly proof: number }): number {
  return inProof() ? proof : suite;
}

/**
 * True if a case of a large table is run: every case in `npm run proof`, one in `nth` in the suite, along the diagonals, so that every
 * row and every column of the table is covered.
 */
export function isMet(row: number, column: number, nth: number): boolean {
  return (row + column) % rounds({ suite: nth, proof: 1 }) === 0;
}

/** Test of a long scenario, run by `npm run proof` only. The suite has a short form of it. */
export const testInProof = test.runIf(inProof());
