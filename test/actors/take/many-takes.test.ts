// Many armed Takes: each has one decision per slot, chained, and the shards of a slot are evaluated within it.
import { expect, test } from 'vitest';
import { evaluateTakes } from './many-takes-fixture.ts';

test('a thousand Takes in three shards have one decision per slot, and one proposal where their conditions pass', {
  timeout: 120_000,
}, async () => {
  const { slowestMs, decisions, entries } = await evaluateTakes({ takes: 1_000, slots: 2, onePassesIn: 10 });
  expect([decisions, entries]).toEqual([2_000, 200]);
  expect(slowestMs).toBeLessThan(30_000);
});
