// Signed notes and checkpoints compared with the Go project's published examples for its checksum database, and read back.
import { generateKeyPairSync, sign } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { isSignedBy } from '../../../src/adapters/signing-keys/writer-keys.ts';
import {
  type Checkpoint,
  checkpointText,
  encodeNote,
  encodeVerifierKey,
  deriveKeyId,
  parseCheckpoint,
  parseNote,
  parseVerifierKey,
  verifiedBy,
} from '../../../src/domain/trail/signed-note.ts';

/** Example of golang.org/x/mod/sumdb/note. */
const PETER = 'PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW';
const MESSAGE = 'If you think cryptography is the answer to your problem,\n' + "then you don't know what your problem is.\n";
const NOTE = `${MESSAGE}\n— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n`;
/** Key of sum.golang.org, and the tree first signed in the proposal's documentation. */
const GO_SUM = 'sum.golang.org+033de0ae+Ac4zctda0e5eza+HJyk9SxEdh+s3Ux18htTTAD8OuAn8';

function newKey(name: string) {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const raw = publicKey.export({ type: 'spki', format: 'der' }).subarray(12);
  return {
    key: { name, id: deriveKeyId(name, raw), publicKey: raw },
    sign: (text: string) => ({ name, id: deriveKeyId(name, raw), signature: sign(null, Buffer.from(text), privateKey) }),
  };
}

const CHECKPOINT: Checkpoint = { origin: 'sevengate.example/trail', size: 20852163, root: Buffer.alloc(32, 7), extensions: [] };

describe('published examples', () => {
  test('the note of the Go documentation is signed by its key', () => {
    const key = parseVerifierKey(PETER);
    expect(verifiedBy(NOTE, [key], isSignedBy)).toEqual([key]);
    expect(parseNote(NOTE).text).toBe(MESSAGE);
    expect(encodeNote(MESSAGE, parseNote(NOTE).signatures)).toBe(NOTE);
    expect(encodeVerifierKey(key)).toBe(PETER);
  });

  test('a changed letter is not signed', () => {
    expect(verifiedBy(NOTE.replace('answer', 'Answer'), [parseVerifierKey(PETER)], isSignedBy)).toEqual([]);
  });

  test('the id of a published log key follows from its name and bytes', () => {
    const key = parseVerifierKey(GO_SUM);
    expect(deriveKeyId(key.name, key.publicKey)).toBe('033de0ae');
  });
});

describe('checkpoints', () => {
  test('a text has the origin, the size and the root, each on its line, and reads back', () => {
    expect(checkpointText(CHECKPOINT)).toBe('sevengate.example/trail\n20852163\nBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc=\n');
    expect(parseCheckpoint(checkpointText(CHECKPOINT))).toEqual(CHECKPOINT);
    const extended = { ...CHECKPOINT, extensions: ['at 1'] };
    expect(parseCheckpoint(checkpointText(extended))).toEqual(extended);
  });

  test.each([
    ['no newline at its end', 'a\n1\nBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc='],
    ['a size with a leading zero', 'a\n01\nBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc=\n'],
    ['a root that is too short', 'a\n1\nBwc=\n'],
    ['no root', 'a\n1\n'],
  ])('refused: %s', (_, text) => {
    expect(() => parseCheckpoint(text)).toThrow(SyntaxError);
  });

  test('a note may carry signatures of others; only those of known keys count, and a bad one of them spoils it', () => {
    const [ours, theirs] = [newKey('sevengate/log'), newKey('witness')];
    const text = checkpointText(CHECKPOINT);
    const note = encodeNote(text, [theirs.sign(text), ours.sign(text)]);
    expect(verifiedBy(note, [ours.key], isSignedBy)).toEqual([ours.key]);
    expect(verifiedBy(note, [ours.key, theirs.key], isSignedBy)).toHaveLength(2);
    expect(verifiedBy(note, [newKey('sevengate/log').key], isSignedBy)).toEqual([]);
    const spoiled = encodeNote(text, [ours.sign(text), theirs.sign('another text')]);
    expect(verifiedBy(spoiled, [ours.key, theirs.key], isSignedBy)).toEqual([]);
  });

  test.each([
    ['no id', 'name+AAAA'],
    ['a wrong id', PETER.replace('c74f20a3', 'c74f20a4')],
    ['another algorithm', `name+00000000+${Buffer.alloc(33, 2).toString('base64')}`],
  ])('no verifier key: %s', (_, text) => {
    expect(() => parseVerifierKey(text)).toThrow(SyntaxError);
  });
});
