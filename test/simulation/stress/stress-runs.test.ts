// Stress tests as evaluation runs on a real database: known market data, computed in a thread, with evidence and page.
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { AgentCommands } from '../../../actors/agent/commands.ts';
import type { RunWorker } from '../../../actors/evaluation/run-worker.ts';
import { createNewIds } from '../../../src/adapters/new-ids.ts';
import { writeCut } from '../../../src/adapters/store/agents/cut-store.ts';
import { createMemberStore } from '../../../src/adapters/store/callers/member-store.ts';
import { createCandleStore } from '../../../src/adapters/store/candles/candle-store.ts';
import { openDatabase, type Sql } from '../../../src/adapters/store/database.ts';
import { createStressReads } from '../../../src/adapters/store/evaluations/stress-reads.ts';
import { createEvidenceWriter, EVALUATOR_ROLE } from '../../../src/adapters/store/gates/evidence-store.ts';
import { type Evaluations, openEvaluations } from '../../../src/boot/capabilities/evaluation.ts';
import { openStressRunner } from '../../../src/boot/wiring/evaluation-runners.ts';
import type { Manifest } from '../../../src/domain/manifest/manifest.ts';
import type { InstrumentKey } from '../../../src/domain/market/venue.ts';
import { stressMarkets } from '../../../src/simulation/stress/stress-market.ts';
import { knownMarkets } from '../../../src/simulation/stress/stress-runner.ts';
import { createLiveClock } from '../../../streams/clock/live-clock.ts';
import { sampleManifest, sampleObservation } from '../../actors/agent/sample.ts';
import { testDatabase } from '../../harness/postgres.ts';
import { waitFor } from '../../harness/wait-for.ts';
import { actorsOn } from '../../world/actor-world.ts';

const HOUR = 3_600_000;
const ORG = '00000000-0000-7000-8000-00000000000a';
const KEY: InstrumentKey = 'spotchain:AAPLx';
const clock = createLiveClock();
const newId = createNewIds(clock);
const context = { orgId: ORG, subject: 'ann', permissions: [], requestId: 'test' } as const;
const PRUDENT = sampleManifest({ stopLossPct: 3 });
let sql: Sql;
let evaluator: Sql;
let commands: AgentCommands;
let evaluations: Evaluations;
const workers: RunWorker[] = [];

beforeAll(async () => {
  const url = await testDatabase();
  sql = openDatabase({ url, name: 'test' });
  evaluator = openDatabase({ url, role: EVALUATOR_ROLE, name: 'test evaluator', connections: 1 });
  await createMemberStore(sql).ensureOrganization(ORG, 'ours');
  const actors = actorsOn(sql, clock, newId);
  commands = actors.commands;
  evaluations = openEvaluations({ sql, runtime: actors.runtime, evidence: createEvidenceWriter(evaluator, newId), clock, newId });
});
afterEach(async () => {
  await Promise.all(workers.splice(0).map((worker) => worker.stop()));
});
afterAll(async () => {
  await sql.end();
  await evaluator.end();
});

async function begin(manifest: Manifest): Promise<{ readonly agentId: string; readonly runId: string }> {
  const created = await commands.create(context, manifest);
  if (!created.ok) throw new Error(created.refusal.detail);
  return { agentId: created.value.id, runId: await again(created.value.id) };
}

async function again(agentId: string): Promise<string> {
  const started = await evaluations.commands.start(context, agentId, 'stress_test', { seeds: 1 });
  if (!started.ok) throw new Error(started.refusal.detail);
  return started.value.id;
}

function carry(): void {
  workers.push(evaluations.carry({ stress_test: openStressRunner(sql) }, 'worker-1', (error) => console.error(error)));
}

const ended = ({ agentId, runId }: { readonly agentId: string; readonly runId: string }) =>
  waitFor(
    async () => {
      const run = await evaluations.reads.find(ORG, agentId, runId);
      return run !== null && run.endedAt !== null ? run : null;
    },
    { what: 'the run ends', deadlineMs: 60_000 },
  );

