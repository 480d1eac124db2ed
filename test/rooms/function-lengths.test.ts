// A function fits a screen: 60 lines. What is longer stands in a list with its reason, and the list only shrinks.
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { LONG_FUNCTIONS } from './long-functions.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const MESSAGE = /(?:`([^`]*)`)?[^`(]*has too many lines \((\d+)\)/;

interface Report {
  readonly diagnostics: readonly { readonly message: string; readonly filename: string }[];
}

/** Every function of more than 60 lines, by file and name, with its lines; of those that share a name the longest. */
function longFunctions(): ReadonlyMap<string, number> {
  const rooms = ['src', 'streams', 'actors', 'api', 'web', 'clients'];
  const config = 'test/rooms/function-lengths.json';
  const text = execFileSync('node_modules/.bin/oxlint', ['-c', config, '--format=json', ...rooms], { cwd: ROOT, encoding: 'utf8' });
  const found = new Map<string, number>();
  for (const { message, filename } of (JSON.parse(text) as Report).diagnostics) {
    const [, name = 'a nameless function', lines] = MESSAGE.exec(message) ?? [];
    const key = `${filename} ${name}`;
    found.set(key, Math.max(found.get(key) ?? 0, Number(lines)));
  }
  return found;
}

const found = longFunctions();
const allowed: ReadonlyMap<string, number> = new Map(
  LONG_FUNCTIONS.flatMap(({ functions }) => functions.map(([path, name, most]): [string, number] => [`${path} ${name}`, most])),
);

test('no function is longer than 60 lines, except those in test/rooms/long-functions.ts, and none of those has grown', () => {
  const longer = [...found].filter(([key, lines]) => lines > (allowed.get(key) ?? 60));
  expect(longer.map(([key, lines]) => `${key} has ${lines} lines`)).toEqual([]);
});

test('the list names nothing that fits a screen by now', () => {
  expect([...allowed.keys()].filter((key) => !found.has(key))).toEqual([]);
});

test('the rule is looked for: the longest function that is left is found with its lines', () => {
  expect(Math.max(...found.values())).toBeGreaterThan(60);
});
