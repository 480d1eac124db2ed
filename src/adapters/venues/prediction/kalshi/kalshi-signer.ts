/** Request signature of Kalshi: RSA-PSS with SHA-256 over time, method and path. See docs/reference/outside/kalshi.md. */
import { constants, createPrivateKey, sign } from 'node:crypto';
import type { EpochMs } from '../../../../domain/values/time.ts';

/** Key of the provider: its id, and the RSA private key as PEM. */
export interface KalshiKey {
  readonly id: string;
  readonly privateKey: string;
}

/**
 * Creates a signer that returns a request's headers. `path` includes `/trade-api/v2` or `/trade-api/ws/v2` and no query.
 * @throws Error if the key is invalid
 */
export function kalshiSigner(key: KalshiKey): (method: string, path: string, at: EpochMs) => Readonly<Record<string, string>> {
  const privateKey = createPrivateKey(key.privateKey);
  return (method, path, at) => ({
    'KALSHI-ACCESS-KEY': key.id,
    'KALSHI-ACCESS-TIMESTAMP': String(at),
    'KALSHI-ACCESS-SIGNATURE': sign('sha256', Buffer.from(`${at}${method}${path}`), {
      key: privateKey,
      padding: constants.RSA_PKCS1_PSS_PADDING,
      saltLength: constants.RSA_PSS_SALTLEN_DIGEST,
    }).toString('base64'),
  });
}
