// Sweep: the walk-forward has no look-ahead, and the deflated Sharpe ratio counts every trial, as computed by other means.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DEFAULT_ASSUMPTIONS } from '../../../src/domain/backtest/assumptions.ts';
import { isVariants, type SweepRequest, type Variant, combineVariants } from '../../../src/domain/backtest/sweep.ts';
import { readManifest } from '../../../src/domain/manifest/reader.ts';
import { buildHistory } from '../../../src/simulation/backtest/history.ts';
import { runBacktest } from '../../../src/simulation/backtest/run.ts';
import { type SweepResult, workSweep } from '../../../src/simulation/sweep/sweep-work.ts';
import { tryInThreads } from '../../../src/simulation/sweep/trial-threads.ts';
import { walkForward } from '../../../src/simulation/sweep/walk-forward.ts';
import { payload } from '../../domain/authored.ts';
import { draws, entryOf, START, walk } from '../backtest/random-histories.ts';

const DAY = 86_400_000;

/** Computes the annual Sharpe ratio from its definition. */
function annualSharpe(returns: readonly number[]): number {
  const average = returns.reduce((a, b) => a + b, 0) / returns.length;
  const variance = returns.reduce((sum, one) => sum + (one - average) ** 2, 0) / (returns.length - 1);
  return (average / Math.sqrt(variance)) * Math.sqrt(365);
}

test('each training window selects, the window after it counts, and each later day counts once', () => {
  // Two variants over six days: the first one earns early, the second one late.
  const early = [0.02, 0.01, 0.02, -0.01, -0.02, -0.01];
  const late = [-0.01, 0.005, -0.02, 0.02, 0.01, 0.03];
  const walked = walkForward([Float64Array.from(early), Float64Array.from(late)], { trainDays: 2, testDays: 2 }, 365);
  expect(walked?.folds.map(({ train, test: tested, picked }) => [train, tested, picked])).toEqual([
    [[0, 2], [2, 4], 0],
    [[2, 4], [4, 6], 0],
  ]);
  // On days three and four the first one made 0.02 and -0.01, the second one -0.02 and 0.02: the mean decides.
  expect([...(walked?.returns ?? [])]).toEqual([0.02, -0.01, -0.02, -0.01]);
  expect(walked?.folds[0]?.testReturnPct).toBeCloseTo((1.02 * 0.99 - 1) * 100, 10);
  expect(walkForward([Float64Array.from(early)], { trainDays: 6, testDays: 1 }, 365)).toBeNull();
});

test('data after a test window does not change it; a day is tested once, whatever the windows', () => {
  const change = fc.integer({ min: -500, max: 500 }).map((basisPoints) => basisPoints / 10_000);
  fc.assert(
    fc.property(
      fc
        .integer({ min: 1, max: 5 })
        .chain((variants) => fc.array(fc.array(change, { minLength: 30, maxLength: 30 }), { minLength: variants, maxLength: variants })),
      fc.integer({ min: 2, max: 20 }),
      fc.integer({ min: 1, max: 9 }),
      fc.integer({ min: 0, max: 29 }),
      (all, trainDays, testDays, cut) => {
        const whole = walkForward(
          all.map((one) => Float64Array.from(one)),
          { trainDays, testDays },
          365,
        );
        const changed = walkForward(
          all.map((one) => Float64Array.from(one, (value, day) => (day < cut ? value : -value / 2))),
          { trainDays, testDays },
          365,
        );
        if (whole === null || changed === null) throw new Error('there are days to test');
        expect(whole.returns.length).toBe(30 - trainDays);
        for (const [index, fold] of whole.folds.entries()) {
          expect(fold.test[0]).toBe(index === 0 ? trainDays : whole.folds[index - 1]?.test[1]);
          expect(fold.train[1]).toBe(fold.test[0]);
          if (fold.train[1] <= cut) expect(changed.folds[index]?.picked).toBe(fold.picked);
          if (fold.test[1] <= cut) expect(changed.folds[index]).toEqual(fold);
          // By definition of the ratio, the picked variant is the best of its training window.
          const scores = all.map((one) => annualSharpe(one.slice(...fold.train)));
          const best = Math.max(...scores.filter(Number.isFinite));
          if (Number.isFinite(best) && Math.abs(best) < 1e6) expect(scores[fold.picked]).toBeCloseTo(best, 6);
        }
        expect(whole.folds.at(-1)?.test[1]).toBe(30);
      },
    ),
    { numRuns: 200 },
  );
});

