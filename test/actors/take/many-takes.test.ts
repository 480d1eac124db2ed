// Many armed Takes: each has one chained decision per slot. The proof measures a slot of ten thousand.
import { expect, test } from 'vitest';
import { evaluateTakes } from './many-takes-fixture.ts';
import { rounds } from '../../harness/rounds.ts';

test('Takes in three shards have one decision per slot, and one proposal if their conditions pass', async () => {
  const takes = rounds({ suite: 100, proof: 300 });
  const { decisions, entries } = await evaluateTakes({ takes, slots: 2, onePassesIn: 10 });
  expect([decisions, entries]).toEqual([2 * takes, takes / 5]);
});
