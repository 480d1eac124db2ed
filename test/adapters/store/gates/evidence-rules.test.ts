// The rules of the gates exist twice, in TypeScript and in SQL: both give the same metrics, checks and verdicts.
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openDatabase, type Sql } from '../../../../src/adapters/store/database.ts';
import { type BacktestRequest, isLook, readBacktestRequest } from '../../../../src/domain/backtest/request.ts';
import { canonicalJson } from '../../../../src/domain/values/canonical-json.ts';
import { assessEvidence, type EvidenceKind, type EvidenceSeries, evidenceMetrics } from '../../../../src/domain/agents/evidence.ts';
import { sampleManifest } from '../../../actors/agent/sample.ts';
import {
  anyBacktest,
  anyPaper,
  anyShadow,
  anyStress,
  backtestSeries,
  FIRST_DAY,
  paperSeries,
  shadowSeries,
  stressSeries,
} from '../../../domain/evidence-samples.ts';
import { testDatabase } from '../../../harness/postgres.ts';

let sql: Sql;
beforeAll(async () => {
  sql = openDatabase({ url: await testDatabase(), name: 'test', connections: 4 });
});
afterAll(() => sql.end());

interface Found {
  problem: string | null;
  metrics: { [name: string]: number | null };
  checks: ReturnType<typeof assessEvidence>['checks'];
  passes: boolean;
  follow: boolean;
}

async function bySql<Kind extends EvidenceKind>(kind: Kind, series: EvidenceSeries[Kind]): Promise<Found> {
  const text = canonicalJson(series as never);
  const metrics = canonicalJson(evidenceMetrics(kind, series) as never);
  const [row] = await sql<Found[]>`
    select series_problem(${kind}, ${text}::text::jsonb) as problem, evidence_metrics(${kind}, ${text}::text::jsonb) as metrics,
      evidence_checks(${kind}, ${text}::text::jsonb) as checks, evidence_passes(${kind}, ${text}::text::jsonb) as passes,
      metrics_follow(${metrics}::text::jsonb, ${kind}, ${text}::text::jsonb) as follow`;
  return row as Found;
}

async function agree<Kind extends EvidenceKind>(kind: Kind, series: EvidenceSeries[Kind]): Promise<boolean> {
  const metrics = evidenceMetrics(kind, series);
  const verdict = assessEvidence(kind, metrics);
  const found = await bySql(kind, series);
  expect(found.problem).toBe(null);
  expect(Object.keys(found.metrics).sort()).toEqual(Object.keys(metrics).sort());
  for (const [name, value] of Object.entries(metrics)) {
    if (value === null) expect(found.metrics[name], name).toBe(null);
    else expect(Math.abs((found.metrics[name] as number) - value), name).toBeLessThanOrEqual(1e-6 * Math.max(1, Math.abs(value)));
  }
  expect(found.follow).toBe(true);
  expect(found.checks.map(({ name, rule, passed }) => [name, rule, passed])).toEqual(
    verdict.checks.map(({ name, rule, passed }) => [name, rule, passed]),
  );
  for (const [n, check] of verdict.checks.entries())
    expect(found.checks[n]?.limit ?? null).toEqual(check.limit === null ? null : expect.closeTo(check.limit, 6));
  expect(found.passes).toBe(verdict.passed);
  return verdict.passed;
}

test('any backtest, stress test, paper and shadow series is assessed equally in TypeScript and SQL', async () => {
  await fc.assert(
    fc.asyncProperty(anyBacktest, anyStress, anyPaper, anyShadow, async (backtest, stress, paper, shadow) => {
      await Promise.all([agree('backtest', backtest), agree('stress_test', stress), agree('paper', paper), agree('shadow', shadow)]);
    }),
    { numRuns: 60 },
  );
});

