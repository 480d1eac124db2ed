// Manifests named on the command line are read as strictly as those sent to the API.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { parseStrictYaml } from '../../api/http/strict-yaml.ts';
import { manifestFromFile } from '../../src/cli/backtest/manifest-file.ts';
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
  ['a key twice in braces', '{ name: one, name: two }'],
  ['a key that is a list', '? [a]\n: 1\n'],
  ['a key that is a map, in braces', '{ { a: 1 }: 2 }'],
  ['a key that is a number', '1: one\n'],
  ['an anchor inside of itself', 'name: &a\n  b: *a\n'],
  ['an alias of nothing', 'name: *nobody\n'],
  ['an anchor that is repeated too often', `name: &a x\nlist: [${Array(30).fill('*a').join(', ')}]\n`],
  ['a number that would lose digits', 'maxCapitalUsd: 9007199254740993\n'],
  ['an octal number', 'maxCapitalUsd: 0o17\n'],
  ['a list at the top', '- name\n'],
  ['a name of the language', '__proto__: { name: one }\n'],
  ['no YAML at all', 'name: [one\n'],
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
