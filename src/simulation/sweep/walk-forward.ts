/**
 * Walk-forward over the daily returns of variants that ran over the same days: a training window selects, the following test window
 * counts.
 */
import type { WalkForwardRequest } from '../../domain/backtest/sweep-windows.ts';
import { sharpeRatio } from '../backtest/ratios.ts';

/** Fold of the walk-forward. Days are indices of the curve. A window includes its first day and excludes its end. */
export interface Fold {
  readonly train: readonly [from: number, to: number];
  readonly test: readonly [from: number, to: number];
  /** Index of the variant with the best Sharpe ratio in the training window; the first among equals. */
  readonly picked: number;
  /** Annualized Sharpe ratio of the training window, or null if it is undefined. */
  readonly trainSharpe: number | null;
  readonly testSharpe: number | null;
  readonly testReturnPct: number;
}

export interface WalkForward {
  readonly folds: readonly Fold[];
  /** Consecutive daily returns of the test windows, each of the variant selected in its training window. */
  readonly returns: Float64Array;
}

/**
 * Walks through `returns[variant][day]`. Windows move by the length of a test window, so each day is tested once. The last test window
 * may be shorter. Null if there is no day to test.
 */
export function walkForward(
  returns: readonly Float64Array[],
  { trainDays, testDays }: WalkForwardRequest,
  periodsPerYear: number,
): WalkForward | null {
  const days = returns[0]?.length ?? 0;
  if (days <= trainDays) return null;
  const folds: Fold[] = [];
  const outside = new Float64Array(days - trainDays);
  for (let from = 0; from + trainDays < days; from += testDays) {
    const train = [from, from + trainDays] as const;
    const test = [train[1], Math.min(days, train[1] + testDays)] as const;
    const scores = returns.map((daily) => sharpeRatio(daily.subarray(...train), periodsPerYear));
    const picked = indexOfBest(scores);
    const tested = (returns[picked] as Float64Array).subarray(...test);
    outside.set(tested, test[0] - trainDays);
    folds.push({
      train,
      test,
      picked,
      trainSharpe: scores[picked] ?? null,
      testSharpe: sharpeRatio(tested, periodsPerYear),
      testReturnPct: (grown(tested) - 1) * 100,
    });
  }
  return { folds, returns: outside };
}

/** Returns the index of the greatest score; the first among equals, unknown ones last. */
function indexOfBest(scores: readonly (number | null)[]): number {
  const known = scores.map((score) => score ?? Number.NEGATIVE_INFINITY);
  return known.indexOf(Math.max(...known));
}

/** Returns the growth of 1 over these returns. */
function grown(returns: Float64Array): number {
  return returns.reduce((product, change) => product * (1 + change), 1);
}
