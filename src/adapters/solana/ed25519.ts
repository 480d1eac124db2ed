/** Signatures of the primary chain, checked in the strict reading of RFC 8032 by two implementations that must agree. */
import { createPublicKey, verify } from 'node:crypto';
import { ed25519 } from '@noble/curves/ed25519.js';

/** Prefix of an Ed25519 key's 32 bytes in the public key info that OpenSSL reads (RFC 8410). */
const KEY_INFO = Buffer.from('302a300506032b6570032100', 'hex');

/**
 * True of an Ed25519 signature of `key` over `message`. Stricter than the chain itself, so that one message has one
 * accepted signature per signing: no scalar beyond the group's order, no point in a second encoding, and no key of small
 * order, which would sign everything. OpenSSL is asked first, for it says no a hundred times faster.
 */
export function verifyEd25519(signature: Uint8Array, message: Uint8Array, key: Uint8Array): boolean {
  if (signature.length !== 64 || key.length !== 32) return false;
  try {
    const opened = createPublicKey({ key: Buffer.concat([KEY_INFO, key]), format: 'der', type: 'spki' });
    return verify(null, message, opened, signature) && ed25519.verify(signature, message, key, { zip215: false });
  } catch {
    // Bytes that are no point or no scalar.
    return false;
  }
}
