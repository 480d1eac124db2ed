/**
 * Ed25519 keys of the service's writers: one file per writer in `keys` of the state folder, readable by its owner only, and the public keys
 * beside it. A key is created when its writer first starts.
 */
import { createHash, createHmac, createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign, verify } from 'node:crypto';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { WRITERS, type Writer } from '../../domain/trail/batch.ts';
import { encodeVerifierKey, deriveKeyId, parseVerifierKey, type VerifierKey } from '../../domain/trail/signed-note.ts';

/** DER prefix of a public Ed25519 key (SPKI, RFC 8410). */
const KEY_INFO = Buffer.from('302a300506032b6570032100', 'hex');
const NAME = 'sevengate';
/** Writer that signs parity certificates. It writes no rows, and its key verifies none. */
const PARITY = 'parity';

/** A key that signs notes. */
interface NoteKey extends VerifierKey {
  /** Returns an Ed25519 signature of 64 bytes. */
  sign(text: Uint8Array): Buffer;
}

/** Key of one writer; only that writer's process holds it. */
export interface WriterKey extends NoteKey {
  readonly writer: Writer;
  /**
   * Secret of 64 hexadecimal digits that each database connection of this writer presents. The database stores its SHA-256 and refuses
   * changes from sessions without it.
   */
  readonly sessionProof: string;
  /** Secret of 32 bytes behind `organizationProof`. The owner of the tables registers it with the key. */
  readonly organizationSecret: Buffer;
  /** Returns a transaction's proof for an organization: SHA-256 of the secret and the organization's id, 64 hexadecimal digits. */
  organizationProof(orgId: string): string;
}

/** Returns the name of a writer's key in signatures. */
export function keyName(writer: Writer): string {
  return `${NAME}/${writer}`;
}

/**
 * Opens the keys of writers and creates missing ones. @param home state folder @throws Error with one sentence if a key file is readable by
 * others or contains no Ed25519 key
 */
export function openWriterKeys<Wanted extends Writer>(home: string, writers: readonly Wanted[]): Readonly<Record<Wanted, WriterKey>> {
  const folder = keyFolder(home);
  const opened = writers.map((writer): readonly [Writer, WriterKey] => {
    const { seed, ...key } = openKey(folder, writer);
    const sessionProof = createHmac('sha256', seed).update('sevengate database session').digest('hex');
    const organizationSecret = createHmac('sha256', seed).update('sevengate organizations').digest();
    const organizationProof = (orgId: string) => createHash('sha256').update(organizationSecret).update(orgId).digest('hex');
    return [writer, { ...key, writer, sessionProof, organizationSecret, organizationProof }] as const;
  });
  return Object.fromEntries(opened) as Record<Wanted, WriterKey>;
}

/** Opens the key of parity certificates and creates it if missing. @throws as `openWriterKeys` does */
export function openParityKey(home: string): NoteKey {
  const { seed: _, ...key } = openKey(keyFolder(home), PARITY);
  return key;
}

/** Returns the public keys of parity certificates in `keys` of the state folder. */
export function readParityKeys(home: string): readonly VerifierKey[] {
  return readLines(join(home, 'keys', `${PARITY}.pub`)).map(parseVerifierKey);
}

function keyFolder(home: string): string {
  const folder = join(home, 'keys');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  chmodSync(folder, 0o700);
  return folder;
}

function openKey(folder: string, owner: Writer | typeof PARITY): NoteKey & { readonly seed: Buffer } {
  const file = join(folder, `${owner}.key`);
  makeKey(folder, file);
  if ((statSync(file).mode & 0o077) !== 0)
    throw new Error(`${file} can be read by others: run chmod 600 on it, and replace the key if it may have leaked`);
  let key: KeyObject;
  try {
    key = createPrivateKey(readFileSync(file));
  } catch {
    throw new Error(`${file} has no private key: move the file away to create a new one`);
  }
  if (key.asymmetricKeyType !== 'ed25519') throw new Error(`${file} has no Ed25519 key`);
  const publicKey = createPublicKey(key).export({ type: 'spki', format: 'der' }).subarray(KEY_INFO.length);
  const seed = key.export({ type: 'pkcs8', format: 'der' });
  const name = `${NAME}/${owner}`;
  const known: VerifierKey = { name, id: deriveKeyId(name, publicKey), publicKey };
  publish(join(folder, `${owner}.pub`), known);
  return { ...known, seed, sign: (text) => sign(null, text, key) };
}

