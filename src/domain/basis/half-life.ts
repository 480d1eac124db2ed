/**
 * The half-life of a spread: the time in which half of a deviation from the mean disappears, by a first-order autoregression of its bars.
 */

import type { DecimalString } from '../values/decimal.ts';
import { type EpochMs, HOUR_MS } from '../values/time.ts';
import { percentAbove } from '../market/valuation.ts';

/** Minimum pairs of neighbouring bars for a fit. */
const MIN_HALF_LIFE_SAMPLES = 48;

export interface HalfLife {
  /** Hours, or null if the spread does not revert or there are too few bars. */
  readonly hours: number | null;
  /** Number of neighbouring bar pairs in the fit. */
  readonly samples: number;
  /** Slope of the change on the level, negative if it reverts. Null if it was not fitted. */
  readonly slope: number | null;
  readonly why: 'fitted' | 'too_few_bars' | 'no_variation' | 'no_reversion';
}

/**
 * Fits s[t+1] - s[t] = a + b s[t] by least squares over neighbouring bars. The half-life is ln 2 / -ln(1 + b) bars for -1 < b < 0. A spread
 * is a ratio in percent, hence numbers. @param spreads Ascending by time, one per bar that both legs have. @param barMs Length of a bar.
 * Pairs further apart are skipped.
 */
export function fitHalfLife(spreads: readonly { readonly at: EpochMs; readonly pct: number }[], barMs: number): HalfLife {
  const pairs: [level: number, change: number][] = [];
  for (let i = 1; i < spreads.length; i++) {
    const [before, now] = [spreads[i - 1], spreads[i]] as [{ at: number; pct: number }, { at: number; pct: number }];
    if (now.at - before.at === barMs) pairs.push([before.pct, now.pct - before.pct]);
  }
  const n = pairs.length;
  if (n < MIN_HALF_LIFE_SAMPLES) return { hours: null, samples: n, slope: null, why: 'too_few_bars' };
  const meanLevel = pairs.reduce((sum, [level]) => sum + level, 0) / n;
  const meanChange = pairs.reduce((sum, [, change]) => sum + change, 0) / n;
  let variance = 0;
  let covariance = 0;
  for (const [level, change] of pairs) {
    variance += (level - meanLevel) ** 2;
    covariance += (level - meanLevel) * (change - meanChange);
  }
  if (!(variance > 1e-18)) return { hours: null, samples: n, slope: null, why: 'no_variation' };
  const slope = covariance / variance;
  if (!(slope < 0)) return { hours: null, samples: n, slope, why: 'no_reversion' };
  // A slope at or below -1 crosses the mean within one bar, so half of the deviation is gone by then.
  const bars = slope <= -1 ? 0 : Math.log(2) / -Math.log(1 + slope);
  return { hours: Number(((bars * barMs) / HOUR_MS).toFixed(4)), samples: n, slope, why: 'fitted' };
}

/** Returns the spread of two series of closed bars, at the bars that both have, in percent of the second. */
export function alignedSpreads(
  token: readonly { readonly openTime: EpochMs; readonly close: DecimalString }[],
  base: readonly { readonly openTime: EpochMs; readonly close: DecimalString }[],
): { at: EpochMs; pct: number }[] {
  const closes = new Map(base.map(({ openTime, close }) => [openTime, close]));
  return token.flatMap(({ openTime, close }) => {
    const other = closes.get(openTime);
    const pct = other === undefined ? null : percentAbove(close, other);
    return pct === null ? [] : [{ at: openTime, pct }];
  });
}
