// Files that are named on the command line: what cannot be read is said in one sentence, without the words of the system.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readNamedFile } from '../../src/adapters/named-file.ts';

test('a file is read whole; a missing one and a folder are told in words', () => {
  const folder = mkdtempSync(join(tmpdir(), 'named-file-'));
  try {
    writeFileSync(join(folder, 'there'), 'text');
    expect(readNamedFile(join(folder, 'there'))).toBe('text');
    expect(() => readNamedFile(join(folder, 'missing'))).toThrow(`${join(folder, 'missing')} cannot be read: there is no such file`);
    expect(() => readNamedFile(folder)).toThrow(`${folder} cannot be read: it is a folder`);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
