/** Authorization key of the app at the sandbox's identity provider, stored as a file in the provider's folder. */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

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
