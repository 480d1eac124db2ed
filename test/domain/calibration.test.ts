// Expected and realized costs of fills: figures compared with hand-made numbers, and inconclusive ones stay unknown.
import { expect, test } from 'vitest';
import {
  type CalibratedFill,
  calibrated,
  costFigures,
  costsBy,
  hasDrifted,
  type RecordedFill,
} from '../../src/domain/agents/calibration.ts';
import { pooledPrice, computeSlippageBps } from '../../src/domain/orders/costs.ts';

const recorded: RecordedFill = {
  at: Date.UTC(2026, 5, 1, 13, 59),
  mode: 'paper',
  instrument: 'spotchain:AAPLx',
  side: 'buy',
  notionalUsd: 1_000,
  algorithm: 'taker_immediate',
  realizedBps: 0,
  seen: true,
  liquidityUsd: 400_000,
};
const fill = (expectedBps: number | null, realizedBps: number, over: Partial<RecordedFill> = {}): CalibratedFill => ({
  ...recorded,
  ...over,
  expectedBps,
  realizedBps,
});

test('the expected cost is the pool’s price impact at the decision, equal to the paper fill to the last digit', () => {
  for (const side of ['buy', 'sell'] as const) {
    const price = pooledPrice(side, '100', '10', '400000').toString();
    expect(calibrated({ ...recorded, side }).expectedBps).toBeCloseTo(computeSlippageBps(side, '100', price), 3);
  }
  // An order larger than its pool, and one without a recorded decision.
  expect(calibrated({ ...recorded, notionalUsd: 300_000 }).expectedBps).toBeNull();
  expect(calibrated({ ...recorded, seen: false }).expectedBps).toBeNull();
});

test('figures: means, bias with its error, quantiles and the exact sign test; fills without an expectation are counted separately', () => {
  const fills = [fill(10, 12), fill(10, 14), fill(20, 18), fill(0, 8), fill(null, 999)];
  expect(costFigures(fills)).toEqual({
    fills: 5,
    unknown: 1,
    expectedBps: 10,
    realizedBps: 13,
    biasBps: 3,
    // Differences 2, 4, -2, 8: deviation sqrt(52 / 3), over the root of 4.
    biasErrorBps: expect.closeTo(Math.sqrt(52 / 3) / 2, 12),
    medianBps: 3,
    p10Bps: expect.closeTo(-0.8, 12),
    p90Bps: expect.closeTo(6.8, 12),
    dearer: 3,
    cheaper: 1,
    // 2 x (1 + 4) / 16.
    signP: expect.closeTo(0.625, 12),
  });
});

test('no data, or too little, is unknown and not zero', () => {
  const nothing = { expectedBps: null, realizedBps: null, biasBps: null, biasErrorBps: null, medianBps: null, signP: null };
  expect(costFigures([])).toMatchObject({ fills: 0, unknown: 0, ...nothing });
  expect(costFigures([fill(null, 5)])).toMatchObject({ fills: 1, unknown: 1, ...nothing });
  expect(costFigures([fill(5, 5)])).toMatchObject({ biasBps: 0, biasErrorBps: null, dearer: 0, cheaper: 0, signP: null });
  expect(hasDrifted(costFigures([fill(0, 900), fill(0, 901)]))).toBeNull();
  expect(hasDrifted(costFigures(Array.from({ length: 40 }, () => fill(null, 900))))).toBeNull();
});

test('a drift is a bias beyond five basis points and its own error, also against an expectation of zero', () => {
  const drifted = (expected: number, costs: readonly number[]) => hasDrifted(costFigures(costs.map((bps) => fill(expected, bps))));
  const ten = (bps: (n: number) => number) => Array.from({ length: 10 }, (_, n) => bps(n));
  expect(
    drifted(
      0,
      ten(() => 5.01),
    ),
  ).toBe(true);
  expect(
    drifted(
      0,
      ten(() => 5),
    ),
  ).toBe(false);
  expect(
    drifted(
      40,
      ten(() => 20),
    ),
  ).toBe(false);
  // The same mean of 8 with an error of 2.1, which takes it below the bound.
  expect(
    drifted(
      0,
      ten((n) => (n % 2 === 0 ? 14.3 : 1.7)),
    ),
  ).toBe(false);
});

test('by venue, algorithm, size and hour each fill is in one group', () => {
  const fills = [
    fill(1, 1),
    fill(1, 3, { instrument: 'spotexchange:BTCUSDT', notionalUsd: 99.99, algorithm: null }),
    fill(1, 5, { notionalUsd: 10_000, at: Date.UTC(2026, 5, 2, 9) }),
  ];
  const keys = (by: Parameters<typeof costsBy>[0]) => costsBy(by, fills).map(({ key, fills: n }) => [key, n]);
  expect(keys('venue')).toEqual([
    ['spotchain', 2],
    ['spotexchange', 1],
  ]);
  expect(keys('algorithm')).toEqual([
    ['taker_immediate', 2],
    ['unknown', 1],
  ]);
  expect(Object.fromEntries(keys('size'))).toEqual({ 'below 100': 1, 'below 10000': 1, '10000 and more': 1 });
  expect(keys('hour')).toEqual([
    ['09', 1],
    ['13', 2],
  ]);
});
