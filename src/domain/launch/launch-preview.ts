/** Preview of a curve before it is on the chain: prices, proceeds, fees over time and distribution. */
import { Decimal, type DecimalString, plainDecimal } from '../values/decimal.ts';
import {
  buildCurveConfig,
  type CurveConfig,
  type CurveFacts,
  type CurveWish,
  curveFacts,
  planCurve,
  priceOfSqrt,
} from './curve/curve-config.ts';
import { baseOnCurve, sqrtPriceAtQuote } from './curve/math.ts';
import { type DynamicFee, feeInPeriod, NUMERATOR_PER_BPS, PROTOCOL_FEE_PCT, REFERRAL_FEE_PCT, variableFee } from './fees.ts';
import type { LaunchPreset } from './presets.ts';

/** Number of steps in the preview's price ladder. */
const LADDER_STEPS = 10;

/** One step of the ladder. Prices in whole quote tokens per token. */
interface LadderStep {
  readonly fillPct: number;
  readonly price: DecimalString;
  /** Whole tokens sold up to here. */
  readonly sold: DecimalString;
}

/** A step of the base fee's timeline. The last one has no end. */
interface FeeStep {
  /** Seconds after trading begins. */
  readonly at: number;
  /** Basis points of the traded amount. */
  readonly bps: DecimalString;
  /** Maximum of the volatility fee. */
  readonly volatilityBps: DecimalString;
}

/** Percent of every trading fee. Protocol, creator and partner sum to 100. A referrer is paid out of the protocol's share. */
interface FeeShares {
  readonly protocolPct: DecimalString;
  readonly referralPct: DecimalString;
  readonly creatorPct: DecimalString;
  readonly partnerPct: DecimalString;
}

interface VestingPreview {
  readonly supplyPct: number;
  /** Whole tokens. */
  readonly total: DecimalString;
  /** Unlocked at once at graduation: the remainder of the division into periods. */
  readonly cliff: DecimalString;
  readonly perPeriod: DecimalString;
  readonly periods: number;
  readonly periodSeconds: number;
  readonly durationSeconds: number;
}

export interface LaunchPreview {
  readonly startingPrice: DecimalString;
  readonly startingFdv: DecimalString;
  readonly graduationPrice: DecimalString;
  /** Fully diluted value at graduation. */
  readonly graduationFdv: DecimalString;
  /** Amount collected until graduation, in whole quote tokens. */
  readonly graduationThreshold: DecimalString;
  readonly ladder: readonly LadderStep[];
  readonly fees: readonly FeeStep[];
  readonly feeShares: FeeShares;
  readonly supply: {
    readonly total: DecimalString;
    readonly onCurve: DecimalString;
    readonly successorPool: DecimalString;
    readonly vesting: DecimalString;
  };
  readonly vesting: VestingPreview | null;
  readonly successorPool: { readonly feeBps: number; readonly dynamicFee: boolean; readonly lockedPct: number };
}

/** A curve and all values derived from it. */
interface PlannedCurve {
  readonly config: CurveConfig;
  readonly facts: CurveFacts;
}

/** Converts raw units to whole tokens. */
export function wholeTokens(raw: bigint, decimals: number): DecimalString {
  return plainDecimal(new Decimal(raw.toString()).div(new Decimal(10).pow(decimals)));
}

/** Plans a curve. @throws RangeError if the request forms no curve. */
export function plannedCurve(wish: CurveWish): PlannedCurve {
  const config = buildCurveConfig(planCurve(wish));
  const facts = curveFacts(config);
  if (facts === null) throw new RangeError('the curve cannot collect its threshold');
  return { config, facts };
}

