/** Pools of the sandbox: a constant-product pool in plain numbers, its market maker and its address. */

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

/** Address of the key pair `sandboxKey('maker')` (src/sandbox/solana/keys.ts), repeated here so that reading it does not load the chain. */
export const SANDBOX_MAKER = '7YXHq3HWXPAx2ZXUVPSSxZfER1Xd4s7jSZuHgmAsTR3i';

const BASE58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

/** Derives a stable address-shaped base58 text from a mint. */
export function poolAddress(mint: string): string {
  let state = 7;
  let address = '';
  for (let i = 0; i < 44; i++) {
    state = (state * 31 + mint.charCodeAt(i % mint.length) + i) % 1_000_003;
    address += BASE58[state % 58];
  }
  return address;
}
