// Long form of reading-cost.test.ts with fifty thousand random texts.
import { expect, test } from 'vitest';
import { seedOfRun } from '../harness/seed.ts';
import { slowTexts } from './reading-cost.ts';

test('no text keeps a reader busy for more than 5 ms', () => {
  const seed = seedOfRun();
  console.log(`seed ${seed}`);
  expect(slowTexts(50_000, seed, 5)).toEqual([]);
});
