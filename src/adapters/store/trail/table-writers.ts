/**
 * Tables: their permitted writers, and how their rows are signed. Each table is named once. The database checks sessions and signatures
 * against the same facts (`trail_tables`), and a test compares both. Verifiers use these, because they must not trust the database.
 */
import type { Writer } from '../../../domain/trail/batch.ts';

type Signed = Readonly<Record<string, readonly [writers: readonly Writer[], reason: string]>>;

/** The feed and the worker, which writes slots without received data. */
const FEED_WORKER: readonly Writer[] = ['feed', 'worker'];
/** Requests of members and work of actors. */
const WORKER_API: readonly Writer[] = ['worker', 'api'];
/** History that each may request; quarantined rows of each one's loops; and actors, to which the feed sends only `FEED_EVENTS`. */
const EACH: readonly Writer[] = ['feed', 'worker', 'api'];

/** Tables whose rows are signed as a sum, and only in transactions without other signed changes; each with what is signed of it. */
const SUMMED: Signed = {
  leases: [EACH, 'who is on duty and until when'],
  moved_actors: [['worker'], 'whose steps lie in which archive file; each step is logged, and verify-trail finds it in the file'],
  timers: [EACH, 'what is still to happen; set, fired and cancelled by signed steps, dropped alone under a signature'],
  activities: [WORKER_API, 'what is still to be done and when it is tried again; asked for and answered by signed steps'],
  announcements: [EACH, 'copies of logged rows for whoever follows the feeds; what is announced alone is signed'],
  prediction_events: [['feed'], 'the market, as it was heard last'],
  prediction_markets: [['feed'], 'the market, as it was heard last; what it resolved to is logged'],
  prediction_trades: [['feed'], 'the market, kept for a while'],
  pool_liquidity: [['feed'], 'the market, as it was heard last; cuts hold what is decided on'],
  candle_windows: [EACH, 'which stretches were asked for; their bars are signed by stretch'],
  actor_checkpoints: [EACH, 'follows from the steps, which are logged; what is rebuilt is held against them'],
  tick_crashes: [['worker'], 'how often a tick threw in a row; an actor goes into quarantine by it'],
  recurring_work: [['worker'], 'which slot of what recurs is done, and who is at the next'],
  leaderboard_wallets: [WORKER_API, 'what was read of public histories'],
  leaderboard_events: [['worker'], 'public histories'],
  leaderboard_sales: [['worker'], 'follows from public histories'],
  leaderboard_standings: [WORKER_API, 'follows from public histories'],
  leaderboard_progress: [['worker'], 'how far the refresh is'],
  idempotency_keys: [WORKER_API, 'answers that are repeated for two days, written with the signed command that they answer'],
  outside_inputs: [WORKER_API, 'what outside code says it decided on, for 90 days; its hash is in the logged proposal'],
  intelligence_events: [['feed'], 'news; cuts hold what is decided on'],
  intelligence_reports: [['feed'], 'news; cuts hold what is decided on'],
  event_receptions: [['feed'], 'when news was received; cuts hold what is decided on'],
  macro_observations: [['feed'], 'news; nothing is decided on it'],
  macro_releases: [['feed'], 'news; nothing is decided on it'],
  chain_tvl: [['feed'], 'news; nothing is decided on it'],
  chain_tvl_days: [['feed'], 'news; nothing is decided on it'],
  social_posts: [['feed'], 'news; nothing is decided on it'],
};

/** Tables whose rows are not signed, each with the reason. */
const GUARDED: Signed = {
  execution_leases: [WORKER_API, 'orders on their way, for seconds; the orders themselves are logged'],
  activity_workers: [['worker'], 'which workers divide the due work, for seconds; each activity is claimed under a signature'],
  worked_organizations: [['worker'], 'which worker prefers whose work; each activity is claimed under a signature'],
  tick_shards: [
    ['worker'],
    'how far ticks are; the decisions of each tick are signed in tick_batches, and the verifier misses those of a slot that was passed over',
  ],
  decisions: [['worker'], 'signed by tick in tick_batches'],
  decision_rows: [['worker'], 'signed by tick in tick_batches'],
  cuts: [FEED_WORKER, 'signed by slot in cut_batches'],
  observations: [FEED_WORKER, 'signed by slot in cut_batches'],
  candles: [EACH, 'signed by stretch in candle_stretches'],
  long_work: [EACH, 'how far long work is; nothing is proved by it'],
  evaluation_runs: [WORKER_API, 'how far runs are, renewed while they work; what they found is in evaluation_reports and evidence'],
  member_settings: [WORKER_API, "how a member's terminal is arranged; nothing acts on it"],
  quarantined_rows: [EACH, 'which rows a background loop could not handle; nothing acts on it'],
  book_exposures: [WORKER_API, 'kept by triggers; follows from books and proposals, which are logged, and is held against them'],
  exposures: [WORKER_API, 'kept by triggers; follows from books and proposals, which are logged, and is held against them'],
  gate_heads: [['worker', 'api', 'evaluator'], 'kept by triggers; the chain that it ends is logged'],
};

