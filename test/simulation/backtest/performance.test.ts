// Statistics of equity curves compared with published numbers and manual results.
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { normalCdf, normalQuantile, sampleDeviation } from '../../../src/domain/values/statistics.ts';
import {
  computeShape,
  expectedBestSharpe,
  maxDrawdown,
  probabilisticSharpe,
  sharpeRatio,
  sortinoRatio,
} from '../../../src/simulation/backtest/ratios.ts';

test('Sharpe is mean over sample deviation times the root of the periods', () => {
  // By hand: mean 0.01, squares 4 x 0.0001 over ddof 3 = 0.000133..., deviation 0.011547.
  const returns = [0.02, 0, 0.02, 0];
  expect(sampleDeviation(returns)).toBeCloseTo(Math.sqrt(0.0004 / 3), 15);
  expect(sharpeRatio(returns, 365)).toBeCloseTo((0.01 / Math.sqrt(0.0004 / 3)) * Math.sqrt(365), 12);
  expect(sharpeRatio([0.01, 0.01], 365)).toBeNull();
  expect(sharpeRatio([0.01], 365)).toBeNull();
});

test('constant returns have no Sharpe ratio, whatever rounding leaves of them', () => {
  expect(
    sharpeRatio(
      Array.from({ length: 250 }, () => 0.001),
      252,
    ),
  ).toBeNull();
  const growing = Array.from({ length: 250 }, (_, day) => (1.001 ** (day + 1) - 1.001 ** day) / 1.001 ** day);
  expect(new Set(growing).size).toBeGreaterThan(1);
  expect(sharpeRatio(growing, 252)).toBeNull();
  expect(sharpeRatio(growing.with(7, 0.0011), 252)).toBeGreaterThan(0);
});

test('Sortino divides by the root mean square of the losses over all returns', () => {
  // By hand: mean 0.005; losses 0.01 and 0.02: (0.0001 + 0.0004) / 4 = 0.000125.
  expect(sortinoRatio([0.03, -0.01, 0.02, -0.02], 252)).toBeCloseTo((0.005 / Math.sqrt(0.000125)) * Math.sqrt(252), 12);
  expect(sortinoRatio([0.01, 0.02], 252)).toBeNull();
});

test('the maximum drawdown counts from the running peak, the start included', () => {
  expect(maxDrawdown([110, 99, 120, 90, 130], 100)).toEqual({ depth: 0.25, peak: 2, trough: 3 });
  expect(maxDrawdown([90, 95], 100)).toEqual({ depth: 0.1, peak: -1, trough: 0 });
  expect(maxDrawdown([101, 102], 100).depth).toBe(0);
});

test('skewness and kurtosis are those of the population', () => {
  // By hand, of 0, 0, 0, 4: mean 1, moments 3, 6, 21: skewness 6 / 3^1.5, kurtosis 21 / 9.
  expect(computeShape([0, 0, 0, 4])?.skewness).toBeCloseTo(6 / 3 ** 1.5, 14);
  expect(computeShape([0, 0, 0, 4])?.kurtosis).toBeCloseTo(21 / 9, 14);
});

test('the normal distribution is that of the tables', () => {
  // Abramowitz and Stegun, table 26.1, 15 digits.
  expect(normalCdf(1)).toBeCloseTo(0.841344746068543, 14);
  expect(normalCdf(2)).toBeCloseTo(0.97724986805182, 14);
  expect(normalCdf(-3)).toBeCloseTo(0.00134989803163, 14);
  expect(normalCdf(-6) / 9.865876450377e-10).toBeCloseTo(1, 10);
  for (const p of [1e-9, 0.001, 0.2, 0.5, 0.975, 0.999999]) expect(normalCdf(normalQuantile(p))).toBeCloseTo(p, 13);
  expect(normalQuantile(0.975)).toBeCloseTo(1.959963984540054, 12);
});

test('the probabilistic Sharpe ratio is that of its paper', () => {
  // Bailey and Lopez de Prado, "The Sharpe Ratio Efficient Frontier" (2012): two years of monthly returns with a Sharpe
  // of 0.458, skewness -2.448, kurtosis 10.164; 0.982 where normality is assumed, 0.913 where it is not.
  const track = { sharpe: 0.458, periods: 24, skewness: -2.448, kurtosis: 10.164 };
  expect(probabilisticSharpe(track, 0)).toBeCloseTo(0.913, 3);
  expect(probabilisticSharpe({ ...track, skewness: 0, kurtosis: 3 }, 0)).toBeCloseTo(0.982, 3);
});

test('the deflated Sharpe ratio is that of its paper', () => {
  // Bailey and Lopez de Prado, "The Deflated Sharpe Ratio" (2014), numerical example: 100 trials whose annualised ratios
  // vary by 1/2, five years of 250 days, best annualised ratio 2.5, skewness -3, kurtosis 10: threshold 0.1132, result 0.9004.
  const threshold = expectedBestSharpe(100, 0.5 / 250);
  expect(threshold).toBeCloseTo(0.1132, 4);
  expect(probabilisticSharpe({ sharpe: 2.5 / Math.sqrt(250), periods: 1250, skewness: -3, kurtosis: 10 }, threshold)).toBeCloseTo(
    0.9004,
    3,
  );
  expect(expectedBestSharpe(1, 0.5)).toBe(0);
});

const examples = fileURLToPath(new URL('../../../../shared/data/oracles/performance/empyrical_examples.json', import.meta.url));

test.skipIf(!existsSync(examples))('Sharpe and drawdown agree with the examples of empyrical, if they are available', () => {
  interface Examples {
    readonly series: Readonly<Record<string, { readonly values: readonly (number | null)[] }>>;
    readonly vectors: readonly {
      readonly function: string;
      readonly returns: string;
      readonly expected: number | null;
      readonly risk_free?: number;
    }[];
  }
  const { series, vectors } = JSON.parse(readFileSync(examples, 'utf8')) as Examples;
  let compared = 0;
  for (const { function: name, returns, expected, risk_free: riskFree = 0 } of vectors) {
    const values = series[returns]?.values.filter((value) => value !== null) ?? [];
    if (expected === null || riskFree !== 0 || values.length < 2) continue;
    if (name === 'sharpe_ratio') expect(sharpeRatio(values, 252), returns).toBeCloseTo(expected, 7);
    else if (name === 'max_drawdown') {
      let wealth = 1;
      const curve = values.map((gain) => (wealth *= 1 + gain));
      // Ours is a share of the peak, theirs a negative return.
      expect(maxDrawdown(curve, 1).depth, returns).toBeCloseTo(Math.abs(expected), 7);
    } else continue;
    compared++;
  }
  expect(compared).toBeGreaterThan(3);
});
