// Use of each limit: the same numbers with which the risk function rejects.
import { expect, test } from 'vitest';
import { assessOrder } from '../../../src/domain/risk/index.ts';
import { limitUses } from '../../../src/domain/risk/limit-uses.ts';
import { randomCases } from './random-cases.ts';

test('a limit is reported as kept exactly if the risk function does not reject by it, with the same numbers (seed 7)', () => {
  const next = randomCases(7);
  let broken = 0;
  let kept = 0;
  for (let i = 0; i < 1_000; i++) {
    const { order, context } = next();
    const uses = limitUses(order, context);
    if (order.side === 'sell') expect(uses).toEqual([]);
    const { rejections } = assessOrder(order, context).attribution;
    for (const { code, limitUsd, beforeUsd, afterUsd, keeps } of uses) {
      const rejection = rejections.find((each) => each.code === code);
      expect([i, code, keeps]).toEqual([i, code, rejection === undefined]);
      if (rejection === undefined) kept++;
      else {
        broken++;
        expect(rejection).toMatchObject({ limit: limitUsd, before: beforeUsd, after: afterUsd });
      }
    }
  }
  expect(Math.min(broken, kept)).toBeGreaterThan(100);
});
