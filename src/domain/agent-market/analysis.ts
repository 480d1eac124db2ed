/** Analyzes an agent token: its holders, its depth, its risk, and its performance against its share. */
import type { Candle } from '../candles/candle.ts';
import type { CatalogEntry } from '../catalog/catalog.ts';
import { type LockedVesting, vestingTotal } from '../launch/curve/curve-config.ts';
import type { InstrumentKey } from '../market/venue.ts';
import { Decimal, type DecimalString, plainDecimal } from '../values/decimal.ts';
import { DAY_MS, type EpochMs, HOUR_MS } from '../values/time.ts';
import { type HolderConcentration, type HolderReading, measureConcentration, toPercent } from './holders.ts';
import { computeRiskScore, type RiskScore } from './risk-score.ts';

interface VestingState {
  /** `none`: nothing is locked. `waiting`: the curve is not complete, so everything is locked. */
  readonly state: 'none' | 'waiting' | 'unlocking' | 'unlocked';
  /** Raw units. */
  readonly total: bigint;
  readonly unlocked: bigint;
  /** Unix seconds at which everything is unlocked, or null if not yet known. */
  readonly endsAt: bigint | null;
}

/**
 * Computes the vesting state. `finishedAt` is the curve's completion and `now` the present, both in Unix seconds. `finishedAt` is 0 before
 * the completion.
 */
export function vestingState(vesting: LockedVesting, finishedAt: bigint, now: bigint): VestingState {
  const total = vestingTotal(vesting);
  if (total === 0n) return { state: 'none', total, unlocked: 0n, endsAt: null };
  if (finishedAt === 0n) return { state: 'waiting', total, unlocked: 0n, endsAt: null };
  const cliff = finishedAt + vesting.cliffDurationFromMigrationTime;
  const endsAt = cliff + vesting.frequency * vesting.numberOfPeriods;
  if (now < cliff) return { state: 'unlocking', total, unlocked: 0n, endsAt };
  const passed = vesting.frequency === 0n ? vesting.numberOfPeriods : (now - cliff) / vesting.frequency;
  const periods = passed < vesting.numberOfPeriods ? passed : vesting.numberOfPeriods;
  const unlocked = vesting.cliffUnlockAmount + periods * vesting.amountPerPeriod;
  return { state: unlocked >= total ? 'unlocked' : 'unlocking', total, unlocked, endsAt };
}

const PERFORMANCE_WINDOWS = { '24h': 24, '7d': 168, '30d': 720 } as const;
type PerformanceWindow = keyof typeof PERFORMANCE_WINDOWS;
export const WINDOW_NAMES = Object.keys(PERFORMANCE_WINDOWS) as readonly PerformanceWindow[];
/** Maximum age of a bar that prices an instant. A stock's token may not trade overnight. */
const TOLERANCE_MS = DAY_MS;

export interface WindowPerformance {
  readonly window: PerformanceWindow;
  /** Percent, or null if a bar of that time is missing. */
  readonly tokenPct: number | null;
  readonly stockPct: number | null;
  /** Return of the token measured in the share: (1 + token) / (1 + share) - 1. */
  readonly relativePct: number | null;
}

type Bars = readonly Pick<Candle, 'openTime' | 'close'>[];

/** Returns the close of the last bar that had closed by `at`, or null if none is recent enough. */
function closeAt(bars: Bars, at: EpochMs): Decimal | null {
  let found: Bars[number] | null = null;
  for (const bar of bars) if (bar.openTime + HOUR_MS <= at) found = bar;
  return found === null || at - (found.openTime + HOUR_MS) > TOLERANCE_MS || !new Decimal(found.close).gt(0)
    ? null
    : new Decimal(found.close);
}

function ratioOver(bars: Bars, from: EpochMs, to: EpochMs): Decimal | null {
  const [before, now] = [closeAt(bars, from), closeAt(bars, to)];
  return before === null || now === null ? null : now.div(before);
}

const percent = (ratio: Decimal | null): number | null =>
  ratio === null ? null : ratio.minus(1).times(100).toDecimalPlaces(6).toNumber() + 0;

/** Compares returns over several windows. `token` and `stock` are closed hourly bars in dollars, ascending. */
export function pairedPerformance(token: Bars, stock: Bars, now: EpochMs): readonly WindowPerformance[] {
  return WINDOW_NAMES.map((window) => {
    const from = now - PERFORMANCE_WINDOWS[window] * HOUR_MS;
    const [own, share] = [ratioOver(token, from, now), ratioOver(stock, from, now)];
    return {
      window,
      tokenPct: percent(own),
      stockPct: percent(share),
      relativePct: percent(own === null || share === null ? null : own.div(share)),
    };
  });
}

/** History of bars that the analysis needs, in milliseconds. */
export const BARS_BACK_MS = 32 * DAY_MS;

/** Creator of a token, and the creator's holdings. */
export interface CreatorLook {
  readonly address: string;
  /** Raw units in the creator's own account. */
  readonly held: bigint;
  /** Null if it was launched without a curve of its own. */
  readonly vesting: VestingState | null;
}

