// Ten thousand armed Takes are evaluated within their half minute on this machine; the number is printed.
import { expect, test } from 'vitest';
import { evaluateTakes } from './many-takes-fixture.ts';

test('ten thousand armed Takes are evaluated well within their half minute', async () => {
  const { slowestMs, decisions } = await evaluateTakes({ takes: 10_000, slots: 3 });
  console.info(`10,000 Takes: the slowest of 3 slots took ${Math.round(slowestMs)} ms from its cut to its committed decisions`);
  expect(decisions).toBe(30_000);
  expect(slowestMs).toBeLessThan(30_000);
});
