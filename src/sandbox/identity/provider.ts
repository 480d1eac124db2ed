/** The sandbox's identity provider on loopback: discovery document and JWKS from stored keys. */
import type { Clock } from '../../../streams/clock/clock.ts';
import { createFaultSwitch, type FaultSwitch } from '../faults.ts';
import { createHttpSimulator, type HttpSimulator } from '../reference/http-simulator.ts';
import { openSigningKeys, type SigningKeys } from './signing-keys.ts';

/** Issuer of sandbox tokens. It is a name and not an address, so that tokens survive a change of port. */
export const SANDBOX_ISSUER = 'https://identity.sandbox.invalid';
export const SANDBOX_AUDIENCE = 'sevengate';

export interface IdentityProviderOptions {
  /** Folder of the keys, e.g. `<home>/identity`. */
  readonly folder: string;
  readonly clock: Clock;
  readonly issuer?: string;
  readonly faults?: FaultSwitch;
  /** Port; 0 takes any free port. */
  readonly port: number;
}

export interface IdentityProvider extends HttpSimulator {
  readonly issuer: string;
  readonly jwksUrl: string;
  readonly keys: SigningKeys;
}

/** Opens the provider. `keys.mintToken` mints tokens in any process that opens the folder. */
export async function createIdentityProvider(options: IdentityProviderOptions): Promise<IdentityProvider> {
  const { clock } = options;
  const issuer = options.issuer ?? SANDBOX_ISSUER;
  const keys = openSigningKeys({ folder: options.folder, issuer, now: () => clock.now() });
  let url = '';
  const server = await createHttpSimulator({
    clock,
    faults: options.faults ?? createFaultSwitch(),
    port: options.port,
    reply: ({ path }) => {
      if (path === '/.well-known/jwks.json') {
        return { status: 200, body: { keys: keys.published() }, headers: { 'cache-control': 'public, max-age=120' } };
      }
      if (path === '/.well-known/openid-configuration') {
        return {
          status: 200,
          body: {
            issuer,
            jwks_uri: `${url}/.well-known/jwks.json`,
            id_token_signing_alg_values_supported: ['ES256'],
            response_types_supported: ['token'],
            subject_types_supported: ['public'],
            claims_supported: ['iss', 'aud', 'sub', 'sid', 'jti', 'iat', 'exp'],
          },
        };
      }
      return { status: 404, body: { error: 'not found' } };
    },
  });
  url = server.url;
  return { ...server, issuer, jwksUrl: `${url}/.well-known/jwks.json`, keys };
}
