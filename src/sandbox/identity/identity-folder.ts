/** State folder of the sandbox's identity provider, with its keys, with which any process of the state folder may mint. */
import { join } from 'node:path';
import type { Clock } from '../../../streams/clock/clock.ts';
import { SANDBOX_ISSUER } from './provider.ts';
import { openSigningKeys, type SigningKeys } from './signing-keys.ts';

/** @param home the state folder. */
export const identityFolder = (home: string): string => join(home, 'identity');

/** The local identity provider's keys. */
export function localSigningKeys(home: string, clock: Pick<Clock, 'now'>): SigningKeys {
  return openSigningKeys({ folder: identityFolder(home), issuer: SANDBOX_ISSUER, now: () => clock.now() });
}