/** All other tables, by their writers. Each change of a row is signed. */
const LOGGED: readonly (readonly [writers: readonly Writer[], tables: readonly string[]])[] = [
  // Data received from outside.
  [['feed'], ['issuer_marks', 'prediction_status_changes', 'shadow_windows', 'token_multipliers']],
  [FEED_WORKER, ['cut_batches']],
  [
    EACH,
    [
      'archived_reports',
      'candle_imports',
      'candle_stretches',
      'event_archives',
      'market_history',
      'actors',
      'agents',
      'incidents',
      'source_origins',
      'steps',
    ],
  ],
  // Recurring work.
  [['worker'], ['moved_history', 'prediction_settlements', 'tick_batches', 'tick_inputs', 'vault_marks']],
  [['evaluator'], ['evidence']],
  [['owner'], ['cut_corrections', 'superseded_evidence']],
  // A correction withdraws high-water marks that a wrong cut caused.
  [['worker', 'api', 'owner'], ['vaults']],
  [
    WORKER_API,
    [
      'agent_token_revocations',
      'agent_tokens',
      'signal_hook_revocations',
      'signal_hooks',
      'signal_secrets',
      'audit',
      'books',
      'bridge_arrivals',
      'bridge_transfers',
      'clock_shift',
      'control',
      'copilot_exchanges',
      'delegated_orders',
      'delegation_revocations',
      'delegations',
      'evaluation_reports',
      'exchange_accounts',
      'fills',
      'interventions',
      'invitations',
      'launches',
      'leaderboard_registrations',
      'ledger_accounts',
      'ledger_legs',
      'ledger_transactions',
      'linked_wallets',
      'listed_tokens',
      'listing_prices',
      'listing_rules',
      'manifests',
      'market_orders',
      'marketplace_checkouts',
      'licences',
      'marketplace_imports',
      'marketplace_listings',
      'member_roles',
      'members',
      'organizations',
      'outside_proposals',
      'prediction_orders',
      'prepared_transactions',
      'previewed_manifests',
      'proposals',
      'published_takes',
      'reserve_checks',
      'risk_preferences',
      'shadow_orders',
      'simulated_time',
      'stage_changes',
      'takes',
      'token_revocations',
      'trials',
      'vault_changes',
      'wallet_challenges',
    ],
  ],
];

export const WRITERS_OF_TABLE: Readonly<Record<string, readonly Writer[]>> = Object.fromEntries([
  ...Object.entries({ ...SUMMED, ...GUARDED }).map(([table, [writers]]) => [table, writers] as const),
  ...LOGGED.flatMap(([writers, tables]) => tables.map((table) => [table, writers] as const)),
]);

const reasons = (tables: Signed): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(tables).map(([table, [, reason]]) => [table, reason]));

export const SUMMED_TABLES = reasons(SUMMED);
export const GUARDED_TABLES = reasons(GUARDED);

/** Events that the feed sends to actors; it causes no other steps. */
export const FEED_EVENTS: readonly string[] = ['feed.degraded', 'feed.restored'];

/** Returns true if the writer may change the table; false for an unlisted table. */
export function mayWrite(writer: Writer, table: string): boolean {
  return WRITERS_OF_TABLE[table]?.includes(writer) ?? false;
}

/** Protection of a table. */
type Protection = 'logged' | 'summed' | 'guarded';

export function findProtection(table: string): Protection {
  return GUARDED[table] !== undefined ? 'guarded' : SUMMED[table] !== undefined ? 'summed' : 'logged';
}
