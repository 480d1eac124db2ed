// Stress test of an agent: who survives, who does not and why, always with the same bytes.
import { describe, expect, test } from 'vitest';
import { Decimal } from '../../../src/domain/values/decimal.ts';
import { assessEvidence, evidenceMetrics } from '../../../src/domain/agents/evidence.ts';
import type { Manifest } from '../../../src/domain/manifest/manifest.ts';
import { DEFAULT_PREFERENCES } from '../../../src/domain/risk/preferences.ts';
import { STRESS_SCENARIOS, type StressScenario } from '../../../src/simulation/stress/scenario.ts';
import { stressMarkets } from '../../../src/simulation/stress/stress-market.ts';
import { stressReportPage } from '../../../src/simulation/stress/stress-report.ts';
import { runStressTest, type StressRunReport, type StressTestOptions, stressSeries } from '../../../src/simulation/stress/stress-run.ts';
import { condition, sampleManifest } from '../../actors/agent/sample.ts';

function stressed(manifest: Manifest, changes: Partial<StressTestOptions> = {}) {
  const result = runStressTest({
    agentId: '00000000-0000-7000-8000-0000000000aa',
    manifest,
    manifestVersion: 1,
    preferences: DEFAULT_PREFERENCES,
    markets: stressMarkets(manifest, new Map()),
    seeds: [1],
    ...changes,
  });
  if (result === null) throw new Error('the stress test was cancelled');
  return result;
}

function verdictOf(manifest: Manifest, runs: readonly StressRunReport[]) {
  const series = stressSeries(manifest, { runs });
  return assessEvidence('stress_test', evidenceMetrics('stress_test', series));
}

/** Manifest with a twentieth of its capital per position, two at most, and a stop of three percent. */
const PRUDENT = sampleManifest({
  universe: [
    { key: 'spotchain:AAPLx', kind: 'tokenized_equity' },
    { key: 'spotchain:NVDAx', kind: 'tokenized_equity' },
  ],
  maxTradeNotionalUsd: '500',
  stopLossPct: 3,
});

/** Manifest with everything in one share and no exit. */
const NO_STOP = sampleManifest({ stopLossPct: 0, takeProfitPct: 0, exit: [], maxTradeNotionalUsd: '10000', maxOpenPositions: 1 });
/** Manifest with everything in one token of a small pool. */
const ONE_POOL = sampleManifest({
  universe: [{ key: 'spotchain:FIGUREAI', kind: 'pre_ipo' }],
  entry: [condition('price_above', { price: '1' })],
  exit: [],
  maxTradeNotionalUsd: '10000',
  maxOpenPositions: 1,
  stopLossPct: 3,
});
/** Manifest that buys every discount, as large as it may. */
const KNIFE_CATCHER = sampleManifest({
  entry: [condition('premium_below', { pct: -1 })],
  exit: [],
  maxTradeNotionalUsd: '9000',
  maxOpenPositions: 1,
  stopLossPct: 3,
  takeProfitPct: 2,
});

test('a prudent agent survives all four scenarios, by its own result and by the gate’s rules', () => {
  const { runs, survived } = stressed(PRUDENT);
  expect(runs.map(({ scenario, severity }) => `${scenario} ${severity}`)).toEqual(
    STRESS_SCENARIOS.flatMap((scenario) => [`${scenario} standard`, `${scenario} severe`]),
  );
  expect(runs.flatMap(({ findings }) => findings)).toEqual([]);
  expect(survived).toBe(true);
  expect(verdictOf(PRUDENT, runs)).toMatchObject({ passed: true });
  for (const run of runs) {
    // It held something at the shock and nothing at the end; the shock caused a loss.
    expect(run.ownPositions.length + run.forcedPositions.length).toBe(2);
    expect(run.flatAfterMinutes).not.toBeNull();
    expect(run.lossPct).toBeGreaterThan(0);
    expect(run.stuckUsd).toBe('0');
  }
});