/** Computes the standard normal distribution by Simpson's rule, and its inverse by bisection: slow and independent of the product. */
function phi(x: number): number {
  const [from, steps] = [-12, 20_000];
  const width = (x - from) / steps;
  const density = (t: number) => Math.exp((-t * t) / 2) / Math.sqrt(2 * Math.PI);
  let sum = density(from) + density(x);
  for (let i = 1; i < steps; i++) sum += density(from + i * width) * (i % 2 === 1 ? 4 : 2);
  return (sum * width) / 3;
}
function phiInverse(p: number): number {
  let [low, high] = [-10, 10];
  for (let i = 0; i < 60; i++) [low, high] = phi((low + high) / 2) < p ? [(low + high) / 2, high] : [low, (low + high) / 2];
  return (low + high) / 2;
}

/** Computes the deflated Sharpe ratio as in Bailey and Lopez de Prado (2014): annual ratios, counted trials and daily returns. */
function deflated(returns: readonly number[], annual: readonly number[], trials: number): number {
  const n = returns.length;
  const perDay = annual.map((one) => one / Math.sqrt(365));
  const middle = perDay.reduce((a, b) => a + b, 0) / perDay.length;
  const variance = perDay.reduce((sum, one) => sum + (one - middle) ** 2, 0) / (perDay.length - 1);
  const gamma = 0.5772156649015329;
  const best = Math.sqrt(variance) * ((1 - gamma) * phiInverse(1 - 1 / trials) + gamma * phiInverse(1 - 1 / (trials * Math.E)));
  const average = returns.reduce((a, b) => a + b, 0) / n;
  const moment = (k: number) => returns.reduce((sum, one) => sum + (one - average) ** k, 0) / n;
  const skew = moment(3) / moment(2) ** 1.5;
  const kurtosis = moment(4) / moment(2) ** 2;
  const ratio = annualSharpe(returns) / Math.sqrt(365);
  return phi(((ratio - best) * Math.sqrt(n - 1)) / Math.sqrt(1 - skew * ratio + ((kurtosis - 1) / 4) * ratio ** 2));
}

test('a sweep counts every variant and every earlier trial; its numbers equal those of single backtests', async () => {
  const read = readManifest(
    payload({
      universe: ['BTCUSDT'],
      timeframe: '24h',
      entryConditions: [{ type: 'rsi_below', period: 7, value: 45 }],
      exitConditions: [{ type: 'rsi_above', period: 7, value: 60 }],
      maxSlippageBps: 500,
    }),
  );
  if (!read.ok) throw new Error(JSON.stringify(read.problems));
  const history = buildHistory('24h', [{ entry: entryOf('BTCUSDT'), candles: walk(draws(31), START - 500 * DAY, DAY, 500, 30_000) }]);
  const parameters = [
    { path: 'entryConditions[0].value', values: [35, 45, 55] },
    { path: 'stopLossPct', values: [3, 6] },
  ];
  const variants = combineVariants(read.manifest, parameters);
  if (!isVariants(variants)) throw new Error(JSON.stringify(variants));
  const request: SweepRequest = {
    from: '',
    to: '',
    timeframe: null,
    look: true,
    assumptions: DEFAULT_ASSUMPTIONS,
    parameters,
    walkForward: { trainDays: 120, testDays: 60 },
  };
  const told: number[] = [];
  const earlier = { sharpes: [0.4, -0.9, null, 1.1] };
  const outcome = await workSweep({ request, variants, historyOf: async () => history, earlier, onProgress: (done) => told.push(done) });
  if (!outcome.ok) throw new Error(outcome.detail);
  const result = JSON.parse(outcome.result) as SweepResult;
  expect(told).toEqual([0, 1, 2, 3, 4, 5, 6]);
  expect(result.counted).toEqual({ total: 10, ofThisSweep: 6, earlier: 4 });

  const alone = variants.map(
    ({ manifest }) =>
      runBacktest({ manifest, history, assumptions: DEFAULT_ASSUMPTIONS, trials: { versions: 1, otherSharpes: [] } }).result,
  );
  expect(
    result.trials.map(({ manifestHash, sharpe, profitUsd, feesUsd, closedTrades }) => [
      manifestHash,
      sharpe,
      profitUsd,
      feesUsd,
      closedTrades,
    ]),
  ).toEqual(alone.map((one) => [one.manifestHash, one.performance.sharpe, one.trades.profitUsd, one.feesUsd, one.trades.closed]));
  const sharpes = alone.map((one) => one.performance.sharpe as number);
  expect(result.best).toBe(sharpes.indexOf(Math.max(...sharpes)));

  const returnsOf = (place: number) => {
    const { daily, capitalUsd } = alone[place] as (typeof alone)[number];
    return daily.map(({ equityUsd }, day) => Number(equityUsd) / Number(day === 0 ? capitalUsd : daily[day - 1]?.equityUsd) - 1);
  };
  const ratios = [...sharpes, 0.4, -0.9, 1.1];
  for (const [place, trial] of result.trials.entries())
    expect(trial.deflatedSharpe as number).toBeCloseTo(deflated(returnsOf(place), ratios, 10), 6);
  // With more trials the same ratio is worth less.
  const fewer = await workSweep({ request, variants, historyOf: async () => history, earlier: { sharpes: [] }, onProgress: () => {} });
  if (!fewer.ok) throw new Error(fewer.detail);
  expect((JSON.parse(fewer.result) as SweepResult).counted.total).toBe(6);

  // The walk consists of the variants' own days, and is one more trial.
  const outside = result.walkForward?.folds.flatMap(({ picked, testFrom, testTo }) => {
    const { daily } = alone[picked] as (typeof alone)[number];
    return returnsOf(picked).filter((_, day) => (daily[day]?.date ?? '') >= testFrom && (daily[day]?.date ?? '') <= testTo);
  });
  const growth = result.walkForward?.daily.at(-1)?.growth as number;
  expect(growth).toBeCloseTo(100 * (outside ?? []).reduce((product, one) => product * (1 + one), 1), 8);
  expect(result.walkForward?.performance.sharpe).toBeCloseTo(annualSharpe(outside ?? []), 8);
  expect(result.walkForward?.deflatedSharpe as number).toBeCloseTo(
    deflated(outside ?? [], [annualSharpe(outside ?? []), ...ratios], 11),
    6,
  );
  expect(outcome.summary).toMatchObject({ variants: 6, trialsCounted: 10, passed: null });
});

