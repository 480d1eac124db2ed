/**
 * How tables are signed; what a verifier holds against the database does not come from it. A table that stands in neither list is
 * logged: each of its rows leaves its digest.
 */

/** Tables whose rows are signed together, and only where they change in a transaction that has nothing else to sign; each with the reason. */
export const SUMMED_TABLES: Readonly<Record<string, string>> = {
  leases: 'who is on duty; a move from one holder to the next is signed, a renewal is not',
  moved_actors: 'whose steps lie in which archive file; each step is logged, and verify-trail finds it in the file',
  timers: 'what is still to happen; set, fired and cancelled by signed steps, dropped alone under a signature',
  activities: 'what is still to be done; asked for and answered by signed steps, given up under a signature',
  announcements: 'copies of logged rows for whoever follows the feeds; what is announced alone is signed',
  idempotency_keys: 'answers that are repeated for two days, written with the signed command that they answer',
  intelligence_events: 'news; cuts hold what is decided on',
  intelligence_reports: 'news; cuts hold what is decided on',
  macro_observations: 'news; nothing is decided on it',
  macro_releases: 'news; nothing is decided on it',
  chain_tvl: 'news; nothing is decided on it',
  chain_tvl_days: 'news; nothing is decided on it',
  social_posts: 'news; nothing is decided on it',
};

/** Tables whose rows carry no signature of their own, each with the reason. */
export const GUARDED_TABLES: Readonly<Record<string, string>> = {
  execution_leases: 'orders on their way, for seconds; the orders themselves are logged',
  tick_shards: 'how far ticks are; the decisions of each tick are signed in tick_batches',
  tick_crashes: 'a count of crashes in a row',
  decisions: 'signed by tick in tick_batches',
  decision_rows: 'signed by tick in tick_batches',
  cuts: 'signed by slot in cut_batches',
  observations: 'signed by slot in cut_batches',
  candles: 'signed by stretch in candle_stretches',
  candle_windows: 'which stretches were asked for',
  long_work: 'how far long work is; nothing is proved by it',
  pool_liquidity: 'the market, as it was heard last; cuts hold what is decided on',
  prediction_events: 'the market, as it was heard last',
  prediction_markets: 'the market, as it was heard last',
  prediction_status_changes: 'the market; settlements are logged',
  prediction_trades: 'the market, kept for a while',
  evaluation_runs: 'how far runs are, renewed while they work; what they found is in evaluation_reports and evidence',
  actor_checkpoints: 'follows from the steps, which are logged; what is rebuilt is held against them',
  recurring_work: 'which slot of what recurs is done; nothing is proved by it',
  leaderboard_wallets: 'what was read of public histories; it can be read again, and nothing is decided on it',
  leaderboard_events: 'public histories; they can be read again',
  leaderboard_sales: 'follows from public histories',
  leaderboard_standings: 'follows from public histories',
  leaderboard_progress: 'how far the refresh is',
  book_exposures: 'kept by triggers; follows from books and proposals, which are logged, and is held against them',
  exposures: 'kept by triggers; follows from books and proposals, which are logged, and is held against them',
  gate_heads: 'kept by triggers; the chain that it ends is logged',
};

/** How a table is signed. */
export type Protection = 'logged' | 'summed' | 'guarded';

export function protectionOf(table: string): Protection {
  return GUARDED_TABLES[table] !== undefined ? 'guarded' : SUMMED_TABLES[table] !== undefined ? 'summed' : 'logged';
}
