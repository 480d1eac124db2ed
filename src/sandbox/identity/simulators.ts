/** Simulators of the identity provider and the remote signer. */

import type { Simulators } from '../simulator-entry.ts';
import { identityFolder } from './identity-folder.ts';
import { registeredKeys } from './registered-key.ts';

export const IDENTITY_SIMULATORS = {
  identity: {
    place: 6,
    async start(_, at, home) {
      const { createIdentityProvider } = await import('./provider.ts');
      return createIdentityProvider({ folder: identityFolder(home), ...at });
    },
  },
  signer: {
    place: 15,
    async start(_, at, home) {
      const { createRemoteSignerSimulator } = await import('./remote-signer.ts');
      return createRemoteSignerSimulator({ authorizationKeys: () => registeredKeys(identityFolder(home)), ...at });
    },
  },
} satisfies Simulators;
