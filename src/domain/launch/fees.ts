/** Fees of a bonding curve: the base fee over time, the volatility fee on top, and their distribution. Numerators are parts of 10^9. */
import { Decimal as DecimalJs } from 'decimal.js';
import { mulDiv, ONE_Q64, powQ64 } from './curve/math.ts';
import type { AntiSniperFee } from './presets.ts';

const FEE_DENOMINATOR = 1_000_000_000n;
/** One basis point as a numerator. */
export const NUMERATOR_PER_BPS = 100_000n;
export const MIN_FEE_NUMERATOR = 2_500_000n;
export const MAX_FEE_NUMERATOR = 990_000_000n;
/** Protocol's share of a trading fee, and the referrer's share of that, in percent. */
export const PROTOCOL_FEE_PCT = 20n;
export const REFERRAL_FEE_PCT = 20n;

/** Numbers like those of the curve's other tools: 20 significant digits, half up. Equal input then gives equal configurations. */
const ToolDecimal = DecimalJs.clone({ defaults: true });

/** Decay of the base fee. `linear` is 0 on the chain, `exponential` 1. */
export interface BaseFee {
  readonly cliffFeeNumerator: bigint;
  readonly numberOfPeriods: number;
  /** Length of a period in units of the activation, here seconds. */
  readonly periodFrequency: bigint;
  /** Linear: numerator subtracted per period. Exponential: basis points of the rest subtracted per period. */
  readonly reductionFactor: bigint;
  readonly decay: 'linear' | 'exponential';
}

/** Parameters of the volatility fee. Times in seconds. */
export interface DynamicFee {
  readonly binStep: number;
  readonly binStepU128: bigint;
  readonly filterPeriod: number;
  readonly decayPeriod: number;
  /** Basis points of the accumulator that remain between two filter periods. */
  readonly reductionFactor: number;
  readonly maxVolatilityAccumulator: number;
  readonly variableFeeControl: number;
}

/** Volatility state of a pool, from its price changes. */
export interface VolatilityTracker {
  readonly lastUpdateAt: bigint;
  readonly sqrtPriceReference: bigint;
  readonly accumulator: bigint;
  readonly reference: bigint;
}

const BIN_STEP_U128 = 1_844_674_407_370_955n;
const VARIABLE_FEE_SCALE = 100_000_000_000n;
/** Price change in basis points at which the volatility fee reaches its maximum. */
const MOST_PRICE_CHANGE_BPS = 1_500;
const DYNAMIC_PART_PCT = 20n;

/**
 * Returns the base fee of a preset for a configuration. @throws RangeError if the fee does not fall or leaves the range from 25 to 9,900
 * basis points.
 */
export function computeBaseFee({ startBps, endBps, decay, durationSeconds, periods }: AntiSniperFee): BaseFee {
  const cliffFeeNumerator = BigInt(startBps) * NUMERATOR_PER_BPS;
  const end = BigInt(endBps) * NUMERATOR_PER_BPS;
  if (end < MIN_FEE_NUMERATOR || cliffFeeNumerator > MAX_FEE_NUMERATOR || end > cliffFeeNumerator)
    throw new RangeError(`a fee falls from at most 9900 to at least 25 basis points, not from ${startBps} to ${endBps}`);
  if (startBps === endBps) return { cliffFeeNumerator, numberOfPeriods: 0, periodFrequency: 0n, reductionFactor: 0n, decay: 'linear' };
  if (periods <= 0 || durationSeconds < periods) throw new RangeError(`${durationSeconds} s cannot be cut into ${periods} periods`);
  return {
    cliffFeeNumerator,
    numberOfPeriods: periods,
    periodFrequency: BigInt(Math.floor(durationSeconds / periods)),
    reductionFactor: decay === 'linear' ? (cliffFeeNumerator - end) / BigInt(periods) : exponentialFactor(cliffFeeNumerator, end, periods),
    decay,
  };
}

function exponentialFactor(start: bigint, end: bigint, periods: number): bigint {
  const ratio = new ToolDecimal(end.toString()).div(start.toString());
  const kept = ratio.pow(new ToolDecimal(1).div(periods));
  return BigInt(new ToolDecimal(10_000).mul(new ToolDecimal(1).sub(kept)).floor().toFixed());
}

/** Returns the base fee's numerator in a period. The last period has no end. */
export function feeInPeriod(fee: BaseFee, period: bigint): bigint {
  const counted = period < BigInt(fee.numberOfPeriods) ? Number(period) : fee.numberOfPeriods;
  if (fee.decay === 'linear') return fee.cliffFeeNumerator - BigInt(counted) * fee.reductionFactor;
  if (counted === 0) return fee.cliffFeeNumerator;
  const kept = powQ64(ONE_Q64 - (fee.reductionFactor << 64n) / 10_000n, counted);
  return (fee.cliffFeeNumerator * kept) >> 64n;
}