test('several threads give the same bytes as one, whatever history a variant needs', async () => {
  const read = readManifest(payload({ universe: ['BTCUSDT'], timeframe: '24h' }));
  if (!read.ok) throw new Error(JSON.stringify(read.problems));
  const parameters = [
    { path: 'stopLossPct', values: [2, 4, 6, 8, 10] },
    { path: 'takeProfitPct', values: [5, 10, 15] },
  ];
  const variants = combineVariants(read.manifest, parameters);
  if (!isVariants(variants)) throw new Error(JSON.stringify(variants));
  const historyOf = (seed: number) =>
    buildHistory('24h', [{ entry: entryOf('BTCUSDT'), candles: walk(draws(seed), START - 300 * DAY, DAY, 300, 30_000) }]);
  const [first, second] = [historyOf(7), historyOf(8)];
  const request: SweepRequest = {
    from: '',
    to: '',
    timeframe: null,
    look: true,
    assumptions: DEFAULT_ASSUMPTIONS,
    parameters,
    walkForward: { trainDays: 90, testDays: 30 },
  };
  const told: number[] = [];
  const work = {
    request,
    variants,
    historyOf: async (variant: Variant) => (variants.indexOf(variant) < 12 ? first : second),
    earlier: { sharpes: [0.3] },
    onProgress: (done: number) => told.push(done),
  };
  const alone = await workSweep(work);
  expect(alone.ok && (JSON.parse(alone.result) as SweepResult).trials).toHaveLength(15);
  told.length = 0;
  expect(await workSweep({ ...work, threads: 3 })).toEqual(alone);
  expect(told.at(-1)).toBe(15);
  expect(told.toSorted((a, b) => a - b)).toEqual(told);
  await expect(
    tryInThreads({ history: { ...first, instruments: [] }, variants, assumptions: DEFAULT_ASSUMPTIONS }, 2, () => {}),
  ).rejects.toThrow();
});

test('a variant with too little history ends the sweep with its reason', async () => {
  const refused = { code: 'insufficient_history', detail: 'too short' };
  const read = readManifest(payload({ universe: ['BTCUSDT'], timeframe: '24h' }));
  if (!read.ok) throw new Error(JSON.stringify(read.problems));
  const variants = combineVariants(read.manifest, [{ path: 'stopLossPct', values: [2, 3] }]);
  if (!isVariants(variants)) throw new Error(JSON.stringify(variants));
  expect(
    await workSweep({
      request: {} as SweepRequest,
      variants,
      historyOf: async () => refused,
      earlier: { sharpes: [] },
      onProgress: () => {},
    }),
  ).toEqual({ ok: false, ...refused });
});
