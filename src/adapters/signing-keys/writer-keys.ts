/**
 * Ed25519 keys of the service's writers: one file per writer under `keys` of the state folder, which only its owner may read, and beside it
 * the public keys for verifiers. A key is created when its writer first starts.
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
import { encodeVerifierKey, keyIdOf, parseVerifierKey, type VerifierKey } from '../../domain/trail/signed-note.ts';

/** Prefix of an Ed25519 key's 32 bytes in the public key info that OpenSSL reads (RFC 8410). */
const KEY_INFO = Buffer.from('302a300506032b6570032100', 'hex');
const NAME = 'sevengate';
/** Writer whose key signs certificates of parity. It writes nothing into the database, and no row is verified by it. */
const PARITY = 'parity';

/** A key that signs notes. */
export interface NoteKey extends VerifierKey {
  /** An Ed25519 signature of 64 bytes. */
  sign(text: Uint8Array): Buffer;
}

/** The key of one writer, in the process of that writer alone. */
export interface WriterKey extends NoteKey {
  readonly writer: Writer;
  /**
   * Proof that a database connection of this writer shows when it opens, 64 hexadecimal digits: a secret. The database knows only its
   * SHA-256 and accepts changes from no session without it.
   */
  readonly sessionProof: string;
  /** Secret that proves organizations, 32 bytes. The owner of the tables registers it with the key. */
  readonly organizationSecret: Buffer;
  /** Returns the proof of a transaction for an organization: SHA-256 of the secret and the organization's id, 64 hexadecimal digits. */
  organizationProof(orgId: string): string;
}

/** The name under which a writer's key signs. */
export function keyName(writer: Writer): string {
  return `${NAME}/${writer}`;
}

/**
 * Opens the keys of some writers, and makes those that are missing.
 * @param home the state folder. @throws Error in one sentence if a key file is readable by others or holds no Ed25519 key.
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

/** Opens the key that certificates of parity are signed with, and makes it where it is missing. @throws as `openWriterKeys` does */
export function openParityKey(home: string): NoteKey {
  const { seed: _, ...key } = openKey(keyFolder(home), PARITY);
  return key;
}

/** The public keys of certificates of parity that lie under `keys` of the state folder. */
export function parityKeysOf(home: string): readonly VerifierKey[] {
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
    throw new Error(`${file} can be read by others: chmod 600 it, and replace the key where it may be known`);
  let key: KeyObject;
  try {
    key = createPrivateKey(readFileSync(file));
  } catch {
    throw new Error(`${file} holds no private key: move it away, and a new one is made`);
  }
  if (key.asymmetricKeyType !== 'ed25519') throw new Error(`${file} holds no Ed25519 key`);
  const publicKey = createPublicKey(key).export({ type: 'spki', format: 'der' }).subarray(KEY_INFO.length);
  const seed = key.export({ type: 'pkcs8', format: 'der' });
  const name = `${NAME}/${owner}`;
  const known: VerifierKey = { name, id: keyIdOf(name, publicKey), publicKey };
  publish(join(folder, `${owner}.pub`), known);
  return { ...known, seed, sign: (text) => sign(null, text, key) };
}

/** Creates the key. Several processes may begin at once; the first that links its file has created it. */
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

/** Adds a public key to its file, which keeps those of earlier keys: what they signed stays verifiable. */
function publish(file: string, key: VerifierKey): void {
  const line = encodeVerifierKey(key);
  const lines = readLines(file);
  if (!lines.includes(line)) appendFileSync(file, `${line}\n`, { mode: 0o644 });
}

/**
 * Retires a writer's key, so that a new one is created. The private key moves to `<writer>.key.retired`, and the public ones, which verify
 * earlier signatures, to `<writer>.retired.pub`. Does nothing if there is no key.
 */
export function setKeyAside(home: string, writer: Writer): void {
  const at = (name: string): string => join(keyFolder(home), name);
  for (const line of readLines(at(`${writer}.pub`)))
    if (!readLines(at(`${writer}.retired.pub`)).includes(line)) appendFileSync(at(`${writer}.retired.pub`), `${line}\n`, { mode: 0o644 });
  // Private key first: while it lies there, a start would publish it again.
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

/** A public key that some writer signs with. */
export interface TrustedKey extends VerifierKey {
  readonly writer: Writer;
}

/**
 * The public keys of a file: one verifier key per line, lines with # are comments.
 * @throws Error in one sentence if a line is no key of a writer.
 */
export function readTrustedKeys(file: string): readonly TrustedKey[] {
  return readLines(file).map((line) => {
    const key = parseVerifierKey(line);
    const writer = WRITERS.find((one) => keyName(one) === key.name);
    if (writer === undefined) throw new Error(`${file}: ${key.name} is not a writer of the service`);
    return { ...key, writer };
  });
}

/** Returns the public keys under `keys` of the state folder; empty if nothing ever signed there. */
export function trustedKeysOf(home: string): readonly TrustedKey[] {
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

/** True if 64 bytes are the signature of a 32-byte Ed25519 public key over a text. */
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

/**
 * The public keys of one writer as they lie in a state folder, read anew at each call: a process that starts later has published
 * its key by then.
 */
export function keysOfWriter(home: string, writer: Writer): () => readonly TrustedKey[] {
  return () => readTrustedKeys(join(home, 'keys', `${writer}.pub`)).filter((key) => key.writer === writer);
}

/**
 * Returns a check that a worker of this state folder signed a text. It uses the present keys: a new one needs a new verifier, and a retired
 * one no longer counts.
 */
export function workerVerifier(home: string): (text: string, signature: string) => boolean {
  const keys = keysOfWriter(home, 'worker')();
  return (text, signature) => {
    const bytes = Buffer.from(signature, 'base64');
    return keys.some(({ publicKey }) => isSignedBy(publicKey, Buffer.from(text), bytes));
  };
}
