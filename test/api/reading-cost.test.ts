// Random texts of 64 KiB from everything that matters to parsers: each is read or refused within milliseconds.
import { expect, test } from 'vitest';
import { parseStrictYaml } from '../../api/http/strict-yaml.ts';
import { seedOfRun } from '../harness/seed.ts';
import { randomText } from './hostile-input.ts';
import { numbersFrom, slowTexts } from './reading-cost.ts';

/** The proof runs alone and uses the aim of 5 ms; here other tests share the processor. */
const MOST_MS = 10;

test('no text keeps a reader busy for more than a few milliseconds', () => {
  const seed = seedOfRun();
  console.log(`seed ${seed}`);
  expect(slowTexts(150, seed, MOST_MS)).toEqual([]);
});

test('a text of explicit keys, which took six milliseconds once, is refused unread', () => {
  const text = randomText(numbersFrom(77_760_655)).slice(0, 32 * 1024);
  expect(() => parseStrictYaml(text)).toThrow('the document has too many lines or values');
});
