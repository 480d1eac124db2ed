/** Key pairs and derived addresses of the sandbox's chain: made from a text, so that every start has the same. */
import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import { type Address, getAddressDecoder, getAddressEncoder, isOffCurveAddress } from '@solana/kit';

export interface SandboxKey {
  readonly address: Address;
  sign(message: Uint8Array): Uint8Array;
}

const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');
const SPKI = Buffer.from('302a300506032b6570032100', 'hex');

/** The key pair that belongs to a text. It guards nothing: whoever can read this file can derive it. */
export function sandboxKey(text: string): SandboxKey {
  const seed = createHash('sha256').update(`sevengate sandbox ${text}`).digest();
  const secret: KeyObject = createPrivateKey({ key: Buffer.concat([PKCS8, seed]), format: 'der', type: 'pkcs8' });
  const spki = createPublicKey(secret).export({ format: 'der', type: 'spki' });
  const address = getAddressDecoder().decode(spki.subarray(SPKI.length));
  return { address, sign: (message) => sign(null, message, secret) };
}

/** Whether an address signed the message. */
export function signatureHolds(address: Address, message: Uint8Array, signature: Uint8Array): boolean {
  try {
    const key = createPublicKey({
      key: Buffer.concat([SPKI, getAddressEncoder().encode(address) as Uint8Array]),
      format: 'der',
      type: 'spki',
    });
    return verify(null, message, key, signature);
  } catch {
    return false;
  }
}

/** The address that a program derives from seeds; it lies off the curve, so that nobody can sign for it. */
export function derivedAddress(program: Address, seeds: readonly Uint8Array[]): Address {
  const encode = getAddressEncoder();
  for (let bump = 255; bump >= 0; bump--) {
    const hash = createHash('sha256');
    for (const seed of seeds) hash.update(seed);
    const bytes = hash
      .update(Uint8Array.of(bump))
      .update(encode.encode(program) as Uint8Array)
      .update('ProgramDerivedAddress')
      .digest();
    const address = getAddressDecoder().decode(bytes);
    if (isOffCurveAddress(address)) return address;
  }
  throw new Error('no bump leads off the curve');
}
