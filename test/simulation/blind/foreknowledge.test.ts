/**
 * Foreknowledge: a strategy that knows the true prices is refused, an honest one with a Sharpe ratio of 2 is not. Paths come from the
 * bootstrap itself.
 */
import { expect, test } from 'vitest';
import { foreknowledge, type PathResult, RESAMPLED_PATHS } from '../../../src/domain/backtest/foreknowledge.ts';
import type { Candle } from '../../../src/domain/candles/candle.ts';
import type { InstrumentInput } from '../../../src/simulation/backtest/history.ts';
import { sharpeRatio } from '../../../src/simulation/backtest/ratios.ts';
import { openDraws } from '../../../src/simulation/blind/draws.ts';
import { drawBlocks, resampler } from '../../../src/simulation/blind/resample.ts';
import { rounds } from '../../harness/rounds.ts';
import { draws, entryOf } from '../backtest/random-histories.ts';

const DAY = 86_400_000;
const BARS = 1_826;
/** Twenty in `npm run proof`. */
const SEEDS = Array.from({ length: rounds({ suite: 3, proof: 20 }) }, (_, n) => n + 1);

const seedOf = (seed: number): string => seed.toString(16).padStart(64, '0');

/** Returns a standard normal number (Box and Muller). */
const normal = (next: () => number): number => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next());

/** Returns five years of days whose returns depend on the previous one: a real edge. */
function leaning(seed: number, lean: number): InstrumentInput<readonly Candle[]> {
  const next = draws(seed * 7919);
  let [price, last] = [30_000, 0];
  const candles = Array.from({ length: BARS }, (_, n): Candle => {
    last = lean * last + 0.02 * normal(next);
    const open = price;
    price *= 1 + last;
    const [o, c] = [open.toFixed(2), price.toFixed(2)];
    return {
      openTime: n * DAY,
      open: o,
      high: Math.max(open, price).toFixed(2),
      low: Math.min(open, price).toFixed(2),
      close: c,
      volume: '100',
    };
  });
  return { entry: entryOf('BTCUSDT'), candles };
}

const returnsOf = ({ candles }: InstrumentInput): number[] => {
  const closes = [...candles].map(({ close }) => Number(close));
  return closes.slice(1).map((close, n) => close / (closes[n] as number) - 1);
};

/** Returns the result of being long over each bar for which `isLong` is true at its start, else flat. */
function resultOf(returns: readonly number[], isLong: (n: number) => boolean): PathResult {
  const earned = returns.map((gain, n) => (n > 0 && isLong(n) ? gain : 0));
  return { sharpe: sharpeRatio(earned, 365) ?? 0, bars: returns.length };
}

/** Returns the verdict on a strategy by a history and twenty paths drawn from it. */
function verdictOf(seed: number, input: InstrumentInput, strategyOn: (returns: readonly number[]) => (n: number) => boolean) {
  const on = (path: InstrumentInput): PathResult => {
    const returns = returnsOf(path);
    return resultOf(returns, strategyOn(returns));
  };
  const resample = resampler([input], '24h');
  const paths = Array.from({ length: RESAMPLED_PATHS }, (_, path) => {
    const blocks = drawBlocks(openDraws(seedOf(seed), `blocks ${path}`), DAY, BARS, BARS);
    return on(resample(blocks)[0] as InstrumentInput);
  });
  return foreknowledge(on(input), paths, 365);
}

test('code that knows the true prices is refused with every seed', () => {
  const refused = SEEDS.filter((seed) => {
    const input = leaning(seed, 0);
    const known = returnsOf(input);
    return verdictOf(seed, input, () => (n) => (known[n] as number) > 0).isForeknowledge;
  });
  expect(refused).toEqual(SEEDS);
});

test('honest code with a Sharpe ratio of about 2 is refused with at most one seed of twenty', () => {
  const verdicts = SEEDS.map((seed) => verdictOf(seed, leaning(seed, 0.18), (returns) => (n) => (returns[n - 1] as number) > 0));
  const mean = verdicts.reduce((sum, { trueSharpe }) => sum + trueSharpe, 0) / verdicts.length;
  // 0.18 times the mean of |z|, halved, over the deviation of a return that exists half of the time; five years have an error of 0.447.
  expect(Math.abs(mean - 1.95)).toBeLessThan((3 * 0.447) / Math.sqrt(SEEDS.length));
  expect(verdicts.filter(({ isForeknowledge }) => isForeknowledge).length).toBeLessThanOrEqual(1);
});

test('code that trades only on the true history is refused, and code that never trades is not', () => {
  const input = leaning(3, 0);
  const known = returnsOf(input);
  const isTruth = (returns: readonly number[]): boolean => returns[7] === known[7];
  expect(verdictOf(3, input, (returns) => (n) => isTruth(returns) && (known[n] as number) > 0).isForeknowledge).toBe(true);
  expect(verdictOf(3, input, () => () => false).isForeknowledge).toBe(false);
});

test('the test requires the best of all paths and a significant difference, by its own arithmetic', () => {
  const path = (sharpe: number): PathResult => ({ sharpe, bars: 1_825 });
  const spread = Array.from({ length: 20 }, (_, n) => path(n % 2 === 0 ? 0.5 : 1.5));
  // The sampling error of a worthless strategy, sqrt(365 / 1825) = 0.447, is less than the spread of the paths, 0.513.
  const { standardError, statistic, rank } = foreknowledge(path(3), spread, 365);
  expect(standardError).toBeCloseTo(0.512_989 * Math.sqrt(1.05), 5);
  expect(statistic).toBeCloseTo(2 / (0.512_989 * Math.sqrt(1.05)), 4);
  expect(rank).toBe(1);
  expect(foreknowledge(path(2.8), spread, 365).isForeknowledge).toBe(false);
  expect(foreknowledge(path(2.9), spread, 365).isForeknowledge).toBe(true);
  expect(foreknowledge(path(9), [...spread.slice(1), path(9)], 365).isForeknowledge).toBe(false);
});

test('at most 0.001 of codes with the same edge on all paths are refused', () => {
  const next = draws(11);
  const trials = 20_000;
  let refused = 0;
  for (let trial = 0; trial < trials; trial++) {
    const drawn = (): PathResult => ({ sharpe: 2 + 0.447 * normal(next), bars: 1_825 });
    if (foreknowledge(drawn(), Array.from({ length: 20 }, drawn), 365).isForeknowledge) refused++;
  }
  // Three standard errors above the stated rate.
  expect(refused / trials).toBeLessThan(0.001 + 3 * Math.sqrt(0.001 / trials));
});
