/** Ticker of a kind that trades, shared by agents and Takes. */

import type { Breakers } from '../../../actors/agent/book-breakers.ts';
import type { ShardTicker } from '../../../actors/ticking/shard-ticker.ts';
import { createTradingTicker } from '../../../actors/ticking/trading-decisions.ts';
import { createTickStore } from '../../adapters/store/agents/tick-store.ts';
import type { TickerDeps } from './capability.ts';

/** Creates the ticker. `onMarked` receives the books that a tick marked. An actor whose tick crashes is paused. */
export function tradingTicker(deps: TickerDeps, { onMarked }: Pick<Breakers, 'onMarked'>): ShardTicker {
  const { runtime, trading } = deps;
  return createTradingTicker({
    store: deps.tickStore ?? createTickStore(deps.sql, deps.store.incident),
    now: deps.now,
    clock: deps.clock,
    alone: deps.alone,
    ...(trading === null ? {} : { approvalMs: trading.approvalMs }),
    ...(trading?.disabledVenues === undefined ? {} : { disabledVenues: trading.disabledVenues }),
    onMarked,
    pause: async (id) => {
      await runtime.deliver(id, { type: 'pause', cause: 'tick_crash' }, { cause: 'system' });
    },
  });
}
