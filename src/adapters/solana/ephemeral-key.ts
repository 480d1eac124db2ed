/** Key pairs that sign for a new account once and are forgotten: nothing of them is stored or told. */
import { generateKeyPairSync, sign } from 'node:crypto';
import type { EphemeralKey } from '../../../actors/prepared-transaction/built.ts';
import { base58 } from '../../domain/solana/base58.ts';

/** Length of the prefix before an Ed25519 key's 32 bytes in the public key info (RFC 8410). */
const KEY_INFO_BYTES = 12;

export function newEphemeralKey(): EphemeralKey {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const info = publicKey.export({ format: 'der', type: 'spki' });
  return { address: base58(info.subarray(KEY_INFO_BYTES)), sign: (message) => new Uint8Array(sign(null, message, privateKey)) };
}