/** Assets on the side of a market that pays sellers. */
export interface DepthLook {
  readonly source: 'curve' | 'successor_pool' | 'aggregator';
  readonly depthUsd: DecimalString;
  readonly at: EpochMs;
}

export interface PriceLook {
  readonly source: 'curve' | 'aggregator';
  readonly priceUsd: DecimalString;
  readonly at: EpochMs;
}

/** Data of one token at one moment. Parts that no source answered are null. */
export interface TokenLook {
  readonly at: EpochMs;
  readonly holders: HolderReading | null;
  readonly creator: CreatorLook | null;
  readonly depth: DepthLook | null;
  readonly price: PriceLook | null;
  /** Closed hourly bars in dollars, ascending, of the token and of its paired share. */
  readonly bars: readonly Candle[];
  readonly stockBars: readonly Candle[];
}

interface CreatorAllocation extends CreatorLook {
  /** Percent of the supply that may be sold now. `lockedPct` is the part that vesting still locks. */
  readonly freePct: number;
  readonly lockedPct: number;
}

export interface TokenAnalysis {
  readonly entry: CatalogEntry;
  readonly at: EpochMs;
  readonly ageDays: number;
  readonly holders: HolderConcentration | null;
  readonly creator: CreatorAllocation | null;
  readonly depth: DepthLook | null;
  readonly price: PriceLook | null;
  readonly volume: VolumeStability | null;
  readonly risk: RiskScore;
  /** Null if it is not paired with a stock. */
  readonly performance: readonly WindowPerformance[] | null;
}

/** Analyzes an agent token. `makers` are the market makers that quote against the venue's takers. */
export function analyzeToken(entry: CatalogEntry, look: TokenLook, makers: ReadonlySet<string> = new Set()): TokenAnalysis {
  const { at, depth, price, bars } = look;
  const holders = look.holders === null ? null : measureConcentration(look.holders, makers);
  const supply = look.holders?.supply ?? 0n;
  const creator = look.creator === null || supply === 0n ? null : toAllocation(look.creator, supply);
  const volume = depth === null ? null : volumeStability(bars, depth.depthUsd, at);
  const ageDays = Math.round((Math.max(0, at - (entry.token?.validFrom ?? at)) / DAY_MS) * 10_000) / 10_000;
  return {
    entry,
    at,
    ageDays,
    holders,
    creator,
    depth,
    price,
    volume,
    risk: computeRiskScore({
      depthUsd: depth === null ? null : Number(depth.depthUsd),
      top10Pct: holders?.top10Pct ?? null,
      creator,
      ageDays,
      volume,
    }),
    performance: entry.pairedStock === null ? null : pairedPerformance(bars, look.stockBars, at),
  };
}

function toAllocation(creator: CreatorLook, supply: bigint): CreatorAllocation {
  const { vesting, held } = creator;
  return {
    ...creator,
    freePct: toPercent(held, supply),
    lockedPct: vesting === null ? 0 : toPercent(vesting.total - vesting.unlocked, supply),
  };
}

/** Returns the paying side of a pool whose two sides are reported as one sum, as aggregators do. */
export function halve(liquidityUsd: DecimalString): DecimalString {
  return plainDecimal(new Decimal(liquidityUsd).div(2));
}

/** Exposure that a holder has twice: to an agent token and to its paired stock. */
export interface DuplicatedExposure {
  readonly flagged: boolean;
  readonly holdsToken: boolean;
  readonly holdsStock: boolean;
}

export function duplicatedExposure(
  { key, pairedStock }: Pick<CatalogEntry, 'key' | 'pairedStock'>,
  held: ReadonlySet<InstrumentKey>,
): DuplicatedExposure {
  const [holdsToken, holdsStock] = [held.has(key), pairedStock !== null && held.has(pairedStock)];
  return { flagged: holdsToken && holdsStock, holdsToken, holdsStock };
}

export const AGENT_RANK_MODES = ['lowest_risk', 'liquidity', 'dispersion', 'relative_performance', 'newest'] as const;
type AgentRankMode = (typeof AGENT_RANK_MODES)[number];

export const AGENT_RANK_FORMULAS: Readonly<Record<AgentRankMode, string>> = {
  lowest_risk: 'risk score, lowest first; a token with an unknown risk term is not ranked',
  liquidity: 'US dollars on the quote side of the pool or curve, highest first',
  dispersion: 'percent of the circulating supply in the ten largest wallets, lowest first',
  relative_performance: '7-day return priced in the paired share, highest first',
  newest: 'listing date, newest first',
};

export const UNRANKED = {
  lowest_risk: 'risk_unknown',
  liquidity: 'depth_unknown',
  dispersion: 'holders_unknown',
  relative_performance: 'performance_unknown',
  newest: 'age_unknown',
} as const satisfies Readonly<Record<AgentRankMode, string>>;