/** Returns the base fee's numerator at a time. Before the activation it is the fee of the first period. */
export function baseFeeAt(fee: BaseFee, now: bigint, activation: bigint): bigint {
  if (fee.periodFrequency === 0n) return fee.cliffFeeNumerator;
  if (now < activation) return fee.cliffFeeNumerator;
  return feeInPeriod(fee, (now - activation) / fee.periodFrequency);
}

/** Returns the lowest numerator of the base fee. */
export function lowestBaseFee(fee: BaseFee): bigint {
  return feeInPeriod(fee, BigInt(fee.numberOfPeriods));
}

/** Returns the volatility fee for a base fee that ends at `baseFeeBps`: at most a fifth of it. */
export function computeDynamicFee(baseFeeBps: number): DynamicFee {
  const ratio = new ToolDecimal(MOST_PRICE_CHANGE_BPS).div(10_000).add(1);
  const sqrtRatio = BigInt(ToolDecimal.sqrt(ratio).mul(ToolDecimal.pow(2, 64)).floor().toFixed());
  const bins = ((sqrtRatio - ONE_Q64) / BIN_STEP_U128) * 2n;
  const most = bins * 10_000n;
  const mostFee = (BigInt(baseFeeBps) * NUMERATOR_PER_BPS * DYNAMIC_PART_PCT) / 100n;
  return {
    binStep: 1,
    binStepU128: BIN_STEP_U128,
    filterPeriod: 10,
    decayPeriod: 120,
    reductionFactor: 5_000,
    maxVolatilityAccumulator: Number(most),
    variableFeeControl: Number((mostFee * VARIABLE_FEE_SCALE - (VARIABLE_FEE_SCALE - 1n)) / (most * most)),
  };
}

/** Returns the volatility fee's numerator for an accumulator. */
export function variableFee(fee: DynamicFee, accumulator: bigint): bigint {
  const moved = accumulator * BigInt(fee.binStep);
  return (moved * moved * BigInt(fee.variableFeeControl) + VARIABLE_FEE_SCALE - 1n) / VARIABLE_FEE_SCALE;
}

/** Returns base plus volatility fee, capped. */
export function totalFee(base: bigint, dynamic: DynamicFee | null, accumulator: bigint): bigint {
  const sum = base + (dynamic === null ? 0n : variableFee(dynamic, accumulator));
  return sum > MAX_FEE_NUMERATOR ? MAX_FEE_NUMERATOR : sum;
}

/** Distribution of a trading fee, in raw units. */
export interface FeeParts {
  /** Share of partner and creator. */
  readonly trading: bigint;
  readonly protocol: bigint;
  readonly referral: bigint;
}

export function splitFee(fee: bigint, hasReferral: boolean): FeeParts {
  const whole = (fee * PROTOCOL_FEE_PCT) / 100n;
  const referral = hasReferral ? (whole * REFERRAL_FEE_PCT) / 100n : 0n;
  return { trading: fee - whole, protocol: whole - referral, referral };
}

/** Returns the fee that is taken out of an amount. */
export function feeWithin(amount: bigint, numerator: bigint): bigint {
  return mulDiv(amount, numerator, FEE_DENOMINATOR, 'up');
}

/** Returns the amount that leaves this one after its fee. */
export function amountBeforeFee(amount: bigint, numerator: bigint): bigint {
  return mulDiv(amount, FEE_DENOMINATOR, FEE_DENOMINATOR - numerator, 'up');
}

/** Splits what the protocol leaves of a trading fee between creator and partner. */
export function creatorPart(trading: bigint, creatorPct: number): { readonly creator: bigint; readonly partner: bigint } {
  const creator = (trading * BigInt(creatorPct)) / 100n;
  return { creator, partner: trading - creator };
}

/** Returns the tracker at the start of a swap: after a pause its reference decays, and after a long one it is reset. Seconds. */
export function referencesAt(tracker: VolatilityTracker, fee: DynamicFee, sqrtPrice: bigint, now: bigint): VolatilityTracker {
  const elapsed = now - tracker.lastUpdateAt;
  if (elapsed < BigInt(fee.filterPeriod)) return tracker;
  const faded = elapsed < BigInt(fee.decayPeriod) ? (tracker.accumulator * BigInt(fee.reductionFactor)) / 10_000n : 0n;
  return { ...tracker, sqrtPriceReference: sqrtPrice, reference: faded };
}

/** Returns the tracker after the price moved to `sqrtPrice`. */
export function accumulatorAt(tracker: VolatilityTracker, fee: DynamicFee, sqrtPrice: bigint): VolatilityTracker {
  const bins = binsBetween(sqrtPrice, tracker.sqrtPriceReference, fee.binStepU128);
  const sum = tracker.reference + bins * 10_000n;
  const most = BigInt(fee.maxVolatilityAccumulator);
  return { ...tracker, accumulator: sum > most ? most : sum };
}

/** Returns the bins between two square-root prices: twice as many as between the roots. */
export function binsBetween(a: bigint, b: bigint, binStepU128: bigint): bigint {
  const [upper, lower] = a > b ? [a, b] : [b, a];
  if (lower === 0n) return 0n;
  return (((upper << 64n) / lower - ONE_Q64) / binStepU128) * 2n;
}
