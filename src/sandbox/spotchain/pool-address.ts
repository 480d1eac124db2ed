/** Pool addresses of the sandbox's tokens. */
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
