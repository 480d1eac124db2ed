// Luck of choosing a period: every evaluation counts as a trial, and the gate after backtest requires a result above
// the best that as many worthless trials would show. On real PostgreSQL, compared with the product's own statistics.
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createEvidenceWriter } from '../../../../src/adapters/store/gates/evidence-store.ts';
import { createGateKeeper } from '../../../../src/adapters/store/gates/gate-keeper.ts';
import { type BacktestSeries, type EquityDay, evidenceMetrics } from '../../../../src/domain/agents/evidence.ts';
import { returnsByDay } from '../../../../src/domain/backtest/daily-returns.ts';
import { canonicalHash } from '../../../../src/domain/values/canonical-json.ts';
import { mean, normalCdf, normalQuantile, sampleDeviation } from '../../../../src/domain/values/statistics.ts';
import { computeLuck } from '../../../../src/simulation/backtest/run.ts';
import { seededDraws } from '../../../../src/simulation/stress/seeded-draws.ts';
import { DAY } from '../../../domain/evidence-samples.ts';
import { testDatabase } from '../../../harness/postgres.ts';
import { createGateFixture, type GateFixture } from './gate-fixture.ts';

const DAYS = 1_828;
let fixture: GateFixture;
/** Midnight of the day on which the gates are checked. */
let today: number;
beforeAll(async () => {
  fixture = await createGateFixture(await testDatabase());
  const [clock] = await fixture.superuser<{ at: number }[]>`select at from gate_test_clock`;
  today = Math.floor((clock?.at as number) / DAY) * DAY;
});
afterAll(() => fixture.close());

/** Returns daily returns in percent as a five-year equity curve that ends so many days ago. */
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

/** Creates a finished backtest of an agent over a period other than the gate's. */
const lookAt = (agentId: string, series: BacktestSeries): Promise<string> => {
  const [from, to] = [series.firstCandleAt, series.lastCandleAt + 1].map((at) => new Date(at).toISOString()) as [string, string];
  return fixture.run(agentId, { from, to, look: true }, series);
};

/** Records the evidence of an unsigned run. */
async function evidenceOf(agentId: string, series: BacktestSeries, runId: string) {
  return createEvidenceWriter(fixture.evaluator, fixture.newId).write({
    agentId,
    kind: 'backtest',
    ...fixture.manifestOf(agentId),
    series,
    metrics: evidenceMetrics('backtest', series),
    runId,
    resultHash: canonicalHash(series as never),
  });
}

const gateOf = async (id: string) => {
  const keeper = createGateKeeper({ sql: fixture.app, evidence: createEvidenceWriter(fixture.evaluator, fixture.newId) });
  return keeper.validate({ id, stage: 'backtest', ...fixture.manifestOf(id) }, false);
};
const opened = (id: string, evidenceId: string) =>
  fixture.app`update agents set stage = 'stress_test', stage_evidence = ${evidenceId}, stage_asked_by = 'tina' where id = ${id}`;

/** Returns daily returns in percent without drift. */
function noise(seed: string, days: number): number[] {
  const draws = seededDraws(seed);
  return Array.from({ length: days }, () => 0.2 * draws.normal());
}

/** Returns daily returns in percent over five years with exactly this Sharpe ratio. */
function exactly(sharpe: number): number[] {
  const raw = noise('good', DAYS);
  const middle = mean(raw);
  const drift = (sharpe * sampleDeviation(raw)) / Math.sqrt(365);
  return raw.map((one) => one - middle + drift);
}

/** Strategy slightly better than the gate requires, over the five years that end today. */
const GOOD = exactly(1.85);

test('one attempt with a good strategy opens the gate', async () => {
  const series = seriesOf(GOOD);
  expect(sharpeOf(series)).toBeGreaterThan(1.8);
  const id = await fixture.agentAt('backtest', { evidence: 'absent' });
  const written = await evidenceOf(id, series, await fixture.run(id, {}, series));
  expect(await gateOf(id)).toMatchObject({ passed: true, problems: [] });
  const [luck] = await fixture.app<{ trials: number; expected_best: number }[]>`select * from backtest_luck(${written.id})`;
  expect(luck).toMatchObject({ trials: 1, expected_best: 0 });
  await opened(id, written.id);
});

