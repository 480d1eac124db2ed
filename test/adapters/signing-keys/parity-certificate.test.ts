/** Parity certificates have a publicly verifiable signature, which any changed line breaks. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { checkCertificate } from '../../../src/adapters/signing-keys/parity-certificate.ts';
import { isSignedBy, openParityKey, openWriterKeys, readParityKeys, readHomeKeys } from '../../../src/adapters/signing-keys/writer-keys.ts';
import { encodeNote, verifiedBy } from '../../../src/domain/trail/signed-note.ts';
import { certificateText, type ParityReport } from '../../../src/simulation/replay-parity.ts';

const home = mkdtempSync(join(tmpdir(), 'parity-'));
afterAll(() => rmSync(home, { recursive: true }));

const REPORT: ParityReport = {
  from: Date.UTC(2025, 0, 6, 15),
  to: Date.UTC(2025, 0, 6, 16),
  compared: 60,
  onlyReplayed: 1,
  missedLive: 2,
  different: 3,
  onlyLive: 4,
  firstDifference: 'agent a, slot s: the book was x live and is y in the replay',
  firstSlot: Date.UTC(2025, 0, 6, 15, 5),
  written: 61,
  writtenHash: 'ab'.repeat(32),
  equal: false,
};

test('a certificate states what was compared, line by line', () => {
  expect(certificateText(REPORT, [{ name: 'day.tape', sha256: 'cd'.repeat(32) }], null)).toBe(`sevengate parity
slots from 2025-01-06T15:00:00.000Z to before 2025-01-06T16:00:00.000Z
tape day.tape sha256 ${'cd'.repeat(32)}
decisions of the live run 61 sha256 ${'ab'.repeat(32)}
missed by the live run and by the replay 2
different 2
made by the replay alone 1
made by the live run alone 4
first difference: agent a, slot s: the book was x live and is y in the replay
verdict: the replay and the live run differ
`);
  expect(certificateText({ ...REPORT, equal: true, firstDifference: null }, [], null)).toMatch(
    /verdict: the replay and the live run are equal\n$/,
  );
  expect(certificateText({ ...REPORT, written: 0 }, [], null)).toMatch(/verdict: nothing is certified: the live run decided nothing\n$/);
  // A run with moved time says so; one that ended before the move does not.
  expect(certificateText(REPORT, [], REPORT.from)).toContain(
    '\nsimulated since 2025-01-06T15:00:00.000Z: the time of this sandbox was moved on\n',
  );
  expect(certificateText(REPORT, [], REPORT.to)).not.toContain('simulated');
});

test('its signature is valid for the state folder’s key, and for no changed byte', () => {
  const key = openParityKey(home);
  const text = certificateText(REPORT, [], null);
  const certificate = encodeNote(text, [{ name: key.name, id: key.id, signature: key.sign(Buffer.from(text)) }]);
  const keys = readParityKeys(home);
  expect(verifiedBy(certificate, keys, isSignedBy).map(({ name, id }) => [name, id])).toEqual([['sevengate/parity', key.id]]);
  for (let at = 0; at < text.length - 1; at++) {
    const changed = `${certificate.slice(0, at)}${certificate[at] === '0' ? '1' : '0'}${certificate.slice(at + 1)}`;
    expect([at, verifiedBy(changed, keys, isSignedBy)]).toEqual([at, []]);
  }
  expect(verifiedBy(certificate, readParityKeys(join(home, 'elsewhere')), isSignedBy)).toEqual([]);
});

test('its key is separate from those of writers: no row is verified by it', () => {
  openWriterKeys(home, ['feed']);
  const first = openParityKey(home);
  expect(openParityKey(home).id).toBe(first.id);
  expect(readHomeKeys(home).map(({ writer }) => writer)).toEqual(['feed']);
});

test('an invalid certificate file is named, with what it lacks', () => {
  const file = join(home, 'junk.txt');
  writeFileSync(file, 'hello\n');
  expect(() => checkCertificate(file, home, null)).toThrow(
    `${file} is not a certificate: a signed note has a text, a blank line and signatures`,
  );
});
