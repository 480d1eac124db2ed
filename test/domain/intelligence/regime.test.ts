// Arithmetic of the regime compared with cases computed by hand, and unknown inputs.
import { describe, expect, test } from 'vitest';
import { changeOver, curveRegime, rateImpact, policyRegime, type SeriesPoint } from '../../../src/domain/intelligence/macro.ts';
import {
  type Measured,
  measureInputs,
  percentChange,
  REGIME_RULES,
  type RegimeInputName,
  readRegime,
  computeScore,
} from '../../../src/domain/intelligence/regime.ts';

const NOW = Date.UTC(2026, 10, 19, 15, 30);
const DAY = 86_400_000;
const values = (over: Partial<Record<RegimeInputName, string | null>>): Record<RegimeInputName, Measured | null> => {
  const all = { volatility: '21', credit_spread: '4.25', yield_curve: '0.25', policy_rate: '0', dollar: '0', chain_tvl: '0', ...over };
  return Object.fromEntries(
    Object.entries(all).map(([name, value]) => [name, value === null ? null : { value, at: NOW - 3_600_000 }]),
  ) as Record<RegimeInputName, Measured | null>;
};

describe('a score', () => {
  test.each([
    ['16', '16', '26', '1'],
    ['10', '16', '26', '1'],
    ['21', '16', '26', '0'],
    ['26', '16', '26', '-1'],
    ['80', '16', '26', '-1'],
    ['18.5', '16', '26', '0.5'],
    ['2.5', '5', '-5', '0.5'],
    ['-1', '5', '-5', '-0.2'],
  ])('of %s between %s and %s is %s', (value, on, off, score) => expect(computeScore(value, on, off)).toBe(score));
});

describe('the regime', () => {
  test('is neutral if every input is in the middle', () => {
    expect(readRegime(values({}), NOW)).toMatchObject({ regime: 'neutral', score: '0', knownWeight: '1' });
  });

  test('is the weighted sum: 0.25 x 0.5 + 0.25 x 1 + 0.1 x -0.4 + 0.1 x 0.4 + 0.15 x 0 + 0.15 x 0.2 = 0.405', () => {
    const reading = readRegime(
      values({ volatility: '18.5', credit_spread: '3', yield_curve: '0.05', policy_rate: '-0.1', chain_tvl: '1' }),
      NOW,
    );
    expect(reading).toMatchObject({ regime: 'risk_on', score: '0.405' });
    expect(reading.inputs.map(({ name, score, contribution }) => [name, score, contribution])).toEqual([
      ['volatility', '0.5', '0.125'],
      ['credit_spread', '1', '0.25'],
      ['yield_curve', '-0.4', '-0.04'],
      ['policy_rate', '0.4', '0.04'],
      ['dollar', '0', '0'],
      ['chain_tvl', '0.2', '0.03'],
    ]);
  });

  test.each([
    [{ volatility: '16' }, 'risk_on', '0.25'],
    [{ volatility: '16.01' }, 'neutral', '0.2495'],
    [{ volatility: '26' }, 'risk_off', '-0.25'],
    [{ volatility: '25.99' }, 'neutral', '-0.2495'],
    [{ volatility: '40', credit_spread: '8', chain_tvl: '-20' }, 'risk_off', '-0.65'],
  ] as const)('of %j is %s', (over, regime, score) => expect(readRegime(values(over), NOW)).toMatchObject({ regime, score }));

  test('divides by the known weight: (0.25 + 0.15) / 0.75', () => {
    expect(readRegime(values({ volatility: '10', dollar: '-3', credit_spread: null }), NOW)).toMatchObject({
      regime: 'risk_on',
      score: '0.5333',
      knownWeight: '0.75',
    });
  });

  test('is unknown with less than 0.6 of the weight, and an input that is too old counts as unknown', () => {
    const measured = values({ chain_tvl: null });
    expect(readRegime(measured, NOW)).toMatchObject({ regime: 'neutral', knownWeight: '0.85' });
    const old = { ...measured, volatility: { value: '10', at: NOW - REGIME_RULES.volatility.maxAgeMs - 1 } };
    const reading = readRegime(old, NOW);
    expect(reading).toMatchObject({ regime: 'neutral', knownWeight: '0.6' });
    expect(reading.inputs[0]).toMatchObject({ state: 'too_old', value: '10', score: null, contribution: null });
    expect(readRegime({ ...old, yield_curve: null }, NOW)).toMatchObject({ regime: 'unknown', score: null, knownWeight: '0.5' });
    const edge = { ...measured, volatility: { value: '10', at: NOW - REGIME_RULES.volatility.maxAgeMs } };
    expect(readRegime(edge, NOW).inputs[0]).toMatchObject({ state: 'used' });
    const nothing = Object.fromEntries(Object.keys(measured).map((name) => [name, null])) as Record<RegimeInputName, null>;
    expect(readRegime(nothing, NOW)).toMatchObject({ regime: 'unknown', knownWeight: '0' });
  });

  test('weights add up to one', () => {
    expect(Object.values(REGIME_RULES).reduce((sum, { weight }) => sum + weight * 100, 0)).toBeCloseTo(100);
  });
});

describe('inputs', () => {
  const daily = (list: readonly (readonly [daysAgo: number, value: string])[]): SeriesPoint[] =>
    list.map(([daysAgo, value]) => ({ date: new Date(NOW - daysAgo * DAY).toISOString().slice(0, 10), value }));

  test('are measured from the series: newest values, a change over 90 days and a percent change over 30', () => {
    const measured = measureInputs(
      new Map([
        [
          'VIXCLS',
          daily([
            [3, '30'],
            [1, '17.25'],
          ]),
        ],
        [
          'DFF',
          daily([
            [120, '4.58'],
            [91, '4.33'],
            [80, '4.08'],
            [1, '3.83'],
          ]),
        ],
        [
          'DTWEXBGS',
          daily([
            [40, '120'],
            [29, '150'],
            [2, '121.2'],
          ]),
        ],
        ['T10Y2Y', []],
      ]),
      { value: '3.5', at: NOW },
    );
    expect(measured).toEqual({
      volatility: { value: '17.25', at: Date.UTC(2026, 10, 18) },
      credit_spread: null,
      yield_curve: null,
      policy_rate: { value: '-0.5', at: Date.UTC(2026, 10, 18) },
      dollar: { value: '1', at: Date.UTC(2026, 10, 17) },
      chain_tvl: { value: '3.5', at: NOW },
    });
  });

  test('are missing if a series does not reach back far enough', () => {
    expect(
      changeOver(
        daily([
          [50, '1'],
          [1, '2'],
        ]),
        90,
      ),
    ).toBeNull();
    expect(changeOver([], 90)).toBeNull();
    expect(percentChange('1', '0')).toBeNull();
  });
});

test.each([
  ['0.25', 'tightening'],
  ['0.2', 'tightening'],
  ['0.19', 'holding'],
  ['-0.19', 'holding'],
  ['-0.25', 'easing'],
  [null, null],
])('a policy rate that changed by %s is %s', (change, regime) => expect(policyRegime(change)).toBe(regime));

test.each([
  ['-0.01', 'inverted'],
  ['0', 'flat'],
  ['0.5', 'flat'],
  ['0.51', 'normal'],
  [null, null],
])('a curve of slope %s is %s', (slope, regime) => expect(curveRegime(slope)).toBe(regime));

test('releases differ in weight', () => {
  expect(['Consumer Price Index', 'Producer Price Index', 'Something else'].map(rateImpact)).toEqual(['high', 'medium', 'low']);
});
