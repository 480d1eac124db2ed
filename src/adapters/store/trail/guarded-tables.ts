/**
 * Tables whose rows carry no signature of their own, each with the reason. Every other table is logged: what a verifier holds
 * against the database does not come from it.
 */
export const GUARDED_TABLES: Readonly<Record<string, string>> = {
  leases: 'who is on duty, renewed every few seconds; nothing is proved by it',
  execution_leases: 'orders on their way, for seconds; the orders themselves are logged',
  timers: 'what is still to happen; what happened is a step, which is logged',
  errands: 'what is still to be done; its outcome is a step, which is logged',
  announcements: 'copies of logged rows for whoever follows the feeds',
  idempotency_keys: 'answers that are repeated for two days; what they tell of is logged',
  tick_shards: 'how far ticks are; the decisions of each tick are signed in tick_batches',
  tick_crashes: 'a count of crashes in a row',
  decisions: 'signed by tick in tick_batches',
  decision_rows: 'signed by tick in tick_batches',
  cuts: 'signed by slot in cut_batches',
  observations: 'signed by slot in cut_batches',
  candles: 'signed by stretch in candle_stretches',
  candle_windows: 'which stretches were asked for',
  pool_liquidity: 'the market, as it was heard last; cuts hold what is decided on',
  prediction_events: 'the market, as it was heard last',
  prediction_markets: 'the market, as it was heard last',
  prediction_status_changes: 'the market; settlements are logged',
  prediction_trades: 'the market, kept for a while',
  intelligence_events: 'news; cuts hold what is decided on',
  intelligence_reports: 'news; cuts hold what is decided on',
  macro_observations: 'news; nothing is decided on it',
  macro_releases: 'news; nothing is decided on it',
  chain_tvl: 'news; nothing is decided on it',
  chain_tvl_days: 'news; nothing is decided on it',
  social_posts: 'news; nothing is decided on it',
  evaluation_runs: 'how far runs are, renewed while they work; what they found is in evaluation_reports and evidence',
  gate_heads: 'kept by triggers; the chain that it ends is logged',
};