test('a series that passes its gate passes in both, and one just short of it in neither', async () => {
  expect(await agree('backtest', backtestSeries())).toBe(true);
  expect(await agree('backtest', backtestSeries({ days: 1_825 }))).toBe(false);
  expect(await agree('backtest', backtestSeries({ driftPct: 0.02 }))).toBe(false);
  expect(await agree('backtest', backtestSeries({ dipPct: 10.5 }))).toBe(false);
  expect(await agree('stress_test', stressSeries())).toBe(true);
  expect(await agree('stress_test', stressSeries({ breaches: 1 }))).toBe(false);
  expect(await agree('stress_test', stressSeries({ equityUsd: ['9700'] }))).toBe(true);
  expect(await agree('stress_test', stressSeries({ equityUsd: ['9690'] }))).toBe(false);
  expect(await agree('stress_test', stressSeries({ severity: 'severe' }))).toBe(false);
  expect(await agree('paper', paperSeries(FIRST_DAY + 5_000, 14))).toBe(true);
  expect(await agree('paper', paperSeries(FIRST_DAY + 5_000, 13))).toBe(false);
  expect(await agree('paper', paperSeries(FIRST_DAY + 5_000, 20, -0.1))).toBe(false);
  // Predicted 6, paid 7 and 12: the band ends at 11, plus an error of 0.3. Without predictions, or with too few fills, the cost is unknown.
  const paper = paperSeries(FIRST_DAY + 5_000, 14);
  expect(await agree('paper', paperSeries(FIRST_DAY + 5_000, 14, 0.2, 11))).toBe(false);
  expect(await agree('paper', { ...paper, promisedBps: null })).toBe(false);
  expect(await agree('paper', { ...paper, costs: paper.costs?.slice(0, 9) ?? [] })).toBe(false);
  expect(await agree('shadow', shadowSeries(FIRST_DAY))).toBe(true);
  expect(await agree('shadow', shadowSeries(FIRST_DAY, 50, 40))).toBe(false);
  expect(await agree('manifest', sampleManifest())).toBe(true);
  for (const broken of [
    { universe: [] },
    { stopLossPct: 0 },
    { maxDailyDrawdownPct: 100 },
    { maxTradeNotionalUsd: '10000.01' },
    { maxCapitalUsd: '0' },
  ])
    expect(await agree('manifest', sampleManifest(broken))).toBe(false);
  expect(await agree('risk_signoff', { subject: 'rita', approved: true, comment: '' })).toBe(true);
  expect(await agree('risk_signoff', { subject: 'rita', approved: false, comment: '' })).toBe(false);
});

test('a shadow passes only if its expected slippage plus its error is within the budget', async () => {
  const series = shadowSeries(FIRST_DAY, 10);
  const costing = (costs: readonly number[]) => ({
    ...series,
    orders: series.orders.map(([at, , decision, , quantity, outcome, given], n) => {
      const price = (100 * (1 + (costs[n] as number) / 10_000)).toFixed(4);
      return [at, 'buy', decision, price, quantity, outcome, given, price] as const;
    }),
  });
  // Both have a mean of 8. Twelve of the one kind give it exactly, of the other with a standard error of 2.3.
  expect(await agree('shadow', costing(Array.from({ length: 12 }, () => 8)))).toBe(true);
  expect(await agree('shadow', costing(Array.from({ length: 12 }, (_, n) => (n % 2 === 0 ? 0 : 16))))).toBe(false);
});

test('a run is a rehearsal in both', async () => {
  const day = 86_400_000;
  const anyRequest = fc.record({
    at: fc.integer({ min: Date.UTC(2024, 0, 1), max: Date.UTC(2030, 0, 1) }),
    late: fc.constantFrom(0, 30_000, 90_000),
    from: fc.constantFrom(undefined, -day, -1, day),
    to: fc.constantFrom(undefined, -day, -1),
    timeframe: fc.constantFrom(undefined, '1h', '60m', '12h'),
    look: fc.boolean(),
  });
  const looks: boolean[] = [];
  await fc.assert(
    fc.asyncProperty(anyRequest, async ({ at, late, from, to, timeframe, look }) => {
      const whole = readBacktestRequest({ timeframe, look }, at) as BacktestRequest;
      const moved = (text: string, by = 0) => new Date(Date.parse(text) + by).toISOString();
      const request = { ...whole, from: moved(whole.from, from), to: moved(whole.to, to) };
      const [row] = await sql<{ look: boolean }[]>`select is_look(${sql.json(request as never)}, '1h', ${at + late}) as look`;
      expect(row?.look).toBe(isLook(request, '1h', at + late));
      looks.push(row?.look as boolean);
    }),
    { numRuns: 200 },
  );
  expect(new Set(looks).size).toBe(2);
  const leapDay = Date.UTC(2028, 1, 29, 12);
  expect(isLook(readBacktestRequest({}, leapDay) as BacktestRequest, '1h', leapDay)).toBe(false);
});