test('level and volatility come from the recent bars, liquidity and mark from the last observation', async () => {
  const at = Date.UTC(2026, 5, 10, 12, 30);
  // Every bar one percent up or down: a standard deviation of about one percent an hour.
  const candles = Array.from({ length: 200 }, (_, index) => {
    const close = (index % 2 === 0 ? 200 : 202).toFixed(2);
    return { openTime: Date.UTC(2026, 5, 10, 12) - (200 - index) * HOUR, open: close, high: close, low: close, close, volume: '1' };
  });
  await createCandleStore(sql).save({
    kind: 'candles',
    venue: 'spotchain',
    instrument: 'AAPLx',
    timeframe: '1h',
    source: 'test',
    receivedAt: 1,
    candles,
  });
  const slot = Date.UTC(2026, 5, 10, 12, 29);
  await writeCut(
    sql,
    { slot, observations: new Map([[KEY, sampleObservation(KEY, slot, { mid: '203', premiumPct: null, rsi: null })]]) },
    'streams',
  );
  const known = await knownMarkets(createStressReads(sql), PRUDENT, at);
  expect(known.get(KEY)).toMatchObject({ level: 203, liquidityUsd: 900_000, benchmarkLevel: 270 });
  // The bar of 12:00 is not closed at 12:30 and is not used.
  expect(known.get(KEY)?.bars['1h']?.at(-1)).toMatchObject({ openTime: Date.UTC(2026, 5, 10, 11), close: '202' });
  const [market] = stressMarkets(PRUDENT, known);
  expect(market).toMatchObject({ level: 203, basis: 'history' });
  expect(market?.minuteVolatility).toBeCloseTo(0.00998 / Math.sqrt(60), 4);
  // A day later the observation is too old, but the bars still count.
  expect((await knownMarkets(createStressReads(sql), PRUDENT, at + 25 * HOUR)).get(KEY)).toMatchObject({ level: null, liquidityUsd: null });
});

test('a run ends with evidence that the database assessed itself, a page, and the same result when it is run again', async () => {
  carry();
  const first = await begin(PRUDENT);
  const run = await ended(first);
  expect(run).toMatchObject({ state: 'finished', summary: { passed: true, runs: 8, survivedRuns: 8 } });
  const [evidence] = await sql<{ run_id: string; passed: boolean; metrics: string }[]>`
    select run_id, passed, metrics from evidence where agent_id = ${first.agentId} and kind = 'stress_test'`;
  expect(evidence).toMatchObject({ run_id: first.runId, passed: true });
  expect(JSON.parse(evidence?.metrics ?? '{}')).toMatchObject({
    lossLimitPct: 3,
    flash_crash_runs: 1,
    weekend_gap_breaches: 0,
    liquidity_freeze_unsafe_fills: 0,
  });
  const report = await evaluations.reads.report(ORG, first.agentId, first.runId);
  expect(report?.report).toMatch(/^<!doctype html>/);
  expect(report?.report).toContain(run.resultHash as string);
  expect((await ended({ agentId: first.agentId, runId: await again(first.agentId) })).resultHash).toBe(run.resultHash);
});

test('an agent that does not survive has failing evidence', async () => {
  carry();
  const started = await begin(
    sampleManifest({ stopLossPct: 90, takeProfitPct: 900, exit: [], maxTradeNotionalUsd: '10000', maxOpenPositions: 1 }),
  );
  const run = await ended(started);
  expect(run).toMatchObject({ state: 'finished', summary: { passed: false } });
  const [evidence] = await sql<{ passed: boolean; checks: readonly { name: string; passed: boolean }[] }[]>`
    select passed, checks from evidence where agent_id = ${started.agentId} and kind = 'stress_test'`;
  expect(evidence?.passed).toBe(false);
  expect(evidence?.checks.filter(({ passed }) => !passed).map(({ name }) => name)).toContain('flash_crash_loss_pct');
});
