// Random texts of 64 KiB out of everything that parsers decide on: each is read or refused within milliseconds.
import { expect, test } from 'vitest';
import { slowTexts } from './reading-cost.ts';

test('no text keeps a reader busy for more than 5 ms', () => {
  const seed = Math.floor(Math.random() * 1e9);
  console.log(`seed ${seed}`);
  expect(slowTexts(150, seed, 5)).toEqual([]);
});
