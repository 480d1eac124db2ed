/** Key pairs that sign once for a new account and are then discarded without being stored or logged. */
import { generateKeyPairSync, sign } from 'node:crypto';
import type { EphemeralKey } from '../../../actors/prepared-transaction/built.ts';
import { base58 } from '../../domain/solana/base58.ts';

/** Length of the DER prefix of a public Ed25519 key (RFC 8410). */
const KEY_INFO_BYTES = 12;

export function newEphemeralKey(): EphemeralKey {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const info = publicKey.export({ format: 'der', type: 'spki' });
  return { address: base58(info.subarray(KEY_INFO_BYTES)), sign: (message) => new Uint8Array(sign(null, message, privateKey)) };
}
