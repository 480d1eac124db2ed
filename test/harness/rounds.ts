/** How often a test with many rounds repeats itself: in the suite as often as finds a fault of the usual kind, in `npm run proof` far more often. */

/** A proof runs every file that calls this, beside the `*.proof.test.ts`. */
export function rounds({ suite, proof }: { readonly suite: number; readonly proof: number }): number {
  return process.env['SEVENGATE_PROOF'] === undefined ? suite : proof;
}
