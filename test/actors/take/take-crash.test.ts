// A worker that dies at a write of a Take's life, and another that goes on; the proof beside this goes through every write.
import { expect, test } from 'vitest';
import { takeLife } from './take-crash-fixture.ts';

/** Number of writes between two that are tried. */
const EVERY = 8;

test('dies at writes of every kind, before and after them: one evaluation per slot, one fill each way', { timeout: 300_000 }, async () => {
  const writes = await takeLife(0, 'before');
  expect(writes).toBeGreaterThan(15);
  for (let at = 1; at <= writes; at += EVERY) await takeLife(at, at % 2 === 0 ? 'before' : 'after');
});
