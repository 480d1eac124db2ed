/** The authorization key that the sandbox's identity provider knows of its app: a file in its folder. */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const NAME = 'authorization-key.pub';

/** The keys that the provider knows of its app; none before a signer was started on this state folder. */
export function registeredKeys(folder: string): readonly string[] {
  const file = join(folder, NAME);
  return existsSync(file) ? [readFileSync(file, 'utf8').trim()] : [];
}

/** SPKI, base64. */
export function registerKey(folder: string, publicKey: string): void {
  const file = join(folder, NAME);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const draft = `${file}.${process.pid}.new`;
  writeFileSync(draft, `${publicKey}\n`, { mode: 0o600 });
  renameSync(draft, file);
}