test.each<[StressScenario, string, Manifest]>([
  ['flash_crash', 'without a stop-loss', NO_STOP],
  ['weekend_gap', 'with everything in one share', NO_STOP],
  ['liquidity_freeze', 'with its capital in one small pool', ONE_POOL],
  ['reference_depeg', 'that buys every discount', KNIFE_CATCHER],
])('%s: an agent %s does not survive, and the reason is stated', (scenario, _, manifest) => {
  const { runs, survived } = stressed(manifest, { scenarios: [scenario], severities: ['standard'] });
  expect(survived).toBe(false);
  expect(runs[0]?.survived).toBe(false);
  expect(runs[0]?.findings[0]).toMatch(/^it lost [\d.]+ % of its capital; survived are 3 %$/);
  // Failing means losing, not exceeding the mandate.
  expect(runs[0]).toMatchObject({ breaches: 0, unsafeFills: 0 });
  const failed = verdictOf(manifest, runs).checks.filter(({ passed }) => !passed);
  expect(failed.map(({ name }) => name)).toContain(`${scenario}_loss_pct`);
});

test('while a market is frozen every exit is refused, and executed afterwards', () => {
  const { runs } = stressed(ONE_POOL, { scenarios: ['liquidity_freeze'], severities: ['standard'] });
  expect(runs[0]?.refusedWhileFrozen).toBeGreaterThan(10);
  expect(runs[0]?.refused['quote_not_live']).toBe(runs[0]?.refusedWhileFrozen);
  expect(runs[0]?.flatAfterMinutes).toBeGreaterThan(22);
  expect(runs[0]?.unsafeFills).toBe(0);
});

test('an agent that can hold nothing survives nothing', () => {
  const { runs, survived } = stressed(PRUDENT, {
    scenarios: ['flash_crash'],
    severities: ['standard'],
    preferences: { ...DEFAULT_PREFERENCES, reduceOnly: true },
  });
  expect(survived).toBe(false);
  expect(runs[0]?.findings).toEqual(['it held nothing at the shock: no position could be given to it']);
  expect(verdictOf(PRUDENT, runs).checks.find(({ name }) => name === 'flash_crash_runs')).toMatchObject({ observed: 0, passed: false });
});

/** Manifest that buys whatever is quoted and exits at two percent, on the exchange where orders rest and are sliced. */
const ON_EXCHANGE = sampleManifest({
  universe: [
    { key: 'spotexchange:BTCUSDT', kind: 'spot' },
    { key: 'spotexchange:ETHUSDT', kind: 'spot' },
  ],
  entry: [condition('price_above', { price: '1' })],
  exit: [condition('held_longer_than', { hours: 0 })],
  stopLossPct: 3,
});

test.each<[Manifest['algorithm'], number]>([
  ['smart_order_routing_maker_first', 1],
  ['twap', 3],
])('orders by %s are executed in parts, within the mandate and at real prices', (algorithm, parts) => {
  const manifest = { ...ON_EXCHANGE, algorithm, urgency: 'high' } as const;
  const scope = { scenarios: ['flash_crash', 'liquidity_freeze'], severities: ['standard'] } as const;
  const { runs } = stressed(manifest, scope);
  const taken = stressed({ ...manifest, algorithm: 'taker_immediate' }, scope).runs;
  for (const [index, run] of runs.entries()) {
    expect(run).toMatchObject({ breaches: 0, unsafeFills: 0, stuckUsd: '0' });
    expect(run.flatAfterMinutes).not.toBeNull();
    expect(taken[index]?.restedFills).toBeUndefined();
    if (algorithm === 'twap') {
      expect(run.restedFills).toBe(0);
      // Each order has at least two slices; the next order starts as many minutes later as it takes itself.
      expect(run.fills).toBeGreaterThan((taken[index]?.fills ?? 0) * (parts - 1));
    } else {
      expect(run.restedFills).toBeGreaterThan(0);
      expect(run.restedFills).toBeLessThan(run.fills);
    }
  }
});

test('over a weekend an agent trades by the carried reference only if its session rule allows it', () => {
  const weekend = (carriedReference: boolean) =>
    sampleManifest({
      entry: [condition('premium_below', { pct: 0 }), { type: 'session_in', sessions: ['CLOSED'], carriedReference }],
      exit: [condition('premium_above', { pct: 0.2 })],
      maxOpenPositions: 1,
    });
  const [allowed, refused] = [true, false].map(
    (carried) => stressed(weekend(carried), { scenarios: ['weekend_gap'], severities: ['standard'] }).runs[0] as StressRunReport,
  );
  // Traded repeatedly by Friday's price; without permission to read it, it only holds its initial position.
  expect(allowed?.fills).toBeGreaterThan(4);
  expect(allowed).toMatchObject({ breaches: 0, unsafeFills: 0 });
  // A position held when the exchange opens before its session waits for a live price.
  expect(allowed?.refused['stale_reference_feed'] ?? 0).toBeLessThan(5);
  expect(refused?.ownPositions).toEqual([]);
  expect(refused?.refused['stale_reference_feed']).toBeGreaterThan(100);
});

