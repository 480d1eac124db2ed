/** Identity in this service: the provider of tokens, the remote signer, and their simulators. */
import { join, resolve } from 'node:path';
import type { Clock } from '../../../streams/clock.ts';
import { SANDBOX_AUDIENCE, SANDBOX_ISSUER } from '../../sandbox/identity/provider.ts';
import { registeredKeys } from '../../sandbox/identity/registered-key.ts';
import { openSigningKeys, type SigningKeys } from '../../sandbox/identity/signing-keys.ts';
import type { Config } from '../config.ts';
import type { OutsideEntry, SimulatorAt } from './entry.ts';

interface Addresses {
  readonly identity: { readonly issuer: string; readonly audience: string; readonly jwksUrl: string };
  /** The identity provider's signing API; null where nothing is signed by it. */
  readonly signerUrl: string | null;
}

export const identity = {
  venue: 'reference',
  budgets: () => ({}),
  addresses: (config: Config, simulator: SimulatorAt): Addresses => ({
    signerUrl: config.IDP_SIGNER_URL ?? (config.SVC_DELEGATED_SIGNING_ENABLED ? simulator('signer') : null),
    identity:
      config.IDP_ISSUER !== null && config.IDP_AUDIENCE !== null && config.IDP_JWKS_URL !== null
        ? { issuer: config.IDP_ISSUER, audience: config.IDP_AUDIENCE, jwksUrl: config.IDP_JWKS_URL }
        : { issuer: SANDBOX_ISSUER, audience: SANDBOX_AUDIENCE, jwksUrl: `${simulator('identity')}/.well-known/jwks.json` },
  }),
  isSimulated: (config) => config.IDP_ISSUER === null || (config.SVC_DELEGATED_SIGNING_ENABLED && config.IDP_SIGNER_URL === null),
  simulators: {
    identity: {
      place: 6,
      async start(_, at, config) {
        const { createIdentityProvider } = await import('../../sandbox/identity/provider.ts');
        return createIdentityProvider({ folder: identityFolder(config), ...at });
      },
    },
    signer: {
      place: 15,
      async start(_, at, config) {
        const { createRemoteSignerSimulator } = await import('../../sandbox/identity/remote-signer.ts');
        return createRemoteSignerSimulator({ authorizationKeys: () => registeredKeys(identityFolder(config)), ...at });
      },
    },
  },
} satisfies OutsideEntry;

/** The local identity provider's keys; any process of this state folder may mint with them. */
export function localSigningKeys(config: Config, clock: Pick<Clock, 'now'>): SigningKeys {
  return openSigningKeys({ folder: identityFolder(config), issuer: SANDBOX_ISSUER, now: () => clock.now() });
}

/** Where the state of the sandbox's identity provider lies. */
export function identityFolder(config: Pick<Config, 'SEVENGATE_HOME'>): string {
  return join(resolve(config.SEVENGATE_HOME), 'identity');
}
