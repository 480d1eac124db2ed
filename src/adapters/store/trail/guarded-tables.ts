/**
 * Protection of tables by signatures. Verifiers use this list and not the database's. A table in neither list is logged: each change of a
 * row is signed.
 */

/** Tables whose rows are signed as a sum, and only in transactions without other signed changes; each with the reason. */
export const SUMMED_TABLES: Readonly<Record<string, string>> = {
  leases: 'who is on duty and until when',
  moved_actors: 'whose steps lie in which archive file; each step is logged, and verify-trail finds it in the file',
  timers: 'what is still to happen; set, fired and cancelled by signed steps, dropped alone under a signature',
  activities: 'what is still to be done and when it is tried again; asked for and answered by signed steps',
  announcements: 'copies of logged rows for whoever follows the feeds; what is announced alone is signed',
  prediction_events: 'the market, as it was heard last',
  prediction_markets: 'the market, as it was heard last; what it resolved to is logged',
  prediction_trades: 'the market, kept for a while',
  pool_liquidity: 'the market, as it was heard last; cuts hold what is decided on',
  candle_windows: 'which stretches were asked for; their bars are signed by stretch',
  actor_checkpoints: 'follows from the steps, which are logged; what is rebuilt is held against them',
  tick_crashes: 'how often a tick threw in a row; an actor goes into quarantine by it',
  recurring_work: 'which slot of what recurs is done, and who is at the next',
  leaderboard_wallets: 'what was read of public histories',
  leaderboard_events: 'public histories',
  leaderboard_sales: 'follows from public histories',
  leaderboard_standings: 'follows from public histories',
  leaderboard_progress: 'how far the refresh is',
  idempotency_keys: 'answers that are repeated for two days, written with the signed command that they answer',
  outside_inputs: 'what outside code says it decided on, for 90 days; its hash is in the logged proposal',
  intelligence_events: 'news; cuts hold what is decided on',
  intelligence_reports: 'news; cuts hold what is decided on',
  macro_observations: 'news; nothing is decided on it',
  macro_releases: 'news; nothing is decided on it',
  chain_tvl: 'news; nothing is decided on it',
  chain_tvl_days: 'news; nothing is decided on it',
  social_posts: 'news; nothing is decided on it',
};

/** Tables whose rows are not signed, each with the reason. */
export const GUARDED_TABLES: Readonly<Record<string, string>> = {
  execution_leases: 'orders on their way, for seconds; the orders themselves are logged',
  activity_workers: 'which workers divide the due work, for seconds; each activity is claimed under a signature',
  worked_organizations: 'which worker prefers whose work; each activity is claimed under a signature',
  tick_shards:
    'how far ticks are; the decisions of each tick are signed in tick_batches, and the verifier misses those of a slot that was passed over',
  decisions: 'signed by tick in tick_batches',
  decision_rows: 'signed by tick in tick_batches',
  cuts: 'signed by slot in cut_batches',
  observations: 'signed by slot in cut_batches',
  candles: 'signed by stretch in candle_stretches',
  long_work: 'how far long work is; nothing is proved by it',
  evaluation_runs: 'how far runs are, renewed while they work; what they found is in evaluation_reports and evidence',
  quarantined_rows: 'which rows a background loop could not handle; nothing acts on it',
  book_exposures: 'kept by triggers; follows from books and proposals, which are logged, and is held against them',
  exposures: 'kept by triggers; follows from books and proposals, which are logged, and is held against them',
  gate_heads: 'kept by triggers; the chain that it ends is logged',
};

/** Protection of a table. */
export type Protection = 'logged' | 'summed' | 'guarded';

export function protectionOf(table: string): Protection {
  return GUARDED_TABLES[table] !== undefined ? 'guarded' : SUMMED_TABLES[table] !== undefined ? 'summed' : 'logged';
}
