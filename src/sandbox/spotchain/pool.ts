/** A constant-product pool of the sandbox, as numbers. */

/** Computes the output of a pool and the impact on its price; all in whole units. `fee` is the part that it keeps. */
export function throughPool(
  reserveIn: number,
  reserveOut: number,
  input: number,
  fee: number,
): { readonly out: number; readonly impact: number } {
  const effective = input * (1 - fee);
  return { out: (effective * reserveOut) / (reserveIn + effective), impact: effective / (reserveIn + effective) };
}
