/** A Take: one asset, its conditions and limits as a canonical hashed object, and the manifest of its evaluations. */
import { canonicalHash } from '../values/canonical-json.ts';
import { findCostModel, assumedMarketState, slippageFromMiddleBps } from '../orders/costs.ts';
import { Decimal, type DecimalString, plainDecimal } from '../values/decimal.ts';
import { MANIFEST_SCHEMA_VERSION } from '../manifest/limits.ts';
import type { Manifest, ManifestCondition, UniverseEntry } from '../manifest/manifest.ts';
import { DAY_MS, type EpochMs } from '../values/time.ts';

/** States of a Take. A filled Take with exit conditions still watches its position until it is closed. */
export const TAKE_STATES = ['draft', 'armed', 'triggered', 'proposed', 'filled', 'closed', 'disarmed', 'expired'] as const;
export type TakeState = (typeof TAKE_STATES)[number];

/** Reason of a disarmed Take whose position is being sold on its operator's command. */
export const CLOSING = 'closing';

/** Reason of a Take whose author must confirm what its words mean. */
export const READING_OPEN = 'reading_open';

/** `thesis`: compiled from words or fields. `basis`: a basis policy, whose entry and exit are thresholds of one spread. */
export const TAKE_ORIGINS = ['thesis', 'basis'] as const;
export type TakeOrigin = (typeof TAKE_ORIGINS)[number];

/** Value that the Take waits for: a price in quote units, or a gap in percent (negative is a discount). */
interface TakeTarget {
  readonly kind: 'price' | 'premium_pct' | 'gap_to_mark_pct';
  readonly direction: 'below' | 'above';
  readonly value: DecimalString;
}

/** Canonical form. Every field is hashed, so changing one makes another Take. */
export interface Take {
  readonly schemaVersion: '1';
  readonly origin: TakeOrigin;
  readonly asset: UniverseEntry;
  /** Timeframe of indicators without their own. */
  readonly timeframe: string;
  /** Conditions that must all pass on a cut to trigger. The target is one of them. */
  readonly entry: readonly ManifestCondition[];
  /** Exit conditions. Any that passes closes the position. If empty, the Take ends once it is filled. */
  readonly exit: readonly ManifestCondition[];
  /** Capital of one trade, in US dollars. */
  readonly allocationUsd: DecimalString;
  /** Slippage budget in basis points: maximum distance of the limit price beyond the executable price. */
  readonly maxSlippageBps: number;
  /** Expiry in milliseconds since the epoch. The Take is not evaluated from then on. */
  readonly expiresAt: EpochMs;
}

export const MIN_ALLOCATION_USD = '1';
export const MAX_ALLOCATION_USD = '10000000';
/** Maximum life of a Take in milliseconds. */
export const MAX_TAKE_LIFE_MS = 365 * DAY_MS;

/** Returns the SHA-256 over the canonical JSON of the Take in lower-case hexadecimal. */
export function takeHash(take: Take): string {
  return canonicalHash(take);
}

const TARGETS: Readonly<Record<string, Pick<TakeTarget, 'kind' | 'direction'> & { readonly field: string }>> = {
  price_below: { kind: 'price', direction: 'below', field: 'price' },
  price_above: { kind: 'price', direction: 'above', field: 'price' },
  premium_below: { kind: 'premium_pct', direction: 'below', field: 'pct' },
  premium_above: { kind: 'premium_pct', direction: 'above', field: 'pct' },
  gap_to_mark_below: { kind: 'gap_to_mark_pct', direction: 'below', field: 'pct' },
  gap_to_mark_above: { kind: 'gap_to_mark_pct', direction: 'above', field: 'pct' },
};

/** Returns the first entry condition on a price or a premium as a target, or null if there is none. */
export function findTarget(take: Pick<Take, 'entry'>): TakeTarget | null {
  for (const condition of take.entry) {
    const target = TARGETS[condition.type];
    if (target !== undefined) return { kind: target.kind, direction: target.direction, value: String(condition[target.field]) };
  }
  return null;
}

/** Returns the entry condition of a target. */
export function conditionOfTarget(target: TakeTarget): ManifestCondition {
  if (target.kind === 'price') return { type: `price_${target.direction}`, price: target.value };
  const type = target.kind === 'premium_pct' ? 'premium' : 'gap_to_mark';
  return { type: `${type}_${target.direction}`, pct: Number(target.value) };
}

/** Value of a guardrail that never trips. */
const UNSET = 0;

/** Returns the notional that the allocation pays for together with the venue's fee, rounded down to a cent. */
function tradeNotionalUsd({ allocationUsd, asset }: Pick<Take, 'allocationUsd' | 'asset'>): DecimalString {
  const withFee = new Decimal(findCostModel(asset.key).takerFeeBps).div(10_000).plus(1);
  return plainDecimal(new Decimal(allocationUsd).div(withFee).toDecimalPlaces(2, Decimal.ROUND_FLOOR));
}

/**
 * Returns the expected slippage of the Take's fills against their decision, in basis points, from a backtest's default assumptions for its
 * notional. A Take passes no gates, so it has no evidence of its own.
 */
export function expectedSlippageOfTake(take: Take): number {
  return slippageFromMiddleBps('buy', Number(tradeNotionalUsd(take)), assumedMarketState(take.asset.key));
}

/**
 * Returns the manifest that evaluates a Take: the same conditions, one instrument, one position, its allocation as capital and, minus the
 * venue's fee, as trade notional. The daily drawdown is limited only by the organization's mandate, hence 100 here.
 */
export function manifestOfTake(take: Take): Manifest {
  return {
    schemaVersion: MANIFEST_SCHEMA_VERSION,
    name: take.origin === 'basis' ? 'basis policy' : 'take',
    description: '',
    universe: [take.asset],
    timeframe: take.timeframe,
    entry: take.entry,
    exit: take.exit,
    maxCapitalUsd: take.allocationUsd,
    maxTradeNotionalUsd: tradeNotionalUsd(take),
    maxLeverage: '1',
    stopLossPct: UNSET,
    takeProfitPct: UNSET,
    maxDailyDrawdownPct: 100,
    maxOpenPositions: 1,
    killSwitchAction: 'cancel_all_and_halt',
    algorithm: 'taker_immediate',
    urgency: 'medium',
    maxSlippageBps: take.maxSlippageBps,
  };
}