test('an unsellable position counts as lost', () => {
  // A slippage budget of one basis point fills almost nothing from a thin pool.
  const stuck = { ...NO_STOP, maxSlippageBps: 1 };
  const run = stressed(stuck, { scenarios: ['flash_crash'], severities: ['standard'] }).runs[0] as StressRunReport;
  expect(Number(run.stuckUsd)).toBeGreaterThan(1_000);
  expect(run.findings.join()).toContain('could not be sold');
  const last = run.equityUsd.at(-1) as string;
  const before = run.equityUsd.at(-2) as string;
  expect(new Decimal(before).minus(last).toNumber()).toBeCloseTo(Number(run.stuckUsd), -2);
});

test('the same seed gives the same bytes, another seed another world', () => {
  const scope = { scenarios: ['flash_crash'], severities: ['severe'] } as const;
  const one = stressed(PRUDENT, scope);
  expect(JSON.stringify(stressed(PRUDENT, scope))).toBe(JSON.stringify(one));
  const other = stressed(PRUDENT, { ...scope, seeds: [2] });
  expect(other.resultHash).not.toBe(one.resultHash);
  expect(other.runs[0]?.traceHash).not.toBe(one.runs[0]?.traceHash);
});

test('the page shows every run of every scenario, and no strategy name becomes markup', () => {
  const named = { ...PRUDENT, name: '<script>alert(1)</script>' };
  const result = stressed(named, { scenarios: ['flash_crash', 'liquidity_freeze'] });
  const page = stressReportPage(result, named);
  expect(page.match(/<path /g)).toHaveLength(4);
  expect(page).toContain('The agent survives.');
  expect(page).toContain(result.resultHash);
  expect(page).not.toContain('<script>');
  expect(page).not.toMatch(/NaN|undefined|Infinity/);
  expect(stressReportPage(result, named)).toBe(page);
});

describe('a stress test under way', () => {
  test('reports its progress and stops when cancelled', () => {
    const told: string[] = [];
    const result = runStressTest({
      agentId: 'a',
      manifest: PRUDENT,
      manifestVersion: 1,
      preferences: DEFAULT_PREFERENCES,
      markets: stressMarkets(PRUDENT, new Map()),
      scenarios: ['flash_crash'],
      onProgress: (done, all) => told.push(`${done}/${all}`),
      isCancelled: () => told.length === 2,
    });
    expect(result).toBeNull();
    expect(told).toEqual(['0/6', '1/6']);
  });

  test("an organization's stricter limits apply as in live trading", () => {
    const { runs } = stressed(PRUDENT, {
      scenarios: ['flash_crash'],
      severities: ['standard'],
      preferences: { ...DEFAULT_PREFERENCES, maxOpenPositions: 1 },
    });
    expect((runs[0]?.ownPositions.length ?? 0) + (runs[0]?.forcedPositions.length ?? 0)).toBe(1);
  });
});

test('the holder of a perpetual pays funding at the end of every hour of a scenario, and the accounts of the audit agree', () => {
  const manifest = sampleManifest({
    universe: [{ key: 'evmvenue:BTC', kind: 'perp' }],
    entry: [condition('price_above', { price: '1' })],
    exit: [],
  });
  const [given, calm, dear] = [-0.001, 0, 0.001].map((hourlyFunding) => {
    const markets = stressMarkets(manifest, new Map()).map((market) => ({ ...market, hourlyFunding }));
    return stressed(manifest, { markets, scenarios: ['weekend_gap'], severities: ['standard'] }).runs[0] as StressRunReport;
  }) as [StressRunReport, StressRunReport, StressRunReport];
  expect([given.breaches, calm.breaches, dear.breaches]).toEqual([0, 0, 0]);
  expect(dear.lossPct).toBeGreaterThan(calm.lossPct);
  expect(given.lossPct).toBeLessThan(calm.lossPct);
});
