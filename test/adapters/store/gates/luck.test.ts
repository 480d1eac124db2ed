// The luck of choosing a stretch: every evaluation counts as a trial, and the gate out of backtest asks whether the result lies above
// what the best of as many worthless trials shows. On real PostgreSQL, beside the product's own statistics.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createEvidenceWriter } from '../../../../src/adapters/store/gates/evidence-store.ts';
import { createGateKeeper } from '../../../../src/adapters/store/gates/gate-keeper.ts';
import { canonicalHash } from '../../../../src/domain/canonical-json.ts';
import { type BacktestSeries, type EquityDay, evidenceMetrics } from '../../../../src/domain/evidence.ts';
import { normalCdf, normalQuantile } from '../../../../src/domain/normal-distribution.ts';
import { mean, sampleDeviation } from '../../../../src/simulation/backtest/performance.ts';
import { luckOf } from '../../../../src/simulation/backtest/run.ts';
import { seededDraws } from '../../../../src/simulation/stress/seeded-draws.ts';
import { DAY } from '../../../domain/evidence-samples.ts';
import { testDatabase } from '../../../harness/postgres.ts';
import { createGateFixture, type GateFixture } from './gate-fixture.ts';

const DAYS = 1_828;
let stage: GateFixture;
/** Midnight of the day on which the gates are asked. */
let today: number;
beforeAll(async () => {
  stage = await createGateFixture(await testDatabase());
  const [clock] = await stage.superuser<{ at: number }[]>`select at from gate_test_clock`;
  today = Math.floor((clock?.at as number) / DAY) * DAY;
});
afterAll(() => stage.close());

/** Daily returns in percent as the equity curve of five years that end so many days ago. */
function seriesOf(returnsPct: readonly number[], endsDaysAgo = 0): BacktestSeries {
  const firstDay = today - (returnsPct.length + endsDaysAgo) * DAY;
  let equity = 10_000;
  const days = returnsPct.map((pct, day): EquityDay => {
    const before = equity;
    equity *= 1 + pct / 100;
    const [low, high] = [Math.min(before, equity), Math.max(before, equity)];
    return [firstDay + day * DAY, equity.toFixed(6), high.toFixed(6), low.toFixed(6), Number((((high - low) / high) * 100).toFixed(9))];
  });
  return {
    startEquityUsd: '10000',
    firstCandleAt: firstDay,
    lastCandleAt: firstDay + returnsPct.length * DAY - 1,
    annualisation: 365,
    days,
    fills: 240,
    closedTrades: 120,
    slippageBps: 6,
  };
}

const sharpeOf = (series: BacktestSeries): number => evidenceMetrics('backtest', series)['sharpe'] as number;

/** A finished backtest of an agent over a stretch that is not the gate's. */
const lookAt = (agentId: string, from: number, sharpe: number): Promise<string> =>
  stage.run(agentId, { from: new Date(from).toISOString(), to: new Date(from + DAYS * DAY).toISOString(), look: true }, sharpe);

/** The evidence of a run, whose row nobody signs here. */
async function evidenceOf(agentId: string, series: BacktestSeries, runId: string) {
  return createEvidenceWriter(stage.evaluator, stage.newId).write({
    agentId,
    kind: 'backtest',
    ...stage.manifestOf(agentId),
    series,
    metrics: evidenceMetrics('backtest', series),
    runId,
    resultHash: canonicalHash(series as never),
  });
}

const gateOf = async (id: string) => {
  const keeper = createGateKeeper({ sql: stage.app, evidence: createEvidenceWriter(stage.evaluator, stage.newId) });
  return keeper.validate({ id, stage: 'backtest', ...stage.manifestOf(id) }, false);
};
const opened = (id: string, evidenceId: string) =>
  stage.app`update agents set stage = 'stress_test', stage_evidence = ${evidenceId}, stage_asked_by = 'tina' where id = ${id}`;

/** Returns in percent that say nothing: about no drift. */
function noise(seed: string, days: number): number[] {
  const draws = seededDraws(seed);
  return Array.from({ length: days }, () => 0.2 * draws.normal());
}

/** Returns in percent of five years whose own Sharpe ratio is this one. */
function exactly(sharpe: number): number[] {
  const raw = noise('good', DAYS);
  const middle = mean(raw);
  const drift = (sharpe * sampleDeviation(raw)) / Math.sqrt(365);
  return raw.map((one) => one - middle + drift);
}

