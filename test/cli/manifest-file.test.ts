// Manifests that are named on the command line are read as strictly as those that the API is given.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { parseStrictYaml } from '../../api/strict-yaml.ts';
import { manifestFromFile } from '../../src/cli/manifest-file.ts';
import { readManifest } from '../../src/domain/manifest/reader.ts';
import { DECLARATIVE_YAML, payload } from '../domain/authored.ts';

const folder = mkdtempSync(join(tmpdir(), 'manifests-'));
afterAll(() => rmSync(folder, { recursive: true }));

function read(text: string) {
  const file = join(folder, 'manifest.yaml');
  writeFileSync(file, text);
  return manifestFromFile(file);
}

test.each([
  ['the payload as JSON', JSON.stringify(payload())],
  ['the declarative form as YAML', DECLARATIVE_YAML],
])('%s is the manifest that the API reads', (_, text) => {
  const asked = readManifest(parseStrictYaml(text));
  expect(asked.ok && asked.manifest).toEqual(read(text));
});

test.each([
  ['a key twice', 'name: one\nname: two\n'],
  ['a tag', 'name: !!binary aGk=\n'],
  ['two documents', 'name: one\n---\nname: two\n'],
])('%s is refused with the sentence that the API gives', (_, text) => {
  let said = '';
  try {
    parseStrictYaml(text);
  } catch (error) {
    said = (error as Error).message.split('\n')[0] as string;
  }
  expect(said).not.toBe('');
  expect(() => read(text)).toThrow(`${join(folder, 'manifest.yaml')} cannot be read: ${said}`);
});
