/** The canonical manifest, into which both authored forms are read and which is hashed. */
import { canonicalHash } from '../values/canonical-json.ts';
import type { DecimalString } from '../values/decimal.ts';
import type { InstrumentKey } from '../market/venue.ts';

export const EXECUTION_ALGORITHMS = ['smart_order_routing_maker_first', 'taker_immediate', 'twap'] as const;
export type ExecutionAlgorithm = (typeof EXECUTION_ALGORITHMS)[number];
export const URGENCIES = ['low', 'medium', 'high'] as const;
export type Urgency = (typeof URGENCIES)[number];
export const KILL_SWITCH_ACTIONS = ['cancel_all_and_halt', 'halt_only', 'reduce_to_flat'] as const;
export type KillSwitchAction = (typeof KILL_SWITCH_ACTIONS)[number];

/** A condition of a manifest: its type and fields, with every default resolved. */
export interface ManifestCondition {
  readonly type: string;
  readonly [field: string]: string | number | boolean | readonly string[];
}

/** An entry of the universe: the instrument and its kind (`spot`, `perp`, `tokenized_equity`, `pre_ipo`, `agent_token`). */
export interface UniverseEntry {
  readonly key: InstrumentKey;
  readonly kind: string;
}

/** A strategy whose code is outside the service and sends proposals. Other code needs another release. */
export interface ExternalStrategy {
  readonly kind: 'external';
  readonly release: string;
}

/** Canonical manifest. Percentages and basis points are numbers (ratios), money is decimal strings. */
export interface Manifest {
  readonly schemaVersion: string;
  readonly name: string;
  readonly description: string;
  readonly universe: readonly UniverseEntry[];
  /** Timeframe of indicators without their own. */
  readonly timeframe: string;
  readonly entry: readonly ManifestCondition[];
  readonly exit: readonly ManifestCondition[];
  readonly maxCapitalUsd: DecimalString;
  readonly maxTradeNotionalUsd: DecimalString;
  readonly maxLeverage: DecimalString;
  readonly stopLossPct: number;
  readonly takeProfitPct: number;
  readonly maxDailyDrawdownPct: number;
  readonly maxOpenPositions: number;
  readonly killSwitchAction: KillSwitchAction;
  readonly algorithm: ExecutionAlgorithm;
  readonly urgency: Urgency;
  readonly maxSlippageBps: number;
  /** Absent in a manifest whose own rules trade. Its hash is then without this member. */
  readonly strategy?: ExternalStrategy;
}

/** Returns the SHA-256 over the RFC 8785 form of the canonical manifest. */
export function manifestHash(manifest: Manifest): string {
  return canonicalHash(manifest);
}
