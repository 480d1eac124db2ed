/**
 * Signs requests of the spot exchange: HMAC-SHA256 with a shared secret, or Ed25519 with a private key. See
 * docs/reference/outside/spot-exchange.md.
 */
import { createHmac, createPrivateKey, sign } from 'node:crypto';
import { exchangeQuery } from '../../../domain/orders/exchange-request.ts';
import type { SignExchangeRequest } from '../../identity/signer/protocol.ts';

/** Credentials of an account; never logged. */
export interface SpotCredentials {
  readonly key: string;
  /** Shared secret, or an Ed25519 private key in PEM. */
  readonly secret: string;
}

/** Creates a signer with one key in this process. */
export function signWithKey({ key, secret }: SpotCredentials): SignExchangeRequest {
  const sign = spotSigner(secret);
  return async (request) => {
    const query = exchangeQuery(request, key);
    return { outcome: 'signed', apiKey: key, query: `${query}&signature=${sign(query)}` };
  };
}

/** Returns true if the secret is a private key. */
export function isPrivateKey(secret: string): boolean {
  return secret.startsWith('-----BEGIN');
}

/**
 * Creates a function that signs percent-encoded parameters exactly as sent. Returns hex for HMAC and percent-encoded base64 for Ed25519.
 * @throws TypeError if a PEM is not an Ed25519 key
 */
export function spotSigner(secret: string): (payload: string) => string {
  if (!isPrivateKey(secret)) return (payload) => createHmac('sha256', secret).update(payload).digest('hex');
  const key = createPrivateKey(secret);
  if (key.asymmetricKeyType !== 'ed25519') throw new TypeError('the private key of the spot exchange must be Ed25519');
  return (payload) => encodeURIComponent(sign(null, Buffer.from(payload), key).toString('base64'));
}