test('fifty periods of noise are fifty trials of one family, and the newest is refused for luck too', async () => {
  const worthless = await fixture.agentAt('backtest', { evidence: 'absent' });
  const history = noise('worthless', DAYS + 500);
  const stretches = Array.from({ length: 50 }, (_, n) => seriesOf(history.slice(n * 10, n * 10 + DAYS), 500 - n * 10));
  for (const series of stretches) await lookAt(worthless, series);
  const newest = stretches.at(-1) as BacktestSeries;
  const returns = Float64Array.from(
    newest.days,
    ([, close], day) => Number(close) / Number(day === 0 ? 10_000 : newest.days[day - 1]?.[1]) - 1,
  );
  const amongFifty = computeLuck(returns, 365, { versions: 51, otherSharpes: [] }).deflatedSharpe as number;
  expect(amongFifty).toBeLessThan((computeLuck(returns, 365, { versions: 1, otherSharpes: [] }).deflatedSharpe as number) / 2);
  const written = await evidenceOf(worthless, newest, await fixture.run(worthless, {}, newest));
  const [luck] = await fixture.app<{ trials: number; errors_above: number }[]>`select * from backtest_luck(${written.id})`;
  expect(luck?.trials).toBe(51);
  expect(normalCdf(luck?.errors_above as number)).toBeCloseTo(amongFifty, 6);
  expect(await gateOf(worthless)).toMatchObject({ passed: false, problems: [expect.stringMatching(/^51 trials were made of its family/)] });
  await expect(opened(worthless, written.id)).rejects.toThrow(/stays shut/);
});

test('the best result of three hundred periods opens nothing, and only luck prevents it', async () => {
  const series = seriesOf(GOOD);
  const id = await fixture.agentAt('backtest', { evidence: 'absent' });
  const written = await evidenceOf(id, series, await fixture.run(id, {}, series));
  expect(await gateOf(id)).toMatchObject({ passed: true });
  // They share no day with it, but have the same manifest, so they count; the noise of the test above does not.
  for (let n = 0; n < 250; n++) await lookAt(id, seriesOf(GOOD, 5_000 + n));
  expect(await gateOf(id)).toMatchObject({
    passed: false,
    problems: [expect.stringMatching(/^251 trials .* at least 95 % is asked for$/)],
  });
  expect(written.passed).toBe(true);
  await expect(opened(id, written.id)).rejects.toThrow(/the best of 251 worthless trials could show this result by luck/);
});

test('a listing states the luck of all trials up to its publication, not of those before its backtest', async () => {
  const series = seriesOf(GOOD);
  const id = await fixture.agentAt('backtest', { evidence: 'absent' });
  const runId = await fixture.run(id, {}, series);
  const written = await evidenceOf(id, series, runId);
  const result = JSON.stringify({ luck: { versionsTried: 1, expectedBestSharpe: 0, probabilisticSharpe: 0.99, deflatedSharpe: 0.99 } });
  await fixture.superuser`
    insert into evaluation_reports (run_id, result_hash, result) values (${runId}, encode(sha256(convert_to(${result}, 'UTF8')), 'hex'), ${result})`;
  for (let n = 0; n < 20; n++) await lookAt(id, seriesOf(GOOD, 5_000 + n));
  const [now] = await fixture.app<
    { trials: number; expected_best: number; errors_above: number }[]
  >`select * from backtest_luck(${written.id})`;
  const [listed] = await fixture.app<{ luck: unknown }[]>`
    select listing_evidence(${id}, ${fixture.manifestOf(id).manifestVersion}) -> 'luck' as luck`;
  expect(now?.trials).toBeGreaterThan(20);
  expect(listed?.luck).toEqual({
    versionsTried: now?.trials,
    expectedBestSharpe: now?.expected_best,
    probabilisticSharpe: 0.99,
    deflatedSharpe: expect.closeTo(normalCdf(now?.errors_above as number), 12),
  });
});

