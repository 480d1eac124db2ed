/**
 * Configuration of a curve with one segment, from its market cap at the start and at graduation. Other tools of the same program give the
 * same integers for the same input, so this code uses 20-digit numbers or doubles wherever they do. See
 * docs/reference/outside/launch-programs.md.
 */
import { Decimal as DecimalJs } from 'decimal.js';
import {
  baseOnCurve,
  type CurvePoint,
  deltaQuote,
  liquidityOfBase,
  liquidityOfQuote,
  MAX_SQRT_PRICE,
  MIN_SQRT_PRICE,
  sqrtPriceAtQuote,
  successorBase,
  U64_MAX,
} from './math.ts';
import { type BaseFee, computeBaseFee, type DynamicFee, computeDynamicFee } from '../fees.ts';
import type { AntiSniperFee, LaunchPreset } from '../presets.ts';

const ToolDecimal = DecimalJs.clone({ defaults: true });
type ToolDecimal = InstanceType<typeof ToolDecimal>;

/** Tokens locked for the creator and unlocked after graduation. Raw units and seconds. */
export interface LockedVesting {
  readonly amountPerPeriod: bigint;
  readonly cliffDurationFromMigrationTime: bigint;
  readonly frequency: bigint;
  readonly numberOfPeriods: bigint;
  readonly cliffUnlockAmount: bigint;
}

/** Distribution of the successor pool's liquidity, in percent. The four sum to 100. */
interface LiquidityShares {
  readonly partner: number;
  readonly partnerLocked: number;
  readonly creator: number;
  readonly creatorLocked: number;
}

/** Inputs of a curve. */
export interface CurvePlan {
  /** Whole tokens. */
  readonly totalSupply: string;
  /** Decimals of the new token, 6 to 9. */
  readonly baseDecimals: number;
  readonly quoteDecimals: number;
  /** Fully diluted values in whole quote tokens. */
  readonly initialMarketCap: string;
  readonly migrationMarketCap: string;
  /** Part of the quote taken at graduation, in percent. */
  readonly migrationFeePct: number;
  readonly creatorMigrationFeePct: number;
  /** Whole tokens outside the curve. */
  readonly leftover: string;
  readonly vesting: { readonly total: string; readonly periods: number; readonly durationSeconds: number; readonly cliffSeconds: number };
  readonly fee: AntiSniperFee;
  readonly dynamicFee: boolean;
  readonly collectFeeIn: 'quote' | 'output';
  readonly creatorFeePct: number;
  readonly liquidity: LiquidityShares;
  readonly migratedPool: { readonly feeBps: number; readonly dynamicFee: boolean };
}

/** Configuration as on the chain, without keys. */
export interface CurveConfig {
  readonly baseFee: BaseFee;
  readonly dynamicFee: DynamicFee | null;
  readonly collectFeeIn: 'quote' | 'output';
  readonly baseDecimals: number;
  readonly liquidity: LiquidityShares;
  readonly migrationQuoteThreshold: bigint;
  readonly sqrtStartPrice: bigint;
  readonly lockedVesting: LockedVesting;
  readonly totalSupply: bigint;
  readonly creatorFeePct: number;
  readonly migrationFeePct: number;
  readonly creatorMigrationFeePct: number;
  readonly migratedPool: { readonly feeBps: number; readonly dynamicFee: boolean };
  readonly curve: readonly CurvePoint[];
}

/** Values derived from a configuration, stored with it. */
export interface CurveFacts {
  readonly migrationSqrtPrice: bigint;
  /** Base sold by the curve until graduation. */
  readonly swapBaseAmount: bigint;
  /** Base and quote moved to the successor pool. */
  readonly migrationBaseAmount: bigint;
  readonly migrationQuoteAmount: bigint;
  readonly vestingAmount: bigint;
}

const NO_LOCKED_VESTING: LockedVesting = {
  amountPerPeriod: 0n,
  cliffDurationFromMigrationTime: 0n,
  frequency: 0n,
  numberOfPeriods: 0n,
  cliffUnlockAmount: 0n,
};

/** Range of decimals that the programs accept. */
const BASE_DECIMALS = { least: 6, most: 9 } as const;

/** Converts whole tokens to raw units, truncated. */
export function rawUnits(whole: string | ToolDecimal, decimals: number): bigint {
  return roundDown(new ToolDecimal(whole).mul(ToolDecimal.pow(10, decimals)));
}

function roundDown(value: ToolDecimal): bigint {
  return BigInt(value.floor().toFixed());
}

