/**
 * Signed notes and checkpoints of transparency logs (C2SP signed-note and tlog-checkpoint): text, a blank line, and one line per Ed25519
 * signature. A key is identified by its name and the first four bytes of SHA-256(name, newline, 0x01, key).
 */
import { createHash } from 'node:crypto';

/** Algorithm byte of Ed25519 in key hashes and encoded keys. */
const ED25519 = 1;
const KEY_BYTES = 32;
const SIGNATURE_BYTES = 64;
const SIGNATURE_LINE = /^— (\S+) ([A-Za-z0-9+/]+={0,2})$/;

/** A public key of a verifier. */
export interface VerifierKey {
  /** Name without blanks or plus signs. */
  readonly name: string;
  /** Eight lower-case hexadecimal digits. */
  readonly id: string;
  /** Ed25519 public key, 32 bytes. */
  readonly publicKey: Buffer;
}

/** One signature under a note. */
interface NoteSignature {
  readonly name: string;
  readonly id: string;
  readonly signature: Buffer;
}

/** State of a log: its number of entries and the root over them. */
export interface Checkpoint {
  /** Name of the log. */
  readonly origin: string;
  readonly size: number;
  readonly root: Buffer;
  /** Lines after the root, for readers that understand them. */
  readonly extensions: readonly string[];
}

/** Returns the eight hexadecimal digits that identify a key together with its name. */
export function deriveKeyId(name: string, publicKey: Uint8Array): string {
  return createHash('sha256')
    .update(`${name}\n`)
    .update(Buffer.from([ED25519]))
    .update(publicKey)
    .digest()
    .subarray(0, 4)
    .toString('hex');
}

/** Encodes a public key as `name+id+base64`. */
export function encodeVerifierKey({ name, id, publicKey }: VerifierKey): string {
  return `${name}+${id}+${Buffer.concat([Buffer.from([ED25519]), publicKey]).toString('base64')}`;
}

/** Parses a verifier key. @throws SyntaxError with one sentence if the text is not an Ed25519 verifier key. */
export function parseVerifierKey(text: string): VerifierKey {
  const [, name, id, encoded] = /^([^\s+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/]+={0,2})$/.exec(text) ?? [];
  if (name === undefined || id === undefined || encoded === undefined)
    throw new SyntaxError(`${text} is not a verifier key: name+id+base64`);
  const bytes = Buffer.from(encoded, 'base64');
  if (bytes.length !== KEY_BYTES + 1 || bytes[0] !== ED25519) throw new SyntaxError(`the key ${name} is not an Ed25519 key`);
  const publicKey = bytes.subarray(1);
  if (deriveKeyId(name, publicKey) !== id) throw new SyntaxError(`the key ${name} does not have the id ${id}`);
  return { name, id, publicKey };
}

/** Returns the signed text of a checkpoint, which ends with a newline. */
export function checkpointText({ origin, size, root, extensions }: Checkpoint): string {
  return `${[origin, String(size), root.toString('base64'), ...extensions].join('\n')}\n`;
}

/** Parses a checkpoint. @throws SyntaxError with one sentence if the text is not one. */
export function parseCheckpoint(text: string): Checkpoint {
  const lines = text.split('\n');
  const [origin, size, encoded] = lines;
  if (lines.pop() !== '' || !origin || size === undefined || encoded === undefined)
    throw new SyntaxError('a checkpoint has an origin, a size and a root, each on a line of its own');
  const root = Buffer.from(encoded, 'base64');
  if (!/^(0|[1-9][0-9]*)$/.test(size) || !Number.isSafeInteger(Number(size))) throw new SyntaxError(`${size} is not a size of a log`);
  if (root.length !== KEY_BYTES || root.toString('base64') !== encoded) throw new SyntaxError(`${encoded} is not a root of a log`);
  return { origin, size: Number(size), root, extensions: lines.slice(3) };
}

/** Encodes a note: the text, a blank line, the signatures. */
export function encodeNote(text: string, signatures: readonly NoteSignature[]): string {
  const lines = signatures.map(
    ({ name, id, signature }) => `— ${name} ${Buffer.concat([Buffer.from(id, 'hex'), signature]).toString('base64')}\n`,
  );
  return `${text}\n${lines.join('')}`;
}

/** Parses a note without verifying it. @throws SyntaxError in one sentence if it is not a note. */
export function parseNote(note: string): { readonly text: string; readonly signatures: readonly NoteSignature[] } {
  const at = note.lastIndexOf('\n\n');
  if (at < 0 || !note.endsWith('\n')) throw new SyntaxError('a signed note has a text, a blank line and signatures');
  const signatures = note
    .slice(at + 2, -1)
    .split('\n')
    .map((line) => {
      const [, name, encoded] = SIGNATURE_LINE.exec(line) ?? [];
      const bytes = Buffer.from(encoded ?? '', 'base64');
      if (name === undefined || bytes.length <= 4) throw new SyntaxError(`${line} is not a signature of a note`);
      return { name, id: bytes.subarray(0, 4).toString('hex'), signature: bytes.subarray(4) };
    });
  return { text: note.slice(0, at + 1), signatures };
}

/**
 * Returns the keys with valid signatures under the note. Signatures of unknown keys are ignored. An invalid one of a known key invalidates
 * the note. @param verify Returns true if a 64-byte signature is the key's over the text.
 */
export function verifiedBy(
  note: string,
  keys: readonly VerifierKey[],
  verify: (publicKey: Buffer, text: Buffer, signature: Buffer) => boolean,
): readonly VerifierKey[] {
  const { text, signatures } = parseNote(note);
  const good: VerifierKey[] = [];
  for (const { name, id, signature } of signatures) {
    const key = keys.find((known) => known.name === name && known.id === id);
    if (key === undefined) continue;
    if (signature.length !== SIGNATURE_BYTES || !verify(key.publicKey, Buffer.from(text), signature)) return [];
    good.push(key);
  }
  return good;
}
