/** The address of the pool of a token in the sandbox. */
const BASE58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

/** A base58 text of an address's length, derived from the mint so that it never changes. */
export function poolAddress(mint: string): string {
  let state = 7;
  let address = '';
  for (let i = 0; i < 44; i++) {
    state = (state * 31 + mint.charCodeAt(i % mint.length) + i) % 1_000_003;
    address += BASE58[state % 58];
  }
  return address;
}