/** Rounds to the nearest double, as other tools do. */
function asDouble(value: ToolDecimal): ToolDecimal {
  return new ToolDecimal(value.toNumber());
}

export function vestingTotal({ cliffUnlockAmount, amountPerPeriod, numberOfPeriods }: LockedVesting): bigint {
  return cliffUnlockAmount + amountPerPeriod * numberOfPeriods;
}

/** Returns the vesting in whole tokens per period. The remainder is unlocked with the cliff. */
function computeLockedVesting({ vesting, baseDecimals }: CurvePlan): LockedVesting {
  const total = BigInt(vesting.total);
  if (total === 0n) return NO_LOCKED_VESTING;
  const periods = BigInt(vesting.periods);
  const each = total / periods;
  return {
    amountPerPeriod: rawUnits(each.toString(), baseDecimals),
    cliffDurationFromMigrationTime: BigInt(vesting.cliffSeconds),
    frequency: BigInt(Math.floor(vesting.durationSeconds / vesting.periods)),
    numberOfPeriods: periods,
    cliffUnlockAmount: rawUnits((total - each * periods).toString(), baseDecimals),
  };
}

/** Returns the percentage of the supply that goes into the successor pool, so that its price continues the curve's. */
function supplyOnMigration(plan: CurvePlan, locked: LockedVesting): ToolDecimal {
  const supply = rawUnits(plan.totalSupply, plan.baseDecimals).toString();
  const toPercent = (raw: bigint): ToolDecimal => new ToolDecimal(raw.toString()).mul(100).div(supply);
  const ratio = ToolDecimal.sqrt(new ToolDecimal(plan.initialMarketCap).div(plan.migrationMarketCap));
  const vesting = toPercent(vestingTotal(locked));
  const leftover = toPercent(rawUnits(plan.leftover, plan.baseDecimals));
  if (plan.migrationFeePct === 0) {
    const numerator = new ToolDecimal(100).mul(ratio).sub(vesting.add(leftover).mul(ratio));
    return asDouble(numerator.div(new ToolDecimal(1).add(ratio)));
  }
  const kept = new ToolDecimal(1).sub(new ToolDecimal(plan.migrationFeePct).div(100));
  const available = new ToolDecimal(100).sub(vesting).sub(leftover);
  const numerator = ratio.mul(kept).mul(available);
  return asDouble(numerator.div(new ToolDecimal(1).add(ratio.mul(kept))));
}

/** Returns the square root of a price in whole tokens, as Q64.64 of raw units. */
function computeSqrtPrice(price: ToolDecimal, baseDecimals: number, quoteDecimals: number): bigint {
  const raw = price.div(new ToolDecimal(10).pow(baseDecimals - quoteDecimals));
  return roundDown(ToolDecimal.sqrt(raw).mul(ToolDecimal.pow(2, 64)));
}

/** Returns the price of one whole base token in whole quote tokens. */
export function priceOfSqrt(sqrtPrice: bigint, baseDecimals: number, quoteDecimals: number): string {
  // 2^128 has 39 digits, and so may the square: wide enough that nothing is truncated before the end.
  const Wide = DecimalJs.clone({ precision: 120, toExpNeg: -120, toExpPos: 120 });
  const root = new Wide(sqrtPrice.toString());
  const price = root
    .mul(root)
    .div(new Wide(2).pow(128))
    .mul(new Wide(10).pow(baseDecimals - quoteDecimals));
  return price.toSignificantDigits(24).toFixed();
}

/** Returns the quote that goes into the successor pool: the threshold without the migration fee, rounded down. */
function afterMigrationFee(threshold: bigint, feePct: number): bigint {
  return roundDown(new ToolDecimal(threshold.toString()).mul(100 - feePct).div(100));
}

