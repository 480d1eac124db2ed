/** Identity in this service: the token provider and the remote signer. */
import { SANDBOX_AUDIENCE, SANDBOX_ISSUER } from '../../sandbox/identity/provider.ts';
import type { Config } from '../config.ts';
import type { OutsideEntry, SimulatorAt } from './entry.ts';
import { identityFolder, registeredKeys } from '../../sandbox/identity/identity-folder.ts';

interface Addresses {
  readonly identity: { readonly issuer: string; readonly audience: string; readonly jwksUrl: string };
  /** Signing API of the identity provider, or null if it has none. */
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
      async start(_, at, home) {
        const { createIdentityProvider } = await import('../../sandbox/identity/provider.ts');
        return createIdentityProvider({ folder: identityFolder(home), ...at });
      },
    },
    signer: {
      place: 15,
      async start(_, at, home) {
        const { createRemoteSignerSimulator } = await import('../../sandbox/identity/remote-signer.ts');
        return createRemoteSignerSimulator({ authorizationKeys: () => registeredKeys(identityFolder(home)), ...at });
      },
    },
  },
} satisfies OutsideEntry;
