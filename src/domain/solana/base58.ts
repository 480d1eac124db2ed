/** Base58 as the primary chain spells its keys: addresses are 32 bytes, signatures 64. */
import { base58 as coder } from '@scure/base';

/** Longer than any signature in base58: decoding takes time that grows with the square of the length. */
const MAX_CHARACTERS = 90;

/** Bytes as base58; each leading zero byte is a leading `1`. */
export function base58(bytes: Uint8Array): string {
  return coder.encode(bytes);
}

/** Bytes of a base58 text; null if it is not one or longer than a signature's. */
export function fromBase58(text: string): Uint8Array | null {
  if (text.length > MAX_CHARACTERS) return null;
  try {
    return coder.decode(text);
  } catch {
    return null;
  }
}

/** True for a text that is 32 bytes in base58. */
export function isAddress(text: string): boolean {
  return fromBase58(text)?.length === 32;
}