/** A strategy that is a little better than the gate asks for, over the five years that end today. */
const GOOD = exactly(1.85);
const FIVE_YEARS_AGO = (): number => today - DAYS * DAY;

test('one try of a good strategy opens the gate', async () => {
  const series = seriesOf(GOOD);
  expect(sharpeOf(series)).toBeGreaterThan(1.8);
  const id = await stage.agentAt('backtest', { evidence: 'absent' });
  const written = await evidenceOf(id, series, await stage.run(id, {}, sharpeOf(series)));
  expect(await gateOf(id)).toMatchObject({ passed: true, problems: [] });
  const [luck] = await stage.app<{ trials: number; expected_best: number }[]>`select * from backtest_luck(${written.id})`;
  expect(luck).toMatchObject({ trials: 1, expected_best: 0 });
  await opened(id, written.id);
});

test('fifty stretches of noise are fifty trials: the best of them is refused for its luck too, and one try of a good strategy passes', async () => {
  const worthless = await stage.agentAt('backtest', { evidence: 'absent' });
  const history = noise('worthless', DAYS + 500);
  const stretches = Array.from({ length: 50 }, (_, n) => ({
    from: today - (history.length - n * 10) * DAY,
    returns: history.slice(n * 10, n * 10 + DAYS),
  }));
  const tried = stretches.map(({ from, returns }) => ({ from, series: seriesOf(returns), sharpe: sharpeOf(seriesOf(returns)) }));
  const best = tried.reduce((one, other) => (other.sharpe > one.sharpe ? other : one));
  for (const { from, sharpe } of tried) await lookAt(worthless, from, sharpe);
  // Alone it would look like something: that its true Sharpe ratio is above zero seems likely.
  const returns = Float64Array.from(
    best.series.days,
    ([, close], day) => Number(close) / Number(day === 0 ? 10_000 : best.series.days[day - 1]?.[1]) - 1,
  );
  const alone = luckOf(returns, 365, { versions: 1, otherSharpes: [] }).deflatedSharpe as number;
  const amongFifty = luckOf(returns, 365, { versions: 51, otherSharpes: [] }).deflatedSharpe as number;
  expect(amongFifty).toBeLessThan(alone / 2);
  const written = await evidenceOf(worthless, best.series, await stage.run(worthless, {}, best.sharpe));
  const [luck] = await stage.app<{ trials: number; errors_above: number }[]>`select * from backtest_luck(${written.id})`;
  // With the one try of before, which was another stretch of the same manifest.
  expect(luck?.trials).toBe(51);
  expect(normalCdf(luck?.errors_above as number)).toBeCloseTo(amongFifty, 6);
  expect(await gateOf(worthless)).toMatchObject({ passed: false, problems: [expect.stringMatching(/^51 trials were made of its family/)] });
  await expect(opened(worthless, written.id)).rejects.toThrow(/stays shut/);
});

test('the same result as the best of three hundred stretches opens nothing, and nothing but luck stands in the way', async () => {
  const series = seriesOf(GOOD);
  const id = await stage.agentAt('backtest', { evidence: 'absent' });
  const written = await evidenceOf(id, series, await stage.run(id, {}, sharpeOf(series)));
  expect(await gateOf(id)).toMatchObject({ passed: true });
  for (let n = 0; n < 250; n++) await lookAt(id, FIVE_YEARS_AGO() - (10_000 + n) * DAY, 0.4);
  // Over fifty stretches of noise, the one try of the first test, which is this one, and these.
  expect(await gateOf(id)).toMatchObject({
    passed: false,
    problems: [expect.stringMatching(/^301 trials .* at least 95 % is asked for$/)],
  });
  expect(written.passed).toBe(true);
  await expect(opened(id, written.id)).rejects.toThrow(/the best of 301 worthless trials could show this result by luck/);
});

test('the quantile of the database is the one of the statistics', async () => {
  for (const p of [1e-9, 0.001, 0.02, 0.024_25, 0.3, 0.5, 0.77, 0.98, 0.999, 1 - 1e-9]) {
    const [row] = await stage.app<{ q: number }[]>`select normal_quantile(${p}::float8) as q`;
    expect(row?.q).toBeCloseTo(normalQuantile(p), 7);
  }
});

test('the text of a series is parsed once, whatever is taken from it', async () => {
  const [row] = await stage.app<{ text: string }[]>`select pg_get_functiondef('backtest_luck(uuid)'::regprocedure) as text`;
  expect(row?.text.match(/series::json/g)).toHaveLength(1);
});
