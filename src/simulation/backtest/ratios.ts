/** Statistics of an equity curve. Ratios and statistics are plain numbers. */
import { NO_VARIANCE } from '../../domain/agents/evidence.ts';
import { mean, normalCdf, normalQuantile, sampleDeviation } from '../../domain/values/statistics.ts';

/** Day count of annualized returns: calendar days around the clock, or trading days of the exchange. */
export type DayCount = 'continuous' | 'us_sessions';

/** Periods per year of each calendar. The Sharpe ratio is multiplied by their square root. */
export const PERIODS_PER_YEAR: Readonly<Record<DayCount, number>> = { continuous: 365, us_sessions: 252 };

/** Returns the returns along a curve that starts from `start`, which the curve does not include. */
export function returnsAlong(curve: ArrayLike<number>, start: number): Float64Array {
  let before = start;
  return Float64Array.from(curve, (value) => {
    const gain = value / before - 1;
    before = value;
    return gain;
  });
}

/**
 * Returns the annualized Sharpe ratio: mean over sample deviation (ddof 1) times the root of the periods per year, risk-free rate 0. Null
 * if there are fewer than two returns or they do not vary.
 */
export function sharpeRatio(returns: ArrayLike<number>, periodsPerYear: number): number | null {
  const deviation = sampleDeviation(returns);
  // The deviation of a constant series is rounding error, so a ratio to it is meaningless.
  return deviation >= NO_VARIANCE ? (mean(returns) / deviation) * Math.sqrt(periodsPerYear) : null;
}

/**
 * Returns the annualized Sortino ratio: mean over the root mean square of negative returns (divided by all returns). Null if no return is
 * negative.
 */
export function sortinoRatio(returns: ArrayLike<number>, periodsPerYear: number): number | null {
  let squares = 0;
  for (let i = 0; i < returns.length; i++) squares += Math.min(0, returns[i] as number) ** 2;
  const downside = Math.sqrt(squares / returns.length);
  return downside > 0 ? (mean(returns) / downside) * Math.sqrt(periodsPerYear) : null;
}

/**
 * Returns the maximum drawdown as a fraction of the peak, at most 1, and its position; 0 if the curve never falls. The start counts as a
 * peak.
 */
export function maxDrawdown(
  curve: ArrayLike<number>,
  start: number,
): { readonly depth: number; readonly peak: number; readonly trough: number } {
  let high = start;
  let highAt = -1;
  let deepest = { depth: 0, peak: -1, trough: -1 };
  for (let i = 0; i < curve.length; i++) {
    const value = curve[i] as number;
    if (value > high) {
      high = value;
      highAt = i;
    } else if ((high - value) / high > deepest.depth) deepest = { depth: (high - value) / high, peak: highAt, trough: i };
  }
  return deepest;
}

/** Returns skewness and kurtosis (3 for a normal distribution) of a sample, by population moments. Null if it does not vary. */
export function computeShape(values: ArrayLike<number>): { readonly skewness: number; readonly kurtosis: number } | null {
  const middle = mean(values);
  let [second, third, fourth] = [0, 0, 0];
  for (let i = 0; i < values.length; i++) {
    const away = (values[i] as number) - middle;
    second += away ** 2;
    third += away ** 3;
    fourth += away ** 4;
  }
  const n = values.length;
  const variance = second / n;
  return variance > 0 ? { skewness: third / n / variance ** 1.5, kurtosis: fourth / n / variance ** 2 } : null;
}

/** Sharpe ratio per period, with the sample that it was measured on. */
interface SharpeSample {
  /** Sharpe ratio per period, not annualized. */
  readonly sharpe: number;
  readonly periods: number;
  readonly skewness: number;
  readonly kurtosis: number;
}

/**
 * Returns the probability that the true Sharpe ratio exceeds `benchmark` (both per period), given length, skewness and kurtosis of the
 * sample: the probabilistic Sharpe ratio of Bailey and Lopez de Prado (2012). Null if the sample does not determine it.
 */
export function probabilisticSharpe({ sharpe, periods, skewness, kurtosis }: SharpeSample, benchmark: number): number | null {
  const spread = 1 - skewness * sharpe + ((kurtosis - 1) / 4) * sharpe ** 2;
  if (periods < 2 || !(spread > 0)) return null;
  return normalCdf(((sharpe - benchmark) * Math.sqrt(periods - 1)) / Math.sqrt(spread));
}

const EULER = 0.5772156649015329;

/**
 * Returns the expected maximum Sharpe ratio per period among this many worthless trials whose ratios have the given variance: the
 * threshold of the deflated Sharpe ratio (Bailey and Lopez de Prado, 2014). 0 for one trial.
 */
export function expectedBestSharpe(trials: number, variance: number): number {
  if (trials < 2) return 0;
  return Math.sqrt(variance) * ((1 - EULER) * normalQuantile(1 - 1 / trials) + EULER * normalQuantile(1 - 1 / (trials * Math.E)));
}
