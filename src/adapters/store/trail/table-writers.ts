/**
 * Permitted writers of each table. The database checks sessions and signatures against the same list (`trail_tables.writers`), and a test
 * compares both. Verifiers use this one, because they must not trust the database.
 */
import type { Writer } from '../../../domain/trail/batch.ts';

/** Tables by their writers, each named once. */
const TABLES_OF: readonly (readonly [writers: readonly Writer[], tables: readonly string[]])[] = [
  // Data received from outside.
  [
    ['feed'],
    [
      'chain_tvl',
      'chain_tvl_days',
      'intelligence_events',
      'intelligence_reports',
      'issuer_marks',
      'macro_observations',
      'macro_releases',
      'pool_liquidity',
      'prediction_events',
      'prediction_markets',
      'prediction_status_changes',
      'prediction_trades',
      'shadow_windows',
      'social_posts',
    ],
  ],
  // The worker writes slots without received data.
  [
    ['feed', 'worker'],
    ['cut_batches', 'cuts', 'observations'],
  ],
  // History that each may request; quarantined rows of each one's loops; and actors, to which the feed sends only `FEED_EVENTS`.
  [
    ['feed', 'worker', 'api'],
    [
      'archived_reports',
      'candle_imports',
      'candle_stretches',
      'candle_windows',
      'candles',
      'event_archives',
      'long_work',
      'market_history',
      'actor_checkpoints',
      'actors',
      'agents',
      'announcements',
      'incidents',
      'leases',
      'quarantined_rows',
      'source_origins',
      'steps',
      'timers',
    ],
  ],
  // Recurring work.
  [
    ['worker'],
    [
      'activity_workers',
      'worked_organizations',
      'decision_rows',
      'decisions',
      'moved_actors',
      'moved_history',
      'prediction_settlements',
      'recurring_work',
      'tick_batches',
      'tick_crashes',
      'tick_inputs',
      'tick_shards',
      'vault_marks',
      'leaderboard_events',
      'leaderboard_progress',
      'leaderboard_sales',
    ],
  ],
  [['evaluator'], ['evidence']],
  [['worker', 'api', 'evaluator'], ['gate_heads']],
  [['owner'], ['cut_corrections', 'superseded_evidence']],
  // A correction withdraws high-water marks that a wrong cut caused.
  [['worker', 'api', 'owner'], ['vaults']],
  // Requests of members and work of actors.
  [
    ['worker', 'api'],
    [
      'activities',
      'agent_token_revocations',
      'agent_tokens',
      'signal_hook_revocations',
      'signal_hooks',
      'signal_secrets',
      'audit',
      'book_exposures',
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
      'evaluation_runs',
      'exchange_accounts',
      'execution_leases',
      'exposures',
      'fills',
      'idempotency_keys',
      'interventions',
      'invitations',
      'launches',
      'leaderboard_registrations',
      'leaderboard_standings',
      'leaderboard_wallets',
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
      'outside_inputs',
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

export const WRITERS_OF_TABLE: Readonly<Record<string, readonly Writer[]>> = Object.fromEntries(
  TABLES_OF.flatMap(([writers, tables]) => tables.map((table) => [table, writers] as const)),
);

/** Events that the feed sends to actors; it causes no other steps. */
export const FEED_EVENTS: readonly string[] = ['feed.degraded', 'feed.restored'];

/** Returns true if the writer may change the table; false for an unlisted table. */
export function mayWrite(writer: Writer, table: string): boolean {
  return WRITERS_OF_TABLE[table]?.includes(writer) ?? false;
}