test('copies make the gate harder: they do not narrow the spread of what was tried', async () => {
  const id = await fixture.agentAt('draft', { evidence: 'absent' });
  // Returns of their own, so that nothing of the other tests is of the family.
  await fixture.addVersion(id, { stopLossPct: 21 });
  const { manifestVersion, manifestHash } = fixture.manifestOf(id);
  await fixture.app`update agents set stage = 'draft', manifest_version = ${manifestVersion}, manifest_hash = ${manifestHash} where id = ${id}`;
  const raw = noise('copied', DAYS);
  const series = seriesOf(raw.map((one) => one - mean(raw) + (1.85 * sampleDeviation(raw)) / Math.sqrt(365)));
  const runId = await fixture.run(id, {}, series);
  const written = await evidenceOf(id, series, runId);
  const tried = (from: number, until: number, sharpe: string) => fixture.superuser`
    insert into trials (org_id, run_id, manifest_hash, sharpe, first_day, returns)
    select t.org_id, t.run_id, encode(sha256(convert_to('copied ' || n, 'UTF8')), 'hex'), ${fixture.superuser.unsafe(sharpe)}, t.first_day, t.returns
    from trials t, generate_series(${from}::int, ${until}::int) as n where t.run_id = ${runId} and t.manifest_hash = ${manifestHash}`;
  const luck = async () =>
    (
      await fixture.app<{ trials: number; expected_best: number; errors_above: number }[]>`select * from backtest_luck(${written.id})`
    )[0] as {
      trials: number;
      expected_best: number;
      errors_above: number;
    };
  await tried(1, 50, '-0.5 + n * 0.045');
  const before = await luck();
  expect(before.trials).toBe(51);
  expect(normalCdf(before.errors_above)).toBeLessThan(0.95);
  await tried(51, 5_050, String(sharpeOf(series)));
  const after = await luck();
  expect(after.trials).toBe(5_051);
  expect(after.expected_best).toBeGreaterThan(before.expected_best);
  const returns = Float64Array.from(
    series.days,
    ([, close], day) => Number(close) / Number(day === 0 ? 10_000 : series.days[day - 1]?.[1]) - 1,
  );
  const others = [
    ...Array.from({ length: 50 }, (_, n) => -0.5 + (n + 1) * 0.045),
    ...Array.from({ length: 5_000 }, () => sharpeOf(series)),
  ];
  expect(computeLuck(returns, 365, { versions: 5_051, otherSharpes: others }).expectedBestSharpe).toBeCloseTo(after.expected_best, 6);
});

test('a family has correlated returns: different rules count from a correlation of 0.5, equal rules below it do not', async () => {
  const series = seriesOf(GOOD);
  const id = await fixture.agentAt('backtest', { evidence: 'absent' });
  await fixture.addVersion(id, { stopLossPct: 11 });
  const { manifestVersion, manifestHash } = fixture.manifestOf(id);
  await fixture.app`update agents set stage = 'draft', manifest_version = ${manifestVersion}, manifest_hash = ${manifestHash} where id = ${id}`;
  const written = await evidenceOf(id, series, await fixture.run(id, {}, series));
  const trials = async () =>
    (await fixture.app<{ trials: number }[]>`select trials from backtest_luck(${written.id})`)[0]?.trials as number;
  const before = await trials();
  const other = noise('other', DAYS);
  const moving = (correlation: number) =>
    seriesOf(GOOD.map((one, day) => correlation * one + Math.sqrt(1 - correlation ** 2) * (other[day] as number)));
  const stranger = await fixture.agentAt('draft', { evidence: 'absent' });
  let counted = before;
  for (const [stopLossPct, correlation, counts] of [
    [12, 0.6, true],
    [13, 0.4, false],
    [14, -0.9, false],
    [15, 0.99, true],
  ] as const) {
    await fixture.addVersion(stranger, { stopLossPct, entry: [...fixture.manifest.entry, { type: 'price_above', price: '1' }] });
    await fixture.run(stranger, {}, moving(correlation));
    counted += counts ? 1 : 0;
    expect(await trials(), `a correlation of ${correlation}`).toBe(counted);
  }
  // A version with different returns is a different idea.
  await fixture.addVersion(id, { stopLossPct: 16 });
  await fixture.run(id, {}, moving(0.1));
  expect(await trials()).toBe(counted);
});