/** Creates a key. If several processes start at once, the first one that links the file wins. */
function makeKey(folder: string, file: string): void {
  const draft = join(folder, `.${process.pid}.draft`);
  try {
    statSync(file);
    return;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  const { privateKey } = generateKeyPairSync('ed25519');
  writeFileSync(draft, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 });
  try {
    linkSync(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

/** Adds a public key to its file, which keeps earlier keys, so that their signatures stay verifiable. */
function publish(file: string, key: VerifierKey): void {
  const line = encodeVerifierKey(key);
  const lines = readLines(file);
  if (!lines.includes(line)) appendFileSync(file, `${line}\n`, { mode: 0o644 });
}

/**
 * Retires a writer's key, so that a new one is created. The private key is renamed to `<writer>.key.retired`, the public keys to
 * `<writer>.retired.pub`, which still verify earlier signatures. Does nothing without a key.
 */
export function setKeyAside(home: string, writer: Writer): void {
  const at = (name: string): string => join(keyFolder(home), name);
  for (const line of readLines(at(`${writer}.pub`)))
    if (!readLines(at(`${writer}.retired.pub`)).includes(line)) appendFileSync(at(`${writer}.retired.pub`), `${line}\n`, { mode: 0o644 });
  // Private key first: a start would publish it again.
  if (existsSync(at(`${writer}.key`))) renameSync(at(`${writer}.key`), at(`${writer}.key.retired`));
  rmSync(at(`${writer}.pub`), { force: true });
}

function readLines(file: string): readonly string[] {
  try {
    return readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

/** Public key of a writer. */
export interface TrustedKey extends VerifierKey {
  readonly writer: Writer;
}

/**
 * Reads public keys from a file: one verifier key per line, comments begin with #. @throws Error with one sentence if a line is not a
 * writer's key
 */
export function readTrustedKeys(file: string): readonly TrustedKey[] {
  return readLines(file).map((line) => {
    const key = parseVerifierKey(line);
    const writer = WRITERS.find((one) => keyName(one) === key.name);
    if (writer === undefined) throw new Error(`${file}: ${key.name} is not a writer of the service`);
    return { ...key, writer };
  });
}

/** Returns the public keys in `keys` of the state folder; empty if nothing was signed there. */
export function readHomeKeys(home: string): readonly TrustedKey[] {
  const folder = join(home, 'keys');
  let names: readonly string[] = [];
  try {
    names = readdirSync(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  return names
    .filter((name) => name.endsWith('.pub') && name !== `${PARITY}.pub`)
    .sort()
    .flatMap((name) => readTrustedKeys(join(folder, name)));
}

const opened = new Map<string, KeyObject>();

/** Verifies an Ed25519 signature of 64 bytes by a 32-byte public key. */
export function isSignedBy(publicKey: Uint8Array, text: Uint8Array, signature: Uint8Array): boolean {
  if (publicKey.length !== 32 || signature.length !== 64) return false;
  try {
    const name = Buffer.from(publicKey).toString('base64');
    let key = opened.get(name);
    if (key === undefined) {
      key = createPublicKey({ key: Buffer.concat([KEY_INFO, publicKey]), format: 'der', type: 'spki' });
      opened.set(name, key);
    }
    return verify(null, text, key, signature);
  } catch {
    return false;
  }
}

/** Returns a function that reads a writer's public keys on every call, because a process that starts later publishes its key later. */
export function keysOfWriter(home: string, writer: Writer): () => readonly TrustedKey[] {
  return () => readTrustedKeys(join(home, 'keys', `${writer}.pub`)).filter((key) => key.writer === writer);
}

/**
 * Returns a check that a worker of this state folder signed a text. It uses the keys present now: a new key needs a new verifier, and a
 * retired one is not accepted.
 */
export function workerVerifier(home: string): (text: string, signature: string) => boolean {
  const keys = keysOfWriter(home, 'worker')();
  return (text, signature) => {
    const bytes = Buffer.from(signature, 'base64');
    return keys.some(({ publicKey }) => isSignedBy(publicKey, Buffer.from(text), bytes));
  };
}
