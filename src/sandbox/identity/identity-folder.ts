/** State folder of the sandbox's identity provider. Its keys let any process with access to the folder mint tokens. */
import { join } from 'node:path';
import type { Clock } from '../../../streams/clock/clock.ts';
import { SANDBOX_ISSUER } from './provider.ts';
import { openSigningKeys, type SigningKeys } from './signing-keys.ts';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';

/** Returns the identity provider's folder. @param home state folder */
export const identityFolder = (home: string): string => join(home, 'identity');

/** Opens the keys of the local identity provider. */
export function localSigningKeys(home: string, clock: Pick<Clock, 'now'>): SigningKeys {
  return openSigningKeys({ folder: identityFolder(home), issuer: SANDBOX_ISSUER, now: () => clock.now() });
}

const NAME = 'authorization-key.pub';

/** Returns the app's registered keys; empty until a signer was started with this state folder. */
export function registeredKeys(folder: string): readonly string[] {
  const file = join(folder, NAME);
  return existsSync(file) ? [readFileSync(file, 'utf8').trim()] : [];
}

/** Registers a key. @param publicKey SPKI in base64 */
export function registerKey(folder: string, publicKey: string): void {
  const file = join(folder, NAME);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const draft = `${file}.${process.pid}.new`;
  writeFileSync(draft, `${publicKey}\n`, { mode: 0o600 });
  renameSync(draft, file);
}
