// Request budgets of a provider after a wrong wall clock: no request waits for the difference.
import { expect, test } from 'vitest';
import { WeightBudget } from '../../../src/adapters/venues/request-budget.ts';

const HOUR_MS = 3_600_000;

test('budget used and blocked while the clock ran two hours ahead is free again after its minute, not two hours later', () => {
  const budget = new WeightBudget(10);
  const ahead = 10 * HOUR_MS;
  expect(budget.take(10, ahead)).toBe(0);
  budget.block(ahead + 30_000);
  const now = ahead - 2 * HOUR_MS;
  expect(budget.take(1, now)).toBe(30_000);
  expect(budget.state(now)).toMatchObject({ left: 0, blockedUntil: now + 30_000 });
  // The block is over, but not its minute.
  expect(budget.take(1, now + 30_000)).toBe(30_000);
  expect(budget.take(10, now + 60_000)).toBe(0);
});
