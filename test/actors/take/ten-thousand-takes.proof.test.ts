// Ten thousand armed Takes are evaluated within their half minute on this machine. Prints the time.
import { expect, test } from 'vitest';
import { evaluateTakes } from './many-takes-fixture.ts';

test.each([
  ['none passes', null, 0],
  ['one in ten passes in every slot', 10, 3_000],
] as const)('ten thousand armed Takes are evaluated well within their half minute: %s', async (share, onePassesIn, wanted) => {
  const { slowestMs, decisions, entries } = await evaluateTakes({ takes: 10_000, slots: 3, onePassesIn });
  console.info(
    `10,000 Takes, ${share}: ${entries} entries; the slowest of 3 slots took ${Math.round(slowestMs)} ms from its cut to its committed decisions`,
  );
  expect([decisions, entries]).toEqual([30_000, wanted]);
  expect(slowestMs).toBeLessThan(30_000);
});
