/** Parity certificates as files: signed with the state folder's key and checked with given public keys. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { basename } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { encodeNote, parseNote, parseVerifierKey, verifiedBy } from '../../domain/trail/signed-note.ts';
import { readNamedFile } from '../named-file.ts';
import { isSignedBy, openParityKey, readParityKeys } from './writer-keys.ts';

/** Name and hash of a tape in a certificate. */
interface NamedTape {
  readonly name: string;
  readonly sha256: string;
}

/** Returns the names of tapes with the SHA-256 of their bytes. */
export function namedTapes(files: readonly string[]): Promise<NamedTape[]> {
  return Promise.all(files.map(async (file) => ({ name: basename(file), sha256: await hashFile(file) })));
}

async function hashFile(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}

/** Signs the text as a note. @throws Error with one sentence if the state folder's key cannot be used */
export function signCertificate(home: string, text: string): string {
  const key = openParityKey(home);
  return encodeNote(text, [{ name: key.name, id: key.id, signature: key.sign(Buffer.from(text)) }]);
}

/**
 * Returns the content of a certificate and the known keys that signed it; no keys without a valid signature. @param keyFile accepted public
 * keys, one per line; null for those of the state folder
 */
export function checkCertificate(
  file: string,
  home: string,
  keyFile: string | null,
): { readonly signed: readonly string[]; readonly text: string } {
  const certificate = readNamedFile(file);
  const text = readNoteText(file, certificate);
  const keys =
    keyFile === null
      ? readParityKeys(home)
      : readNamedFile(keyFile)
          .split('\n')
          .filter((line) => line !== '' && !line.startsWith('#'))
          .map(parseVerifierKey);
  const good = verifiedBy(certificate, keys, isSignedBy);
  return { signed: good.map(({ name, id }) => `${name}+${id}`), text };
}

/** @throws Error with the file's name if it contains no signed note */
function readNoteText(file: string, certificate: string): string {
  try {
    return parseNote(certificate).text;
  } catch (error) {
    throw new Error(`${file} is not a certificate: ${(error as Error).message}`);
  }
}
