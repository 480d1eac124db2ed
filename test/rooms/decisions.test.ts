// Decision notes: short, each number once, and each found by one question of the index.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { files } from './source.ts';

const LONGEST_WORDS = 150;
const folder = fileURLToPath(new URL('../../docs/decisions', import.meta.url));
const read = (name: string): string => readFileSync(join(folder, name), 'utf8');
const notes = readdirSync(folder)
  .filter((name) => name !== 'README.md')
  .sort();
const numbers = notes.map((name) => name.slice(0, 4));

test('every decision has a number of its own, in its name and in its title', () => {
  expect(numbers.filter((number, i) => numbers.indexOf(number) !== i)).toEqual([]);
  expect(notes.filter((name) => !/^\d{4}-[a-z0-9-]+\.md$/.test(name) || !read(name).startsWith(`# ${name.slice(0, 4)} `))).toEqual([]);
});

test(`every decision says context, decision and consequence in at most ${LONGEST_WORDS} words`, () => {
  for (const name of notes) {
    const [, context = '', decision = '', consequence = '', ...more] = read(name).trim().split('\n\n');
    expect(
      [context, decision, consequence].map((part) => /^\*\*(\w+)\.\*\* /.exec(part)?.[1]),
      name,
    ).toEqual(['Context', 'Decision', 'Consequence']);
    expect(more, name).toEqual([]);
    expect([context, decision, consequence].join(' ').split(/\s+/).length, name).toBeLessThanOrEqual(LONGEST_WORDS);
  }
});

test('the index asks one question per decision', () => {
  const listed = [...read('README.md').matchAll(/^- \[(.+)\]\((.+)\)$/gm)].map(([, question = '', name = '']) => ({ question, name }));
  expect(listed.map(({ name }) => name).sort()).toEqual(notes);
  expect(listed.filter(({ question }) => !question.endsWith('?'))).toEqual([]);
});

test('every decision that a comment names exists', () => {
  const named = files.flatMap(({ path, text }) =>
    [...text.matchAll(/docs\/decisions\/(\d{4})/g)].map(([, number = '']) => ({ path, number })),
  );
  expect(named.length).toBeGreaterThan(3);
  expect(named.filter(({ number }) => !numbers.includes(number))).toEqual([]);
});
