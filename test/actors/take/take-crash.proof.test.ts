// A worker dies once at each write of a Take's life, before it and after it.
import { test } from 'vitest';
import { takeLife } from './take-crash-fixture.ts';

test('dies at every write, before and after: one evaluation per slot, one fill each way', async () => {
  const writes = await takeLife(0, 'before');
  for (let at = 1; at <= writes; at++) for (const when of ['before', 'after'] as const) await takeLife(at, when);
});
