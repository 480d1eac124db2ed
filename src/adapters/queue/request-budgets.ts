/** Counters of requests to the providers: one process alone, or all processes together through Redis. */
import type { EpochMs } from '../../domain/values/time.ts';
import { budgetFor, type BudgetPurpose, type RequestBudget, WeightBudget } from '../venues/request-budget.ts';
import { openSharedBudgets } from './shared-budget.ts';

/** Makes the budget of one provider: so much weight in any window, of 60 s unless told. */
export type MakeBudget = (name: string, limit: number, windowMs?: number) => RequestBudget;

export const aloneBudgets: MakeBudget = (_, limit, windowMs) => new WeightBudget(limit, windowMs);

/** Budgets that all processes on one Redis share; without Redis this process is the only one. */
export function budgetsOn(
  redisUrl: string | null,
  clock: { now(): EpochMs },
  onError: (error: unknown) => void,
): { readonly make: MakeBudget; close(): void } {
  if (redisUrl === null) return { make: aloneBudgets, close: () => {} };
  const shared = openSharedBudgets({ url: redisUrl, clock, onError });
  return { make: shared.budget, close: shared.close };
}

/** The same budgets for work of one purpose. */
export function budgetsFor<Budgets extends Readonly<Record<string, RequestBudget>>>(budgets: Budgets, purpose: BudgetPurpose): Budgets {
  return Object.fromEntries(Object.entries(budgets).map(([name, budget]) => [name, budgetFor(budget, purpose)])) as Budgets;
}
