/** Key that the sandbox's Kalshi accepts. Created once per state folder, so that all its processes can sign. */
import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

interface AccessKey {
  readonly id: string;
  /** PEM text. */
  readonly privateKey: string;
  readonly publicKey: string;
}

const KEY_ID = 'sandbox';

/** Reads the key of a folder, or creates it. If several processes create it at once, one wins and all read the same key. */
export function openAccessKey(folder: string): AccessKey {
  const file = join(folder, 'access-key.pem');
  const privateKey = readKey(file) ?? makeKey(folder, file);
  const publicKey = createPublicKey(privateKey).export({ type: 'spki', format: 'pem' }).toString();
  return { id: KEY_ID, privateKey, publicKey };
}

function readKey(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

function makeKey(folder: string, file: string): string {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const draft = `${file}.${process.pid}.new`;
  writeFileSync(draft, privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(), { mode: 0o600 });
  try {
    // Linking fails if the name exists, so the first process wins.
    linkSync(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(draft, { force: true });
  }
  return readFileSync(file, 'utf8');
}
