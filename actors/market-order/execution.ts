/** Executes people's live orders and withdraws resting ones, with the activity worker of proposals and risk on the manual book. */
import { EXECUTE_ORDER, RECONCILE_ORDER, WITHDRAW_ORDER } from '../proposal/effects.ts';
import { type ExecutionDeps, executionWorkers } from '../proposal/execution.ts';
import type { ActivityWorker } from '../runtime/activities.ts';
import type { MarketPreTrade } from './commands.ts';
import { EXECUTE_MARKET_ORDER, RECONCILE_MARKET_ORDER, WITHDRAW_MARKET_ORDER } from './effects.ts';

/** Returns the activity workers of a market order, by kind. */
export function marketOrderWorkers(
  deps: Omit<ExecutionDeps, 'preTrade'> & { readonly preTrade: Pick<MarketPreTrade, 'reassess'> },
): Readonly<Record<string, ActivityWorker>> {
  const workers = executionWorkers({
    ...deps,
    preTrade: { assess: (orgId, placed) => deps.preTrade.reassess(orgId, placed) },
  });
  return {
    [EXECUTE_MARKET_ORDER]: workers[EXECUTE_ORDER] as ActivityWorker,
    [RECONCILE_MARKET_ORDER]: workers[RECONCILE_ORDER] as ActivityWorker,
    [WITHDRAW_MARKET_ORDER]: workers[WITHDRAW_ORDER] as ActivityWorker,
  };
}
