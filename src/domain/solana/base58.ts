/** Base58 of the primary chain: addresses have 32 bytes, signatures 64. */
import { base58 as coder } from '@scure/base';

/** Maximum characters, more than any signature has. Decoding time grows with the square of the length. */
const MAX_CHARACTERS = 90;

/** Encodes bytes as base58. Each leading zero byte is a leading `1`. */
export function base58(bytes: Uint8Array): string {
  return coder.encode(bytes);
}

/** Decodes a base58 text, or returns null if it is invalid or longer than a signature's. */
export function fromBase58(text: string): Uint8Array | null {
  if (text.length > MAX_CHARACTERS) return null;
  try {
    return coder.decode(text);
  } catch {
    return null;
  }
}

/** True for a text of 32 bytes in base58. */
export function isAddress(text: string): boolean {
  return fromBase58(text)?.length === 32;
}
