// Many armed Takes: each has one decision per slot, chained, and the shards of a slot are evaluated within it.
import { expect, test } from 'vitest';
import { evaluateTakes } from './many-takes-fixture.ts';

test('a thousand Takes in three shards have one decision per slot', { timeout: 120_000 }, async () => {
  const { slowestMs, decisions } = await evaluateTakes({ takes: 1_000, slots: 2 });
  expect(decisions).toBe(2_000);
  expect(slowestMs).toBeLessThan(30_000);
});
