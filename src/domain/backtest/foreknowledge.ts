/**
 * Tests outside code for foreknowledge: code that trades much better on the true history than on paths resampled from the same returns
 * knows that history. The paths keep the returns, their joint distribution and their order within blocks, and lose the rest.
 */
import { mean, sampleDeviation } from '../values/statistics.ts';

/** One path of a replay session, by the returns of its bars. */
export interface PathResult {
  /** Annualised Sharpe ratio of the bar returns, or 0 without trades. */
  readonly sharpe: number;
  readonly bars: number;
}

/** Result of the test. Ratios and statistics, hence numbers. */
export interface ForeknowledgeVerdict {
  readonly trueSharpe: number;
  readonly resampledSharpe: number;
  /** Standard error of the difference, assuming no foreknowledge. */
  readonly standardError: number;
  /** Difference in standard errors. */
  readonly statistic: number;
  readonly limit: number;
  /** Rank of the true history among all paths by Sharpe ratio, from 1. */
  readonly rank: number;
  readonly isForeknowledge: boolean;
}

/** Number of resampled paths per session. */
export const RESAMPLED_PATHS = 20;
/**
 * Student's t limit with 19 degrees of freedom at probability 0.001: the share of strategies that are refused although their edge is the
 * same on all paths. A strategy that gains five standard errors by foreknowledge is refused with a probability above 0.9, one that gains
 * eight with more than 0.999.
 */
const T_LIMIT = 3.579;

/**
 * Tests for foreknowledge. Refuses only if the true history is the best of all paths and exceeds their mean by more than chance. @param
 * barsPerYear Number of bars per year. @throws RangeError for fewer than two resampled paths.
 */
export function foreknowledge(onTruth: PathResult, resampled: readonly PathResult[], barsPerYear: number): ForeknowledgeVerdict {
  const count = resampled.length;
  if (count < 2) throw new RangeError(`a spread needs at least 2 resampled paths (got ${count})`);
  const sharpes = resampled.map(({ sharpe }) => sharpe);
  const resampledSharpe = mean(sharpes);
  const bars = Math.min(...resampled.map((path) => path.bars));
  // Never below the sampling error of a worthless strategy, because paths without trades do not measure the spread.
  const spread = Math.max(sampleDeviation(sharpes), Math.sqrt(barsPerYear / bars));
  const standardError = spread * Math.sqrt(bars / onTruth.bars + 1 / count);
  const statistic = (onTruth.sharpe - resampledSharpe) / standardError;
  const rank = 1 + sharpes.filter((sharpe) => sharpe >= onTruth.sharpe).length;
  return {
    trueSharpe: onTruth.sharpe,
    resampledSharpe,
    standardError,
    statistic,
    limit: T_LIMIT,
    rank,
    isForeknowledge: rank === 1 && statistic > T_LIMIT,
  };
}
