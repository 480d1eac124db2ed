/** Listings of strategies: a pinned manifest version with its price, its track record, and the shape of its rules. */
import { Decimal, type DecimalString, isDecimalString, plainDecimal } from '../values/decimal.ts';
import type { EvidenceCheck, EvidenceKind, EvidenceMetrics } from '../agents/evidence.ts';
import { type Outcome, refuse } from '../values/refusal.ts';
import type { EpochMs } from '../values/time.ts';

export const LISTING_STATES = ['listed', 'unlisted'] as const;

/** Maximum price in dollars of the stablecoin, inclusive. */
const HIGHEST_PRICE_USD = 10_000;
/** Decimals of the stablecoin. */
const PRICE_DECIMALS = 6;

/** Public shape of the rules: kinds of conditions and instruments, without parameters. */
export interface RuleShape {
  readonly entry: readonly string[];
  readonly exit: readonly string[];
  readonly timeframe: string;
  /** Number of instruments in the universe. */
  readonly instruments: number;
  readonly kinds: readonly string[];
}

/** Newest evidence of one kind, as the database assessed it. */
interface ListedEvidence {
  readonly kind: EvidenceKind;
  readonly passed: boolean;
  readonly at: EpochMs;
  readonly evidenceId: string;
  readonly hash: string;
  readonly runId: string | null;
  readonly metrics: EvidenceMetrics;
  readonly checks: readonly EvidenceCheck[];
  /** True unless every source was real. Listings from before migration 0436 do not say. */
  readonly simulated?: boolean;
}

/** Evidence of the manifest version at its publication. */
export interface ListingEvidence {
  readonly at: EpochMs;
  readonly gates: readonly ListedEvidence[];
  /**
   * Return of the backtest since its beginning in percent, oldest first, at up to 48 instants. Listings from before migration 0410 have
   * none.
   */
  readonly curve?: readonly (readonly [at: EpochMs, returnPct: number])[];
  /** Share of the backtest that luck explains, or null if none is on record. */
  readonly luck: {
    readonly versionsTried: number;
    readonly expectedBestSharpe: number | null;
    readonly probabilisticSharpe: number | null;
    readonly deflatedSharpe: number | null;
  } | null;
  /** Number of the agent's manifest versions, and of those with a backtest on record. */
  readonly versions: number;
  readonly versionsTried: number;
  /** Furthest stage that this version has reached. */
  readonly stage: string | null;
  readonly paperDays: number;
}

/** Reads a licence price, as a JSON number or a decimal text. Refuses with `malformed` outside 0 to 10,000 and beyond six decimals. */
export function licencePrice(asked: number | string): Outcome<DecimalString> {
  const text = typeof asked === 'number' ? new Decimal(asked).toFixed() : asked;
  if (!isDecimalString(text) || text.length > 40) return refuse('malformed', '$.priceUsd: it is not a decimal number');
  const price = new Decimal(text);
  if (price.isNegative() && !price.isZero()) return refuse('malformed', `$.priceUsd: ${text} is below 0; allowed are 0 to 10000`);
  if (price.gt(HIGHEST_PRICE_USD)) return refuse('malformed', `$.priceUsd: ${text} is above 10000; allowed are 0 to 10000`);
  if (price.decimalPlaces() > PRICE_DECIMALS)
    return refuse('malformed', `$.priceUsd: ${text} has more than ${PRICE_DECIMALS} decimals, which the stablecoin does not have`);
  return { ok: true, value: plainDecimal(price) };
}

/** Normalizes category tags: lower case, without duplicates, in the original order. */
export function listingCategories(asked: readonly string[]): readonly string[] {
  return [...new Set(asked.map((tag) => tag.trim().toLowerCase()))];
}

/** Message for a listing that does not exist. */
export const NO_LISTING = 'there is no listing with this id';
