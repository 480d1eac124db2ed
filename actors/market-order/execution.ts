/** Carries out people's live orders: by the carrier that executes proposals, with risk on the manual book. */
import { EXECUTE_ORDER, RECONCILE_ORDER } from '../proposal/effects.ts';
import { type ExecutionDeps, executionCarriers } from '../proposal/execution.ts';
import type { ErrandCarrier } from '../runtime/errands.ts';
import type { MarketPreTrade } from './commands.ts';
import { EXECUTE_MARKET_ORDER, RECONCILE_MARKET_ORDER } from './effects.ts';

/** The carriers of a market order's errands, by kind. */
export function marketOrderCarriers(
  deps: Omit<ExecutionDeps, 'preTrade'> & { readonly preTrade: Pick<MarketPreTrade, 'reassess'> },
): Readonly<Record<string, ErrandCarrier>> {
  const carriers = executionCarriers({
    ...deps,
    preTrade: { assess: (orgId, { order }) => deps.preTrade.reassess(orgId, order) },
  });
  return {
    [EXECUTE_MARKET_ORDER]: carriers[EXECUTE_ORDER] as ErrandCarrier,
    [RECONCILE_MARKET_ORDER]: carriers[RECONCILE_ORDER] as ErrandCarrier,
  };
}
