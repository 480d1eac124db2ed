/** The ticker of the actors that trade by a manifest's rules: agents every minute, and every other kind with a period of its own. */
import { createShardTicker, type ShardTicker, type ShardTickerDeps } from './shard-ticker.ts';
import type { TickStore } from './tick-store.ts';
import { createTradingKind, type Noted, type TradingDuty, type TradingKindDeps } from './trading-decisions.ts';

/** How long a proposal waits for its approval unless told otherwise, in milliseconds: prices of ten slots ago say little. */
export const APPROVAL_MS = 600_000;

/** Makes the ticker. The period and the shards are those of the actors that `store` knows. */
export function createTradingTicker<Duty extends TradingDuty>(
  deps: Omit<ShardTickerDeps<Duty, Noted>, 'kind'> &
    Pick<TradingKindDeps<Duty>, 'onMarked' | 'disabledVenues' | 'notesInputs'> & {
      readonly store: TickStore<Duty>;
      readonly approvalMs?: number;
    },
): ShardTicker {
  const approvalMs = deps.approvalMs ?? APPROVAL_MS;
  return createShardTicker({ ...deps, kind: createTradingKind({ ...deps, approvalMs }) });
}

/** The store of a trading ticker. */
export type TradingTickStore = TickStore<TradingDuty>;
