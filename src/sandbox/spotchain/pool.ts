/** A constant-product pool of the sandbox, as numbers. */

/** Pool fee of each swap. */
const POOL_FEE = 0.002_5;

/** Computes the output of a pool and the impact on its price; all in whole units. */
export function throughPool(reserveIn: number, reserveOut: number, input: number): { readonly out: number; readonly impact: number } {
  const effective = input * (1 - POOL_FEE);
  return { out: (effective * reserveOut) / (reserveIn + effective), impact: effective / (reserveIn + effective) };
}
