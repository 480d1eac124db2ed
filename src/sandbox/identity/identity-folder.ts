/** State folder of the sandbox's identity provider. Its keys let any process with access to the folder mint tokens. */
import { join } from 'node:path';
import type { Clock } from '../../../streams/clock/clock.ts';
import { SANDBOX_ISSUER } from './provider.ts';
import { openSigningKeys, type SigningKeys } from './signing-keys.ts';

/** Returns the identity provider's folder. @param home state folder */
export const identityFolder = (home: string): string => join(home, 'identity');

/** Opens the keys of the local identity provider. */
export function localSigningKeys(home: string, clock: Pick<Clock, 'now'>): SigningKeys {
  return openSigningKeys({ folder: identityFolder(home), issuer: SANDBOX_ISSUER, now: () => clock.now() });
}