/** Builds the configuration. @throws RangeError if the values form no curve. */
export function buildCurveConfig(plan: CurvePlan): CurveConfig {
  const { baseDecimals, quoteDecimals, migrationFeePct } = plan;
  const locked = computeLockedVesting(plan);
  const totalSupply = rawUnits(plan.totalSupply, baseDecimals);
  const percent = supplyOnMigration(plan, locked);
  const migrationQuote = new ToolDecimal(plan.migrationMarketCap).mul(percent).div(100);
  const threshold = asDouble(migrationQuote.mul(100).div(new ToolDecimal(100).sub(migrationFeePct)));
  const intoPool = threshold.mul(new ToolDecimal(100).sub(migrationFeePct)).div(100);
  const baseIntoPool = new ToolDecimal(plan.totalSupply).mul(percent).div(100);
  const migrationSqrtPrice = computeSqrtPrice(intoPool.div(baseIntoPool), baseDecimals, quoteDecimals);
  const migrationQuoteThreshold = rawUnits(threshold, quoteDecimals);
  if (migrationQuoteThreshold <= 0n || migrationSqrtPrice <= MIN_SQRT_PRICE || migrationSqrtPrice >= MAX_SQRT_PRICE)
    throw new RangeError('the value at graduation is outside the price range of a curve');
  const migrationBase = successorBase(roundDown(intoPool.mul(new ToolDecimal(10 ** quoteDecimals))), migrationSqrtPrice);
  const leftover = rawUnits(plan.leftover, baseDecimals);
  const onCurve = totalSupply - migrationBase - vestingTotal(locked) - leftover;
  if (onCurve <= 0n || migrationBase <= 0n) throw new RangeError('no supply is left for the curve');
  const first = firstSegment(migrationSqrtPrice, migrationBase, onCurve, migrationQuoteThreshold, migrationFeePct);
  const parts = { first, leftover, totalSupply, locked, migrationFeePct };
  const collected = collectible(migrationQuoteThreshold, first);
  return {
    baseFee: computeBaseFee(plan.fee),
    dynamicFee: plan.dynamicFee ? computeDynamicFee(plan.fee.endBps) : null,
    collectFeeIn: plan.collectFeeIn,
    baseDecimals,
    liquidity: plan.liquidity,
    migrationQuoteThreshold: collected,
    sqrtStartPrice: first.sqrtStartPrice,
    lockedVesting: locked,
    totalSupply,
    creatorFeePct: plan.creatorFeePct,
    migrationFeePct,
    creatorMigrationFeePct: plan.creatorMigrationFeePct,
    migratedPool: plan.migratedPool,
    curve: withTail({ ...parts, migrationQuoteThreshold: collected }),
  };
}

interface FirstSegment {
  readonly sqrtStartPrice: bigint;
  readonly point: CurvePoint;
}

/** Computes the first segment of a curve from its start to graduation: swapped base x (1 - fee) / migrated base = end / start. */
function firstSegment(end: bigint, migrationBase: bigint, onCurve: bigint, threshold: bigint, feePct: number): FirstSegment {
  const kept = new ToolDecimal(onCurve.toString()).mul(new ToolDecimal(100).sub(feePct)).div(100);
  const start = roundDown(new ToolDecimal(end.toString()).mul(migrationBase.toString()).div(kept));
  if (start < MIN_SQRT_PRICE || start >= end) throw new RangeError('the value at the start is outside the price range of a curve');
  const ofBase = liquidityOfBase(onCurve, start, end);
  const ofQuote = liquidityOfQuote(threshold, start, end);
  return { sqrtStartPrice: start, point: { sqrtPrice: end, liquidity: ofBase < ofQuote ? ofBase : ofQuote } };
}

/** Returns the part of the threshold that the segment can collect. Its liquidity is rounded down, so it may hold a few raw units less. */
function collectible(threshold: bigint, { sqrtStartPrice, point }: FirstSegment): bigint {
  const held = deltaQuote(sqrtStartPrice, point.sqrtPrice, point.liquidity, 'up');
  return held < threshold ? held : threshold;
}

interface TailParts {
  readonly first: FirstSegment;
  readonly migrationQuoteThreshold: bigint;
  readonly leftover: bigint;
  readonly totalSupply: bigint;
  readonly locked: LockedVesting;
  readonly migrationFeePct: number;
}

/** Adds a last segment above graduation, which is never reached, for the supply that rounding leaves. */
function withTail({ first, migrationQuoteThreshold, leftover, totalSupply, locked, migrationFeePct }: TailParts): readonly CurvePoint[] {
  const curve = [first.point];
  const facts = curveFacts({
    sqrtStartPrice: first.sqrtStartPrice,
    migrationQuoteThreshold,
    curve,
    migrationFeePct,
    lockedVesting: locked,
  });
  if (facts === null) throw new RangeError('the curve cannot collect its threshold');
  const needed = withBuffer(facts.swapBaseAmount, first.sqrtStartPrice, curve) + facts.migrationBaseAmount + facts.vestingAmount + leftover;
  const rest = totalSupply - needed;
  if (rest < 0n) throw new RangeError('the supply does not cover the curve');
  const liquidity = liquidityOfBase(rest, first.point.sqrtPrice, MAX_SQRT_PRICE);
  return liquidity === 0n ? curve : [...curve, { sqrtPrice: MAX_SQRT_PRICE, liquidity }];
}

