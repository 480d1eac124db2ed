/** A walk-forward over the daily returns of variants that all ran over the same days: one window picks, the next one counts. */
import type { WalkForwardRequest } from '../../domain/backtest/sweep-windows.ts';
import { sharpeRatio } from '../backtest/performance.ts';

/** One step. Days are places in the curve; a window holds its first day and ends before its last. */
export interface Fold {
  readonly train: readonly [from: number, to: number];
  readonly test: readonly [from: number, to: number];
  /** Place of the variant with the best Sharpe ratio of the training window; the first of equals. */
  readonly picked: number;
  /** Annualized; null if it is not defined. */
  readonly trainSharpe: number | null;
  readonly testSharpe: number | null;
  readonly testReturnPct: number;
}

export interface WalkForward {
  readonly folds: readonly Fold[];
  /** Daily returns of the test windows, one after the other, each of the variant that its training window picked. */
  readonly returns: Float64Array;
}

/**
 * Walks through `returns[variant][day]`. The windows move by the length of a test window, so that each day is tested once; the last test
 * window may be shorter. Null if there is no day to test.
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

/** The place of the greatest; the first of equals, and unknown ones after all others. */
function indexOfBest(scores: readonly (number | null)[]): number {
  const known = scores.map((score) => score ?? Number.NEGATIVE_INFINITY);
  return known.indexOf(Math.max(...known));
}

/** Returns the growth of one by these returns. */
function grown(returns: Float64Array): number {
  return returns.reduce((product, change) => product * (1 + change), 1);
}