/** Previews a curve. @throws RangeError if the request forms no curve. */
export function previewCurve(wish: CurveWish): LaunchPreview {
  const { preset, decimals, quoteDecimals } = wish;
  const { config, facts } = plannedCurve(wish);
  const price = (sqrtPrice: bigint): DecimalString => priceOfSqrt(sqrtPrice, decimals, quoteDecimals);
  const supply = wholeTokens(config.totalSupply, decimals);
  const valued = (one: DecimalString): DecimalString => plainDecimal(new Decimal(one).times(supply).toSignificantDigits(20));
  const startingPrice = price(config.sqrtStartPrice);
  const graduationPrice = price(facts.migrationSqrtPrice);
  return {
    startingPrice,
    startingFdv: valued(startingPrice),
    graduationPrice,
    graduationFdv: valued(graduationPrice),
    graduationThreshold: wholeTokens(config.migrationQuoteThreshold, quoteDecimals),
    ladder: computeLadder(config, decimals, price),
    fees: feeTimeline(config, preset),
    feeShares: shareFees(preset),
    supply: {
      total: supply,
      onCurve: wholeTokens(facts.swapBaseAmount, decimals),
      successorPool: wholeTokens(facts.migrationBaseAmount, decimals),
      vesting: wholeTokens(facts.vestingAmount, decimals),
    },
    vesting: vestingPreview(config, preset),
    successorPool: { ...preset.migratedPool, lockedPct: config.liquidity.creatorLocked + config.liquidity.partnerLocked },
  };
}

function computeLadder(config: CurveConfig, decimals: number, price: (sqrtPrice: bigint) => DecimalString): readonly LadderStep[] {
  const { migrationQuoteThreshold, sqrtStartPrice, curve } = config;
  return Array.from({ length: LADDER_STEPS }, (_, index) => {
    const step = index + 1;
    const collected = (migrationQuoteThreshold * BigInt(step)) / BigInt(LADDER_STEPS);
    const at = sqrtPriceAtQuote(collected, sqrtStartPrice, curve);
    if (at === null) throw new RangeError('the curve cannot collect its threshold');
    return {
      fillPct: (100 / LADDER_STEPS) * step,
      price: price(at),
      sold: wholeTokens(baseOnCurve(sqrtStartPrice, at, curve), decimals),
    };
  });
}

/** Converts a numerator to basis points. */
function toBps(numerator: bigint): DecimalString {
  return plainDecimal(new Decimal(numerator.toString()).div(NUMERATOR_PER_BPS.toString()));
}

/** Returns the maximum volatility fee, at the largest counted price change. */
function mostVolatilityFee(fee: DynamicFee | null): bigint {
  return fee === null ? 0n : variableFee(fee, BigInt(fee.maxVolatilityAccumulator));
}

function feeTimeline({ baseFee, dynamicFee }: CurveConfig, preset: LaunchPreset): readonly FeeStep[] {
  const volatilityBps = toBps(mostVolatilityFee(dynamicFee));
  return Array.from({ length: preset.antiSniperFee.periods + 1 }, (_, period) => ({
    at: period * Number(baseFee.periodFrequency),
    bps: toBps(feeInPeriod(baseFee, BigInt(period))),
    volatilityBps,
  }));
}

/** Returns the distribution of a fee without a referrer, who would be paid out of the protocol's share. */
function shareFees({ creatorFeeSharePct }: Pick<LaunchPreset, 'creatorFeeSharePct'>): FeeShares {
  const rest = new Decimal(100).minus(PROTOCOL_FEE_PCT.toString());
  const creator = rest.times(creatorFeeSharePct).div(100);
  return {
    protocolPct: PROTOCOL_FEE_PCT.toString(),
    referralPct: plainDecimal(new Decimal(PROTOCOL_FEE_PCT.toString()).times(REFERRAL_FEE_PCT.toString()).div(100)),
    creatorPct: plainDecimal(creator),
    partnerPct: plainDecimal(rest.minus(creator)),
  };
}

function vestingPreview({ lockedVesting, baseDecimals }: CurveConfig, { vesting }: LaunchPreset): VestingPreview | null {
  const { amountPerPeriod, cliffUnlockAmount, numberOfPeriods, frequency } = lockedVesting;
  if (numberOfPeriods === 0n) return null;
  const whole = (raw: bigint): DecimalString => wholeTokens(raw, baseDecimals);
  return {
    supplyPct: vesting.supplyPct,
    total: whole(cliffUnlockAmount + amountPerPeriod * numberOfPeriods),
    cliff: whole(cliffUnlockAmount),
    perPeriod: whole(amountPerPeriod),
    periods: Number(numberOfPeriods),
    periodSeconds: Number(frequency),
    durationSeconds: Number(frequency * numberOfPeriods),
  };
}
