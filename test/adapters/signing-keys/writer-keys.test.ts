// Key files of the writers: created once, readable only by their owner, with public keys kept for verifiers.
import { chmodSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { isSignedBy, openWriterKeys, readTrustedKeys, readHomeKeys } from '../../../src/adapters/signing-keys/writer-keys.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'sevengate-keys-'));
});
afterEach(() => rmSync(home, { recursive: true }));

test('keys are created once, in files of mode 600, and their signatures verify', () => {
  const { feed, worker } = openWriterKeys(home, ['feed', 'worker']);
  for (const name of ['feed.key', 'worker.key']) expect(statSync(join(home, 'keys', name)).mode & 0o777).toBe(0o600);
  expect(statSync(join(home, 'keys')).mode & 0o777).toBe(0o700);
  const text = Buffer.from('a cut');
  const signature = feed.sign(text);
  expect(isSignedBy(feed.publicKey, text, signature)).toBe(true);
  expect(isSignedBy(worker.publicKey, text, signature)).toBe(false);
  expect(isSignedBy(feed.publicKey, Buffer.from('another cut'), signature)).toBe(false);
  expect(isSignedBy(Buffer.alloc(32), text, signature)).toBe(false);
  const again = openWriterKeys(home, ['feed']).feed;
  expect(again.id).toBe(feed.id);
  expect(again.sessionProof).toBe(feed.sessionProof);
  expect(again.sessionProof).not.toBe(worker.sessionProof);
  expect(readdirSync(join(home, 'keys')).sort()).toEqual(['feed.key', 'feed.pub', 'worker.key', 'worker.pub']);
});

test('a replaced key stays among the public ones', () => {
  const first = openWriterKeys(home, ['feed']).feed;
  renameSync(join(home, 'keys', 'feed.key'), join(home, 'old.key'));
  const second = openWriterKeys(home, ['feed']).feed;
  expect(second.id).not.toBe(first.id);
  expect(readHomeKeys(home).map(({ id, writer }) => [id, writer])).toEqual([
    [first.id, 'feed'],
    [second.id, 'feed'],
  ]);
});

test('a key readable by others, or an invalid one, is refused in one sentence', () => {
  openWriterKeys(home, ['feed']);
  const file = join(home, 'keys', 'feed.key');
  chmodSync(file, 0o640);
  expect(() => openWriterKeys(home, ['feed'])).toThrow(`${file} can be read by others`);
  writeFileSync(file, 'nothing', { mode: 0o600 });
  chmodSync(file, 0o600);
  expect(() => openWriterKeys(home, ['feed'])).toThrow(`${file} has no private key`);
});

test('public files name only writers of the service', () => {
  openWriterKeys(home, ['feed']);
  const line = readFileSync(join(home, 'keys', 'feed.pub'), 'utf8');
  const file = join(home, 'given.pub');
  writeFileSync(file, `# of the first machine\n${line}`);
  expect(readTrustedKeys(file)).toHaveLength(1);
  writeFileSync(file, 'PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW\n');
  expect(() => readTrustedKeys(file)).toThrow('PeterNeumann is not a writer of the service');
  expect(readHomeKeys(join(home, 'nowhere'))).toEqual([]);
});