test('a series with missing or contradictory days is refused with the reason', async () => {
  const good = backtestSeries();
  const problem = async (series: unknown, kind: EvidenceKind = 'backtest') =>
    (await sql<{ problem: string | null }[]>`select series_problem(${kind}, ${JSON.stringify(series)}::text::jsonb) as problem`)[0]
      ?.problem ?? null;
  expect(await problem(good)).toBe(null);
  expect(await problem({ ...good, days: good.days.filter((_, n) => n !== 700) })).toMatch(/missing or out of order/);
  expect(await problem({ ...good, days: [] })).toMatch(/no days/);
  expect(await problem({ ...good, days: good.days.map(([at, close, high, low], n) => [at, close, high, n === 9 ? '0' : low, 0]) })).toMatch(
    /contradict/,
  );
  expect(await problem({ ...good, days: good.days.map(([at, close, high, low]) => [at, close, high, low, 101]) })).toMatch(/contradict/);
  expect(await problem({ ...good, firstCandleAt: good.firstCandleAt - 400 * 86_400_000 })).toMatch(/begin/);
  expect(await problem({ ...good, lastCandleAt: good.lastCandleAt + 400 * 86_400_000 })).toMatch(/end/);
  expect(await problem({ ...good, annualisation: 1_000 })).toMatch(/annualisation/);
  expect(await problem({ ...stressSeries(), runs: [{ ...stressSeries().runs[0], equityUsd: [] }] }, 'stress_test')).toMatch(/no marks/);
  const paper = paperSeries(FIRST_DAY, 14);
  expect(await problem({ ...paper, days: [...paper.days].reverse() }, 'paper')).toMatch(/out of order/);
  expect(await problem({ ...paper, trades: [[paper.enteredAt - 1, '5']] }, 'paper')).toMatch(/outside/);
  const shadow = shadowSeries(FIRST_DAY);
  expect(await problem({ ...shadow, orders: [[shadow.enteredAt - 1, 'buy', '1', '1', '1', 'measured', '1', '1']] }, 'shadow')).toMatch(
    /outside/,
  );
});

test('metrics that do not follow from their series are refused: a better Sharpe ratio, a missing one, an extra one', async () => {
  const series = backtestSeries();
  const text = canonicalJson(series as never);
  const metrics = evidenceMetrics('backtest', series);
  const follow = async (claimed: unknown) =>
    (
      await sql<
        { follow: boolean }[]
      >`select metrics_follow(${JSON.stringify(claimed)}::text::jsonb, 'backtest', ${text}::text::jsonb) as follow`
    )[0]?.follow;
  expect(await follow(metrics)).toBe(true);
  expect(await follow({ ...metrics, sharpe: (metrics['sharpe'] as number) + 0.01 })).toBe(false);
  expect(await follow({ ...metrics, sharpe: null })).toBe(false);
  expect(await follow({ ...metrics, extra: 1 })).toBe(false);
  const { sharpe: _, ...without } = metrics;
  expect(await follow(without)).toBe(false);
});

test('changed rules raise their version, so that agents on old evidence are held', async () => {
  const rows = await sql<{ kind: string; version: number; rules: string }[]>`
    select k.kind, gate_rules_version(k.kind) as version, md5(f.prosrc || (
      select string_agg(concat_ws(' ', r.name, r.metric, r.rule, r.gate_limit), ',' order by r.place)
      from gate_rules(k.kind, '{"requiredDays": 1826, "lossLimitPct": 10, "maxSlippageBps": 30, "errorLimitBps": 15}') r)) as rules
    from unnest(array['manifest', 'backtest', 'stress_test', 'paper', 'shadow']) as k(kind)
    join pg_proc f on f.proname = replace(k.kind, '_test', '') || '_metrics' and f.pronamespace = 'public'::regnamespace`;
  // If this differs, a migration has changed the rules of a kind: it must raise `gate_rules_version` and list the recorded evidence in
  // `superseded_evidence`.
  expect(Object.fromEntries(rows.map(({ kind, version, rules }) => [kind, [version, rules]]))).toEqual({
    manifest: [2, '27ac868f00e6556ce3d3022eb1238265'],
    backtest: [7, '38864754e9b78cd535e4e1a97a3d6af9'],
    stress_test: [3, '2eab939f4404aa939e2f5b56e555ec30'],
    paper: [6, '7a80a31523254007c1b2f688e203a904'],
    shadow: [3, '42a566881ee4301be8e4d11767ffee90'],
  });
});
