/** Base58 in the alphabet of the primary chain: addresses are 32 bytes, signatures 64. */

const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const DIGIT: ReadonlyMap<string, number> = new Map(Array.from(ALPHABET, (character, digit) => [character, digit]));

/** Five digits at a time: 58^5 x 256 is still exact as a double. */
const LIMB_DIGITS = 5;
const LIMB = 58 ** LIMB_DIGITS;

/** Bytes as base58; each leading zero byte is a leading `1`. */
export function base58(bytes: Uint8Array): string {
  const limbs: number[] = [];
  for (const byte of bytes) {
    let carry = byte;
    for (let i = 0; i < limbs.length; i++) {
      const value = (limbs[i] as number) * 256 + carry;
      carry = Math.floor(value / LIMB);
      limbs[i] = value - carry * LIMB;
    }
    if (carry > 0) limbs.push(carry);
  }
  let zeros = 0;
  while (zeros < bytes.length && bytes[zeros] === 0) zeros++;
  let digits = '';
  for (const limb of limbs) {
    let left = limb;
    for (let place = 0; place < LIMB_DIGITS; place++) {
      digits = (ALPHABET[left % 58] as string) + digits;
      left = Math.floor(left / 58);
    }
  }
  // Only the highest limb may be short of digits.
  return '1'.repeat(zeros) + digits.replace(/^1+/, '');
}

/** Bytes of a base58 text; null where it is none or longer than a signature's. */
export function fromBase58(text: string): Uint8Array | null {
  if (text.length > 90) return null;
  const bytes: number[] = [];
  for (const character of text) {
    let carry = DIGIT.get(character);
    if (carry === undefined) return null;
    for (let i = 0; i < bytes.length; i++) {
      carry += (bytes[i] as number) * 58;
      bytes[i] = carry & 0xff;
      carry >>= 8;
    }
    for (; carry > 0; carry >>= 8) bytes.push(carry & 0xff);
  }
  let zeros = 0;
  while (zeros < text.length && text[zeros] === '1') zeros++;
  return Uint8Array.from([...new Uint8Array(zeros), ...bytes.reverse()]);
}

/** True of a text that is the base58 spelling of 32 bytes. */
export function isAddress(text: string): boolean {
  return fromBase58(text)?.length === 32;
}