test('daily returns and their correlation equal those of the statistics, over the common period only', async () => {
  const curve = fc.array(fc.option(fc.integer({ min: 9_000, max: 11_000 }), { freq: 6 }), { minLength: 1, maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(fc.nat(20), curve, fc.nat(20), curve, async (first, one, second, other) => {
      const days = (from: number, closes: readonly (number | null)[]) =>
        closes.flatMap((close, n) => (close === null ? [] : [[(from + n) * DAY, String(close)] as const]));
      const [a, b] = [days(first, one), days(second, other)];
      if (a.length === 0 || b.length === 0) return;
      const [x, y] = [returnsByDay('10000', a), returnsByDay('10000', b)];
      const [row] = await fixture.app<{ first_day: number; returns: (number | null)[]; correlation: number | null }[]>`
        select d.first_day, to_jsonb(d.returns) as returns, returns_correlation(d.first_day, d.returns, ${y.firstDay}, ${`{${y.returns.map((r) => r ?? 'NULL').join(',')}}`}::text::real[]) as correlation
        from daily_returns(10000, ${`{${a.map(([day]) => day).join(',')}}`}::text::bigint[], ${`{${a.map(([, close]) => close).join(',')}}`}::text::float8[]) d`;
      expect(row?.first_day).toBe(x.firstDay);
      expect(row?.returns).toEqual(x.returns.map((r) => (r === null ? null : expect.closeTo(r, 5))));
      const common = x.returns.flatMap((r, n) => {
        const s = y.returns[n + x.firstDay - y.firstDay];
        return r === null || s === null || s === undefined ? [] : [[r, s] as const];
      });
      const [mx, my] = [0, 1].map((side) => common.reduce((sum, pair) => sum + (pair[side] as number), 0) / common.length) as [
        number,
        number,
      ];
      const sum = (of: (r: number, s: number) => number) => common.reduce((all, [r, s]) => all + of(r - mx, s - my), 0);
      const spread = Math.sqrt(sum((r) => r * r) * sum((_, s) => s * s));
      if (common.length < 2 || spread < 1e-9) return;
      expect(row?.correlation).toBeCloseTo(sum((r, s) => r * s) / spread, 4);
    }),
    { numRuns: 60 },
  );
});

test('the database’s quantile equals that of the statistics', async () => {
  for (const p of [1e-9, 0.001, 0.02, 0.024_25, 0.3, 0.5, 0.77, 0.98, 0.999, 1 - 1e-9]) {
    const [row] = await fixture.app<{ q: number }[]>`select normal_quantile(${p}::float8) as q`;
    expect(row?.q).toBeCloseTo(normalQuantile(p), 7);
  }
});

test('the database’s distribution function equals that of the statistics', async () => {
  for (const x of [-1e6, -40, -36, -9, -4, -3.99, -1.6, 0, 1e-12, 0.3, 1.645, 3.99, 4, 8, 38]) {
    const [row] = await fixture.app<{ p: number }[]>`select normal_cdf(${x}::float8) as p`;
    expect(row?.p).toBeCloseTo(normalCdf(x), 13);
  }
});

test('the text of a series is parsed once, whatever is read from it', async () => {
  const [row] = await fixture.app<{ text: string }[]>`select pg_get_functiondef('backtest_luck(uuid)'::regprocedure) as text`;
  expect(row?.text.match(/series::json/g)).toHaveLength(1);
});
