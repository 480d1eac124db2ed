// The notes of decisions: each number once, and a list under rooms that names each once.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const folder = fileURLToPath(new URL('../../docs/decisions', import.meta.url));
const read = (name: string): string => readFileSync(join(folder, name), 'utf8');
const notes = readdirSync(folder)
  .filter((name) => /^\d{4}-/.test(name))
  .sort();

test('every decision has a number of its own, in its name and in its title', () => {
  const numbers = notes.map((name) => name.slice(0, 4));
  expect(numbers.filter((number, at) => numbers.indexOf(number) !== at)).toEqual([]);
  expect(notes.filter((name) => !read(name).startsWith(`# ${name.slice(0, 4)} `))).toEqual([]);
});

test('the list of decisions names each once, in order under its room', () => {
  const listed = [...read('README.md').matchAll(/^- \[(.+)\]\((.+)\)$/gm)].map(([, title, name]) => ({ title, name }));
  const titled = notes.map((name) => ({ title: read(name).split('\n')[0]?.replace(/^# /, ''), name }));
  expect([...listed].sort((a, b) => (a.name as string).localeCompare(b.name as string))).toEqual(titled);
  for (const room of read('README.md').split('\n## ').slice(1)) {
    const inRoom = [...room.matchAll(/^- \[(\d{4}) /gm)].map(([, number]) => number);
    expect(inRoom).toEqual([...inRoom].sort());
  }
});
