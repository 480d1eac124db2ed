/** Constant-product pool in plain numbers. */

/** Computes a pool's output and price impact, in whole units. @param fee fraction of the input that the pool keeps */
export function throughPool(
  reserveIn: number,
  reserveOut: number,
  input: number,
  fee: number,
): { readonly out: number; readonly impact: number } {
  const effective = input * (1 - fee);
  return { out: (effective * reserveOut) / (reserveIn + effective), impact: effective / (reserveIn + effective) };
}