/** Returns a quarter more than the curve sells, limited to what it holds: the reserve that the program requires. */
export function withBuffer(swapBase: bigint, start: bigint, curve: readonly CurvePoint[]): bigint {
  const buffered = swapBase + (swapBase * 25n) / 100n;
  const most = baseOnCurve(start, MAX_SQRT_PRICE, curve);
  return buffered < most ? buffered : most;
}

/** Returns the derived facts of a curve, or null if it cannot collect its threshold. `kept` is the part without the migration fee. */
export function curveFacts(
  config: Pick<CurveConfig, 'sqrtStartPrice' | 'migrationQuoteThreshold' | 'curve' | 'migrationFeePct' | 'lockedVesting'>,
  kept: typeof afterMigrationFee = afterMigrationFee,
): CurveFacts | null {
  const { sqrtStartPrice, migrationQuoteThreshold, curve, migrationFeePct, lockedVesting } = config;
  const migrationSqrtPrice = sqrtPriceAtQuote(migrationQuoteThreshold, sqrtStartPrice, curve);
  if (migrationSqrtPrice === null) return null;
  const migrationQuoteAmount = kept(migrationQuoteThreshold, migrationFeePct);
  return {
    migrationSqrtPrice,
    swapBaseAmount: baseOnCurve(sqrtStartPrice, migrationSqrtPrice, curve),
    migrationBaseAmount: successorBase(migrationQuoteAmount, migrationSqrtPrice),
    migrationQuoteAmount,
    vestingAmount: vestingTotal(lockedVesting),
  };
}

/** Curve parameters of a launch request. */
export interface CurveWish {
  readonly preset: LaunchPreset;
  /** Fully diluted value at the start, in whole quote tokens. */
  readonly startingFdv: string;
  /** Whole tokens. */
  readonly totalSupply: string;
  readonly decimals: number;
  readonly quoteDecimals: number;
}

/**
 * Returns the plan that a preset makes of a request. The successor pool's liquidity is locked for ever. Its fees are shared like the
 * curve's.
 */
export function planCurve({ preset, startingFdv, totalSupply, decimals, quoteDecimals }: CurveWish): CurvePlan {
  const { graduationMultiple, antiSniperFee, creatorFeeSharePct, vesting, migratedPool } = preset;
  return {
    totalSupply,
    baseDecimals: decimals,
    quoteDecimals,
    initialMarketCap: startingFdv,
    migrationMarketCap: new ToolDecimal(startingFdv).mul(graduationMultiple).toFixed(),
    migrationFeePct: 0,
    creatorMigrationFeePct: 0,
    leftover: '0',
    vesting: {
      total: ((BigInt(totalSupply) * BigInt(vesting.supplyPct)) / 100n).toString(),
      periods: vesting.periods,
      durationSeconds: vesting.durationSeconds,
      cliffSeconds: 0,
    },
    fee: antiSniperFee,
    dynamicFee: true,
    collectFeeIn: 'quote',
    creatorFeePct: creatorFeeSharePct,
    liquidity: { partner: 0, partnerLocked: 100 - creatorFeeSharePct, creator: 0, creatorLocked: creatorFeeSharePct },
    migratedPool,
  };
}

/** Returns in one sentence why a request forms no curve, or null. The raw supply must fit the chain's 64 bits. */
export function wishProblem({ startingFdv, totalSupply, decimals }: Omit<CurveWish, 'quoteDecimals' | 'preset'>): string | null {
  if (!Number.isInteger(decimals) || decimals < BASE_DECIMALS.least || decimals > BASE_DECIMALS.most)
    return `$.decimals: ${decimals}; a launched token has ${BASE_DECIMALS.least} to ${BASE_DECIMALS.most}`;
  if (!/^[1-9]\d{0,18}$/.test(totalSupply)) return '$.totalSupply: a whole number of tokens is needed';
  if (rawUnits(totalSupply, decimals) > U64_MAX || BigInt(totalSupply) < 1_000n)
    return `$.totalSupply: ${totalSupply}; at least 1000 tokens, and at most 2^64 - 1 raw units, that is ${U64_MAX / 10n ** BigInt(decimals)} tokens`;
  if (!/^(0|[1-9]\d{0,14})(\.\d{1,9})?$/.test(startingFdv) || !new ToolDecimal(startingFdv).gt(0))
    return '$.startingFdv: a positive decimal of at most 15 digits before and 9 behind the point is needed';
  if (new ToolDecimal(startingFdv).sd() > 15) return '$.startingFdv: at most 15 significant digits can be kept exactly';
  return null;
}
