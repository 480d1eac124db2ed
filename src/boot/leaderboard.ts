/** The leaderboard as this process refreshes it: the indexing provider and the perpetuals venue, asked within their budgets. */
import type { RecurringWork } from '../../actors/runtime/recurring.ts';
import type { ServiceMetrics } from '../adapters/metrics.ts';
import { createLeaderboardStore } from '../adapters/store/leaderboard/leaderboard-store.ts';
import { VenueError } from '../adapters/venues/venue-feed.ts';
import { REFRESH_MS } from '../domain/leaderboard/standing.ts';
import { createLeaderboardRefresh, type WalletHistories } from '../trading/leaderboard-refresh.ts';
import type { WorkerDeps } from './capabilities/capability.ts';
import { openPerpInfo } from './outside/evmvenue.ts';
import type { OutsideReach } from './outside/index.ts';
import { indexer } from './outside/indexer.ts';

export function openWalletHistories(reach: OutsideReach): WalletHistories & { close(): void } {
  const history = indexer.open(reach);
  const perps = openPerpInfo(reach);
  return {
    transactions: history === null ? null : (address, before) => history.page(address, before),
    fills: (address, since) => (since === null ? perps.walletFills(address) : perps.walletFillsSince(address, since)),
    failureOf: (error) => {
      if (!(error instanceof VenueError)) return null;
      return error.status === 429 || error.code === 'budget_exhausted' ? 'spent' : 'silent';
    },
    close: () => history?.close(),
  };
}

/** What a worker does for the leaderboard: a round of stale wallets every thirty seconds, planned by the queue. */
export function leaderboardWork(
  { sql, trading, clock }: WorkerDeps,
  metrics: Pick<ServiceMetrics, 'leaderboardRefreshed'>,
): readonly RecurringWork[] {
  const histories = trading?.histories;
  if (histories === undefined) return [];
  const { run } = createLeaderboardRefresh({ store: createLeaderboardStore(sql), histories, clock });
  return [{ what: 'refreshing the leaderboard', everyMs: REFRESH_MS, run: async () => metrics.leaderboardRefreshed(await run()) }];
}
