/** Request budgets of the providers, in one process or shared through Redis. */
import type { EpochMs } from '../../domain/values/time.ts';
import { budgetFor, type BudgetPurpose, type RequestBudget, WeightBudget } from '../venues/request-budget.ts';
import { openSharedBudgets } from './shared-budget.ts';

/** Creates the budget of one provider: the maximum weight in any window; default 60 s. */
export type MakeBudget = (name: string, limit: number, windowMs?: number) => RequestBudget;

export const aloneBudgets: MakeBudget = (_, limit, windowMs) => new WeightBudget(limit, windowMs);

/** Creates budgets that all processes on one Redis share; without Redis, budgets of this process. */
export function budgetsOn(
  redisUrl: string | null,
  clock: { now(): EpochMs },
  onError: (error: unknown) => void,
): { readonly make: MakeBudget; close(): void } {
  if (redisUrl === null) return { make: aloneBudgets, close: () => {} };
  const shared = openSharedBudgets({ url: redisUrl, clock, onError });
  return { make: shared.budget, close: shared.close };
}

/** Restricts budgets to the share of one purpose. */
export function budgetsFor<Budgets extends Readonly<Record<string, RequestBudget>>>(budgets: Budgets, purpose: BudgetPurpose): Budgets {
  return Object.fromEntries(Object.entries(budgets).map(([name, budget]) => [name, budgetFor(budget, purpose)])) as Budgets;
}
