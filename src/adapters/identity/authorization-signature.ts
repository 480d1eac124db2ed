/**
 * Authorization signatures for the identity provider's signing API: ECDSA over the canonical request. See
 * docs/reference/outside/remote-signer.md.
 */
import { createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';
import { canonicalJson, type Json } from '../../domain/values/canonical-json.ts';

/** Signed parts of a request. Header names are lower case; only names that begin with `privy-` are signed. */
interface AuthorizedRequest {
  readonly method: 'POST';
  /** Complete URL without a trailing slash. */
  readonly url: string;
  readonly body: Json;
  readonly headers: Readonly<Record<string, string>>;
}

/** Signing key whose private part cannot be read. */
export interface AuthorizationKey {
  /** Public key as base64 SPKI (DER), as the provider registers it. */
  readonly publicKey: string;
  /** Base64 of the DER signature, for the header `privy-authorization-signature`. */
  signature(request: AuthorizedRequest): string;
}

const PREFIX = /^wallet-(auth|api):/;

/**
 * Parses a P-256 private key: PEM, whose line breaks may be written as `\n`, or base64 PKCS #8 with or without the provider's prefix.
 * Returns null if invalid. Never repeats the input.
 */
export function authorizationKey(given: string): AuthorizationKey | null {
  const privateKey = parsePrivateKey(given.trim().replace(PREFIX, '').replaceAll('\\n', '\n'));
  if (privateKey?.asymmetricKeyDetails?.namedCurve !== 'prime256v1') return null;
  return {
    publicKey: createPublicKey(privateKey).export({ format: 'der', type: 'spki' }).toString('base64'),
    signature: (request) =>
      sign('sha256', Buffer.from(authorizationText(request)), { key: privateKey, dsaEncoding: 'der' }).toString('base64'),
  };
}

/** Returns the text to sign: canonical JSON (RFC 8785). */
export function authorizationText({ method, url, body, headers }: AuthorizedRequest): string {
  return canonicalJson({ version: 1, method, url, body, headers });
}

function parsePrivateKey(text: string): KeyObject | null {
  try {
    return text.startsWith('-----')
      ? createPrivateKey(text)
      : createPrivateKey({ key: Buffer.from(text, 'base64'), format: 'der', type: 'pkcs8' });
  } catch {
    return null;
  }
}
