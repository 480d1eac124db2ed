// A worker dies at a write of a Take's life, and another continues. The proof next to this covers every write.
import { expect, test } from 'vitest';
import { takeLife } from './take-crash-fixture.ts';

/** Interval between tested writes. */
const EVERY = 8;

test('dies at writes of every kind, before and after them: one evaluation per slot, one fill each way', { timeout: 300_000 }, async () => {
  const writes = await takeLife(0, 'before');
  expect(writes).toBeGreaterThan(15);
  for (let at = 1; at <= writes; at += EVERY) await takeLife(at, at % 2 === 0 ? 'before' : 'after');
});
