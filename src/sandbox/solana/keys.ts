/** Key pairs and derived addresses of the sandbox's chain, made from texts so that every start has the same. */
import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import { type Address, getAddressDecoder, getAddressEncoder } from '@solana/kit';

export interface SandboxKey {
  readonly address: Address;
  sign(message: Uint8Array): Uint8Array;
}

const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');
const SPKI = Buffer.from('302a300506032b6570032100', 'hex');

/** Derives the key pair of a text. It protects nothing: anyone can derive it. */
export function sandboxKey(text: string): SandboxKey {
  const seed = createHash('sha256').update(`sevengate sandbox ${text}`).digest();
  const secret: KeyObject = createPrivateKey({ key: Buffer.concat([PKCS8, seed]), format: 'der', type: 'pkcs8' });
  const spki = createPublicKey(secret).export({ format: 'der', type: 'spki' });
  const address = getAddressDecoder().decode(spki.subarray(SPKI.length));
  return { address, sign: (message) => sign(null, message, secret) };
}

/** True if an address signed the message. */
export function signatureHolds(address: Address, message: Uint8Array, signature: Uint8Array): boolean {
  try {
    return verify(null, message, readPublicKey(address), signature);
  } catch {
    return false;
  }
}

/** Cached keys, because parsing one takes longer than checking a signature. */
const READ_KEYS = new Map<Address, KeyObject>();
const MOST_READ_KEYS = 10_000;

function readPublicKey(address: Address): KeyObject {
  const known = READ_KEYS.get(address);
  if (known !== undefined) return known;
  const bytes = getAddressEncoder().encode(address) as Uint8Array;
  const key = createPublicKey({ key: Buffer.concat([SPKI, bytes]), format: 'der', type: 'spki' });
  if (READ_KEYS.size >= MOST_READ_KEYS) READ_KEYS.clear();
  READ_KEYS.set(address, key);
  return key;
}