interface RankedToken {
  /** Rank from 1, or null if its score is unknown. `reasons` then says why. */
  readonly rank: number | null;
  readonly score: number | null;
  readonly reasons: readonly (typeof UNRANKED)[AgentRankMode][];
  readonly analysis: TokenAnalysis;
}

function scoreToken({ risk, depth, holders, performance, ageDays }: TokenAnalysis, mode: AgentRankMode): number | null {
  if (mode === 'lowest_risk') return risk.unknown.length === 0 ? risk.score : null;
  if (mode === 'liquidity') return depth === null ? null : Number(depth.depthUsd);
  if (mode === 'dispersion') return holders?.top10Pct ?? null;
  if (mode === 'newest') return ageDays;
  return performance?.find(({ window }) => window === '7d')?.relativePct ?? null;
}

/** Ranks tokens, best first. Those that cannot be ranked follow by name. */
export function rankTokens(analyses: readonly TokenAnalysis[], mode: AgentRankMode): readonly RankedToken[] {
  const downwards = mode === 'liquidity' || mode === 'relative_performance';
  const byName = (a: TokenAnalysis, b: TokenAnalysis): number => (a.entry.key < b.entry.key ? -1 : 1);
  const scored = analyses.map((analysis) => ({ analysis, score: scoreToken(analysis, mode) }));
  const ranked = scored
    .flatMap(({ analysis, score }) => (score === null ? [] : [{ analysis, score }]))
    .sort((a, b) => (a.score === b.score ? byName(a.analysis, b.analysis) : (a.score - b.score) * (downwards ? -1 : 1)));
  const unranked = scored.filter(({ score }) => score === null).sort((a, b) => byName(a.analysis, b.analysis));
  return [
    ...ranked.map((one, index): RankedToken => ({ ...one, rank: index + 1, reasons: [] })),
    ...unranked.map((one): RankedToken => ({ ...one, rank: null, reasons: [UNRANKED[mode]] })),
  ];
}

/** Number of whole days measured. */
const VOLUME_DAYS = 7;
/** Minimum days. Fewer do not measure stability. */
const LEAST_VOLUME_DAYS = 3;
/** Maximum number of times that a bar's range from low to high counts as real volume. */
const COUNTED_TRAVELS = 4;

/** Stability of a token's volume, with wash trades discounted. */
interface VolumeStability {
  readonly days: number;
  readonly reportedUsd: DecimalString;
  readonly countedUsd: DecimalString;
  /** Share of the reported volume that price moves do not explain, in percent. */
  readonly washedPct: number;
  /** Standard deviation of the daily counted volume over its mean (ddof 1). */
  readonly variation: number;
}

/**
 * Returns the volume of a bar, in dollars, that its price moves explain. In a constant-product pool with `depth` dollars on the paying
 * side, moving from the low to the high costs depth x (sqrt(high/low) - 1). A wash trader moves little and pays the fees of many small
 * trades, which count as at most `COUNTED_TRAVELS` moves.
 */
export function countedVolume({ high, low, close, volume }: Pick<Candle, 'high' | 'low' | 'close' | 'volume'>, depthUsd: number): number {
  if (!(Number(low) > 0)) return 0;
  const way = depthUsd * (Math.sqrt(Number(high) / Number(low)) - 1);
  return Math.min(Number(volume) * Number(close), way * COUNTED_TRAVELS);
}

/**
 * Computes the stability of volume over the last whole days before `now`, or null if there are fewer than `LEAST_VOLUME_DAYS`. @param bars
 * Hourly, closed, priced in dollars.
 */
export function volumeStability(bars: readonly Candle[], depthUsd: DecimalString, now: EpochMs): VolumeStability | null {
  const depth = Number(depthUsd);
  const days = new Map<number, { reported: number; counted: number }>();
  for (const bar of bars) {
    const back = now - bar.openTime;
    if (back < HOUR_MS || back > VOLUME_DAYS * DAY_MS) continue;
    const place = Math.ceil(back / DAY_MS);
    const day = days.get(place) ?? { reported: 0, counted: 0 };
    days.set(place, {
      reported: day.reported + Number(bar.volume) * Number(bar.close),
      counted: day.counted + countedVolume(bar, depth),
    });
  }
  if (days.size < LEAST_VOLUME_DAYS) return null;
  const counted = [...days.values()].map((day) => day.counted);
  const all = [...days.values()].reduce((sum, { reported }) => sum + reported, 0);
  const real = counted.reduce((sum, amount) => sum + amount, 0);
  const mean = real / days.size;
  const variance = counted.reduce((sum, amount) => sum + (amount - mean) ** 2, 0) / (days.size - 1);
  return {
    days: days.size,
    reportedUsd: plainDecimal(rounded(all, 2)),
    countedUsd: plainDecimal(rounded(real, 2)),
    washedPct: all === 0 ? 0 : rounded(((all - real) * 100) / all, 4),
    // A token without real trades counts as maximally unstable.
    variation: mean === 0 ? rounded(Math.sqrt(days.size), 6) : rounded(Math.sqrt(variance) / mean, 6),
  };
}

function rounded(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}
