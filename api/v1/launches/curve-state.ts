/** State of a curve in whole tokens and words. */
import type { Launch } from '../../../actors/launch/resource.ts';
import { Decimal, type DecimalString, plainDecimal } from '../../../src/domain/values/decimal.ts';
import { priceOfSqrt } from '../../../src/domain/launch/curve/config.ts';
import type { CurveState } from '../../../src/domain/launch/launch-state.ts';

/** Graduation progress, in the order of the program's numbers. */
export const PROGRESS = ['on_curve', 'complete', 'vesting_locked', 'graduated'] as const;

/** Returns the price of one token in whole quote tokens. */
export function curvePriceOf({ sqrtPrice }: CurveState, { decimals, quoteDecimals }: Launch): DecimalString {
  return plainDecimal(new Decimal(priceOfSqrt(BigInt(sqrtPrice), decimals, quoteDecimals)));
}

/** Returns the percentage of the graduation threshold, at most 100. */
export function fillPctOf({ quoteReserve, migrationQuoteThreshold }: CurveState): DecimalString {
  return plainDecimal(Decimal.min(1, new Decimal(quoteReserve).div(migrationQuoteThreshold)).times(100).toDecimalPlaces(6));
}

export function progressOf(curve: CurveState | null): (typeof PROGRESS)[number] {
  return PROGRESS[curve?.migrationProgress ?? 0] ?? 'on_curve';
}
