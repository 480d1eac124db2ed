/** Refresh of the leaderboard by workers. */
import type { RecurringWork } from '../../../actors/runtime/recurring.ts';
import type { ServiceMetrics } from '../../adapters/log/metrics.ts';
import { createLeaderboardStore } from '../../adapters/store/leaderboard/leaderboard-store.ts';
import { REFRESH_MS } from '../../domain/leaderboard/leaderboard-entry.ts';
import { createLeaderboardRefresh } from '../../trading/leaderboard-refresh.ts';
import type { WorkerDeps } from '../capabilities/capability.ts';

/** Returns the work that refreshes stale wallets every thirty seconds, planned by the queue. */
export function leaderboardWork(
  { sql, trading, clock, containment }: WorkerDeps,
  metrics: Pick<ServiceMetrics, 'leaderboardRefreshed'>,
): readonly RecurringWork[] {
  const histories = trading?.histories;
  if (histories === undefined) return [];
  const what = 'refreshing the leaderboard';
  const { run } = createLeaderboardRefresh({ store: createLeaderboardStore(sql), histories, clock, contained: containment(what) });
  return [{ what, everyMs: REFRESH_MS, run: async () => metrics.leaderboardRefreshed(await run()) }];
}
