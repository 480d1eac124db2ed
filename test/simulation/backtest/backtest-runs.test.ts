// Backtest runs on a real database: queued, computed in a thread, cancelled, taken over from a dead worker, and refused.
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { AgentCommands } from '../../../actors/agent/commands.ts';
import type { ProgressBody, RunWorker } from '../../../actors/evaluation/run-worker.ts';
import type { Runtime } from '../../../actors/runtime/runtime.ts';
import { evaluationBody } from '../../../api/v1/agents/agent-evaluations.ts';
import { createLog } from '../../../src/adapters/log/log.ts';
import { createNewIds } from '../../../src/adapters/new-ids.ts';
import { createRunPages } from '../../../src/adapters/run-pages.ts';
import { createMemberStore } from '../../../src/adapters/store/callers/member-store.ts';
import { createCandleStore } from '../../../src/adapters/store/candles/candle-store.ts';
import { openDatabase, type Sql } from '../../../src/adapters/store/database.ts';
import { createRunStore } from '../../../src/adapters/store/evaluations/evaluation-store.ts';
import { createPreviewStore, createTrialReads } from '../../../src/adapters/store/evaluations/trial-reads.ts';
import { createEvidenceWriter, EVALUATOR_ROLE } from '../../../src/adapters/store/gates/evidence-store.ts';
import { keepArchive } from '../../../src/adapters/store/intelligence/event-archive-store.ts';
import { keepReception } from '../../../src/adapters/store/intelligence/event-reception-store.ts';
import { createIntelligenceStore } from '../../../src/adapters/store/intelligence/intelligence-store.ts';
import { createWorkReads } from '../../../src/adapters/store/long-work-store.ts';
import { type Evaluations, openEvaluations } from '../../../src/boot/capabilities/evaluation.ts';
import { workFromStore } from '../../../src/boot/threads/backtest-worker.ts';
import { openHistoryRunners, openPreviews } from '../../../src/boot/wiring/evaluation-runners.ts';
import { type DailyReturns, returnsByDay } from '../../../src/domain/backtest/daily-returns.ts';
import { PREVIEW_LIMITS } from '../../../src/domain/backtest/preview.ts';
import { type BacktestRequest, readBacktestRequest } from '../../../src/domain/backtest/request.ts';
import type { Candle } from '../../../src/domain/candles/candle.ts';
import type { Report } from '../../../src/domain/intelligence/report.ts';
import { StoryTracker, type TrackerChange } from '../../../src/domain/intelligence/story-tracker.ts';
import { type Manifest, manifestHash } from '../../../src/domain/manifest/manifest.ts';
import { readManifest } from '../../../src/domain/manifest/reader.ts';
import { sha256Hex } from '../../../src/domain/values/canonical-json.ts';
import { evaluationProgress } from '../../../src/domain/values/work-progress.ts';
import { createBacktestPreviews } from '../../../src/simulation/backtest/backtest-previews.ts';
import type { BacktestResult } from '../../../src/simulation/backtest/run.ts';
import type { SweepResult } from '../../../src/simulation/sweep/sweep-work.ts';
import { createVirtualClock } from '../../../streams/clock/virtual-clock.ts';
import { payload } from '../../domain/authored.ts';
import { clockFrom } from '../../harness/clock-from.ts';
import { testDatabase } from '../../harness/postgres.ts';
import { waitFor } from '../../harness/wait-for.ts';
import { actorsOn } from '../../world/actor-world.ts';
import { draws, walk } from './random-histories.ts';

const DAY = 86_400_000;
const ORG = '00000000-0000-7000-8000-00000000000a';
/** Start of the gate's period as of the next day. */
const FROM = Date.UTC(2020, 5, 12);
const TO = Date.UTC(2025, 5, 20);
const clock = clockFrom(TO + DAY / 2);
const newId = createNewIds(clock);
const context = { orgId: ORG, subject: 'ann', permissions: [], requestId: 'test' } as const;
let url: string;
let sql: Sql;
let evaluator: Sql;
let runtime: Runtime;
let commands: AgentCommands;
let evaluations: Evaluations;
let bars: Candle[];
const workers: RunWorker[] = [];

beforeAll(async () => {
  url = await testDatabase();
  sql = openDatabase({ url, name: 'test' });
  evaluator = openDatabase({ url, role: EVALUATOR_ROLE, name: 'test evaluator', connections: 1 });
  await createMemberStore(sql).ensureOrganization(ORG, 'ours');
  ({ runtime, commands } = actorsOn(sql, clock, newId));
  evaluations = openEvaluations({ sql, runtime, evidence: createEvidenceWriter(evaluator, newId), clock, newId });
  bars = walk(draws(11), FROM, DAY, (TO - FROM) / DAY, 30_000);
  await keep('BTCUSDT', bars);
  // It moves independently, so that trials on it belong to no other family.
  await keep('SOLUSDT', walk(draws(12), FROM, DAY, (TO - FROM) / DAY, 100));
  await keep(
    'ETHUSDT',
    bars.filter((_, n) => n < 100 || n >= 103),
  );
});
afterEach(async () => {
  await Promise.all(workers.splice(0).map((worker) => worker.stop()));
});
afterAll(async () => {
  await sql.end();
  await evaluator.end();
});

async function keep(instrument: string, candles: readonly Candle[]): Promise<void> {
  await createCandleStore(sql).save({
    kind: 'candles',
    venue: 'spotexchange',
    instrument,
    timeframe: '24h',
    source: 'test',
    receivedAt: 1,
    candles,
  });
}

function carry(holder = 'worker-1', histories: Parameters<typeof openHistoryRunners>[0]['histories'] = {}): void {
  const runners = openHistoryRunners({ sql, databaseUrl: url, histories, archives: null, clock, log: createLog('silent') });
  workers.push(evaluations.carry(runners, holder, (error) => console.error(error)));
}

function manifestOf(instrument: string, over: object = {}): Manifest {
  const read = readManifest(
    payload({
      universe: [instrument],
      timeframe: '24h',
      entryConditions: [{ type: 'rsi_below', period: 7, value: 45 }],
      exitConditions: [{ type: 'rsi_above', period: 7, value: 60 }],
      maxSlippageBps: 500,
      ...over,
    }),
  );
  if (!read.ok) throw new Error(JSON.stringify(read.problems));
  return read.manifest;
}

async function agent(instrument = 'BTCUSDT', over: object = {}): Promise<string> {
  const created = await commands.create(context, manifestOf(instrument, over));
  if (!created.ok) throw new Error(created.refusal.detail);
  return created.value.id;
}

async function begin(agentId: string, over: object = {}): Promise<string> {
  const request = readBacktestRequest({ from: new Date(FROM).toISOString(), to: new Date(TO).toISOString(), ...over }, TO + 86_400_000);
  const started = await evaluations.commands.start(context, agentId, 'backtest', request as never);
  if (!started.ok) throw new Error(started.refusal.detail);
  expect(started.value.state).toBe('queued');
  return started.value.id;
}

async function ended(agentId: string, runId: string) {
  return waitFor(
    async () => {
      const run = await evaluations.reads.find(ORG, agentId, runId);
      return run !== null && run.endedAt !== null ? run : null;
    },
    { what: 'the run ends', deadlineMs: 25_000 },
  );
}

test('a run ends with a result, its page, and evidence assessed by the database itself', async () => {
  const agentId = await agent();
  const runId = await begin(agentId);
  carry();
  const run = await ended(agentId, runId);
  expect(run).toMatchObject({ state: 'finished', attempts: 1, ending: null, requestedBy: 'ann' });
  const report = await evaluations.reads.report(ORG, agentId, runId);
  expect(sha256Hex(report?.result ?? '')).toBe(run.resultHash);
  // The page is built from the result on request.
  const page = await createRunPages(evaluations.reads)(ORG, agentId, runId);
  expect(report?.report).toBeNull();
  expect(page?.page).toContain(`"resultHash":"${run.resultHash}"`);
  const [evidence] = await sql<{ kind: string; run_id: string; result_hash: string; passed: boolean; metrics: string }[]>`
    select kind, run_id, result_hash, passed, metrics from evidence where agent_id = ${agentId} and kind = 'backtest'`;
  expect(evidence).toMatchObject({ run_id: runId, result_hash: run.resultHash, passed: run.summary?.['passed'] });
  const metrics = JSON.parse(evidence?.metrics ?? '{}') as Record<string, number>;
  expect(metrics['sharpe']).toBeCloseTo(run.summary?.['sharpe'] as number, 9);
  expect(metrics['maxDrawdownPct']).toBeCloseTo(run.summary?.['maxDrawdownPct'] as number, 6);
  const told = await sql<{ what: string }[]>`
    select body ->> 'what' as what from announcements where channel = 'agents' and body ->> 'runId' = ${runId} order by seq`;
  expect(told.map(({ what }) => what).filter((what) => what !== 'evaluation_progress')).toEqual([
    'evaluation_queued',
    'evaluation_running',
    'evaluation_finished',
  ]);

  const again = await begin(agentId);
  expect((await ended(agentId, again)).resultHash).toBe(run.resultHash);
});

test('a run with a dead worker is taken over with the same result', async () => {
  const agentId = await agent();
  const first = await begin(agentId);
  // The dead worker claimed and announced the run, and then fell silent.
  const claimed = await createRunStore(sql).claim('dead', 1, 300);
  expect(claimed.map(({ runId }) => runId)).toEqual([first]);
  await runtime.deliver(first, { type: 'run.begun', holder: 'dead', at: clock.now() }, { cause: 'test' });
  carry();
  const run = await ended(agentId, first);
  expect(run).toMatchObject({ state: 'finished', attempts: 2 });
  expect((await ended(agentId, await begin(agentId))).resultHash).toBe(run.resultHash);
});

test('a run that was restarted repeatedly ends as failed, with a pointer to the cause', async () => {
  const agentId = await agent();
  const runId = await begin(agentId);
  for (let n = 1; n <= 5; n++) {
    const begun = await runtime.deliver(runId, { type: 'run.begun', holder: `worker-${n}`, at: clock.now() }, { cause: 'test' });
    expect(begun).toMatchObject({ ok: true });
  }
  carry();
  expect(await ended(agentId, runId)).toMatchObject({
    state: 'failed',
    ending: { code: 'defect', detail: 'the run was started 5 times and never finished: see the log of the service' },
  });
});

test('an agent has one open run; cancelling makes room', async () => {
  const agentId = await agent();
  const runId = await begin(agentId);
  const second = await evaluations.commands.start(context, agentId, 'backtest', {});
  expect(second).toMatchObject({ ok: false, refusal: { code: 'state_conflict' } });
  expect(await evaluations.commands.cancel(context, agentId, runId)).toMatchObject({ ok: true, value: { state: 'cancelled' } });
  expect(await evaluations.commands.cancel(context, agentId, runId)).toMatchObject({ ok: false, refusal: { code: 'state_conflict' } });
  expect(await evaluations.commands.cancel({ ...context, orgId: newId() }, agentId, runId)).toMatchObject({
    ok: false,
    refusal: { code: 'not_found' },
  });
  await begin(agentId);
});

test('a run cancelled while a thread works on it ends at once, and the thread with it', async () => {
  const agentId = await agent();
  const runId = await begin(agentId);
  carry();
  await waitFor(async () => (await evaluations.reads.find(ORG, agentId, runId))?.state === 'running', { what: 'a worker begins' });
  expect(await evaluations.commands.cancel(context, agentId, runId)).toMatchObject({
    ok: true,
    value: { state: 'cancelled', ending: { code: 'cancelled' } },
  });
  await Promise.all(workers.splice(0).map((worker) => worker.stop()));
  // Progress that a thread reports after the end is not published.
  await createRunStore(sql).announceProgress({ runId, orgId: ORG, agentId }, clock.now(), progressOf(agentId, runId, 9));
  const [last] =
    await sql`select body ->> 'what' as what from announcements where body ->> 'runId' = ${runId} order by xid desc, seq desc limit 1`;
  expect(last).toEqual({ what: 'evaluation_cancelled' });
  expect(await evaluations.reads.find(ORG, agentId, runId)).toMatchObject({ state: 'cancelled', resultHash: null });
  expect(await evaluations.reads.report(ORG, agentId, runId)).toBeNull();
});

test.each([
  ['before', 0],
  ['after', 1],
] as const)('a run cancelled just %s it writes its evidence leaves none that decides its gate', async (when, written) => {
  const writer = createEvidenceWriter(evaluator, newId);
  const agentId = await agent();
  const runId = await begin(agentId);
  const cancel = () => evaluations.commands.cancel(context, agentId, runId);
  let tell = (): void => {};
  const told = new Promise<void>((resolve) => {
    tell = resolve;
  });
  // The worker renews its lease every four seconds, and notices only then.
  const evidence: typeof writer = {
    async write(draft) {
      // The worker may carry a run that another test left.
      if (draft.agentId !== agentId) return writer.write(draft);
      try {
        if (when === 'before') expect(await cancel()).toMatchObject({ ok: true });
        const row = await writer.write(draft);
        if (when === 'after') expect(await cancel()).toMatchObject({ ok: true });
        return row;
      } finally {
        tell();
      }
    },
  };
  const runners = openHistoryRunners({ sql, databaseUrl: url, histories: {}, archives: null, clock, log: createLog('silent') });
  const slow = openEvaluations({ sql, runtime, evidence, clock, newId });
  workers.push(slow.carry(runners, 'worker-1', (error) => console.error(error)));
  await told;
  await Promise.all(workers.splice(0).map((worker) => worker.stop()));
  expect(await evaluations.reads.find(ORG, agentId, runId)).toMatchObject({ state: 'cancelled', resultHash: null });
  const of = await sql<{ decides: boolean }[]>`
    select exists (select 1 from gate_evidence(e.agent_id, e.kind, e.manifest_version, e.manifest_hash)) as decides
    from evidence e where e.agent_id = ${agentId} and e.kind = 'backtest'`;
  expect([...of]).toEqual(Array.from({ length: written }, () => ({ decides: false })));
  expect(await sql`select 1 from trials where run_id = ${runId}`).toHaveLength(0);
});

test('progress is stored with the running run, and announced like the record', async () => {
  const agentId = await agent();
  const runId = await begin(agentId);
  const told = progressOf(agentId, runId, 4);
  await createRunStore(sql).announceProgress({ runId, orgId: ORG, agentId }, clock.now(), told);
  // No worker has started: nothing is stored.
  expect((await evaluations.reads.find(ORG, agentId, runId))?.told).toBeNull();
  await runtime.deliver(runId, { type: 'run.begun', holder: 'test', at: clock.now() }, { cause: 'test' });
  await createRunStore(sql).announceProgress({ runId, orgId: ORG, agentId }, clock.now(), told);
  const { done, total, doing, since, progress } = told;
  expect((await evaluations.reads.find(ORG, agentId, runId))?.told).toEqual({ done, total, doing, since, waitsForWork: '7' });
  const [announced] = await sql<{ body: object }[]>`
    select body from announcements where body ->> 'runId' = ${runId} and body ->> 'what' = 'evaluation_progress'`;
  expect(announced?.body).toMatchObject({ progress, waitingFor: null, waitsForWork: '7' });
  const shown = await evaluations.reads.find(ORG, agentId, runId);
  expect(evaluationBody(shown as NonNullable<typeof shown>, clock.now())).toMatchObject({ progress, waitsForWork: '7' });
  await evaluations.commands.cancel(context, agentId, runId);
});

// Each has an instrument of its own, because a venue that has answered the first run is not asked again.
test.each([
  ['waits for a venue', 'SOLUSDT', undefined, { cause: 'venue' }, 'bars'],
  ['has its bars made in this process waits for nobody, and', 'BTCUSDT', () => 'the seeded market', null, 'bars made by the seeded market'],
] as const)('a run that %s names its public backfill', async (_, instrument, madeBy, waitingFor, unit) => {
  const agentId = await agent(instrument);
  let answer = (): void => {};
  const answered = new Promise<void>((resume) => {
    answer = resume;
  });
  carry('worker-1', { spotexchange: { fetchCandles: () => answered.then(() => []), ...(madeBy === undefined ? {} : { madeBy }) } });
  const runId = await begin(agentId);
  const shown = async () => {
    const run = await evaluations.reads.find(ORG, agentId, runId);
    return run === null ? null : evaluationBody(run, clock.now());
  };
  const waiting = await waitFor(
    async () => {
      const run = await shown();
      return typeof run?.waitsForWork === 'string' ? run : null;
    },
    { what: 'the run names what it waits for' },
  );
  expect(waiting).toMatchObject({ state: 'running', waitingFor, progress: { unit } });
  expect(await createWorkReads(sql).find(Number(waiting.waitsForWork))).toMatchObject({
    kind: 'backfill',
    subject: `spotexchange ${instrument} 24h`,
    workedOnBy: `worker, for an evaluation, process ${process.pid}`,
    endedAt: null,
    waitingFor,
  });
  await evaluations.commands.cancel(context, agentId, runId);
  answer();
  await ended(agentId, runId);
  expect(await shown()).toMatchObject({ state: 'cancelled', waitsForWork: null });
});

function progressOf(agentId: string, runId: string, done: number): ProgressBody {
  const told = { done, total: 10, doing: 'simulating', since: clock.now() - 4_000, waitsForWork: '7' };
  const progress = evaluationProgress('running', told, clock.now());
  return { what: 'evaluation_progress', agentId, runId, evaluation: 'backtest', ...told, ...progress };
}

test('a history with a gap is refused by name; a run of another period or timeframe is a rehearsal, not evidence', async () => {
  carry();
  const gappy = await agent('ETHUSDT');
  expect(await ended(gappy, await begin(gappy))).toMatchObject({
    state: 'refused',
    ending: {
      code: 'insufficient_history',
      detail: expect.stringContaining('spotexchange:ETHUSDT has no candles from 2020-09-20T00:00:00.000Z to 2020-09-23T00:00:00.000Z'),
    },
  });
  for (const [agentId, other] of [
    [await agent(), { from: '2022-01-01T00:00:00Z' }],
    [await agent('BTCUSDT', { timeframe: '1h' }), { timeframe: '24h' }],
  ] as const) {
    const looked = await ended(agentId, await begin(agentId, other));
    expect(looked, JSON.stringify(looked.ending)).toMatchObject({ state: 'finished', request: { look: true }, summary: { passed: null } });
    expect(await sql`select 1 from evidence where agent_id = ${agentId} and kind = 'backtest'`).toHaveLength(0);
  }
});

test('a sweep is not evidence; its trials count for every agent with correlated returns, each manifest once', async () => {
  const rules = {
    entryConditions: [{ type: 'rsi_below', period: 5, value: 40 }],
    exitConditions: [{ type: 'held_longer_than', hours: 96 }],
  };
  const first = await agent('SOLUSDT', rules);
  const parameters = [{ path: 'entryConditions[0].value', values: [35, 40, 45] }];
  const window = readBacktestRequest({ from: new Date(FROM).toISOString(), to: new Date(TO).toISOString(), look: true }, TO + DAY);
  if (!('assumptions' in window)) throw new Error(JSON.stringify(window));
  const request = { ...window, parameters, walkForward: { trainDays: 365, testDays: 91 } };
  const sweep = async (agentId: string) => {
    const begun = await evaluations.commands.start(context, agentId, 'sweep', request as never);
    if (!begun.ok) throw new Error(begun.refusal.detail);
    const run = await ended(agentId, begun.value.id);
    expect(run.state, JSON.stringify(run.ending)).toBe('finished');
    const report = await evaluations.reads.report(ORG, agentId, begun.value.id);
    return { run, result: JSON.parse(report?.result ?? '') as SweepResult };
  };
  carry();
  // The manifest itself, backtested before, is one of the variants.
  await ended(first, await begin(first));
  const { run, result } = await sweep(first);
  expect(result.counted).toEqual({ total: 3, ofThisSweep: 3, earlier: 0 });
  expect(run.summary).toMatchObject({ variants: 3, trialsCounted: 3 });
  expect(result.walkForward?.folds.length).toBeGreaterThan(10);
  const [evidence] = await sql<{ count: number }[]>`select count(*)::int from evidence where run_id = ${run.id}`;
  expect(evidence?.count).toBe(0);
  const told = await sql<
    { what: string }[]
  >`select body ->> 'what' as what from announcements where channel = 'agents' and body ->> 'runId' = ${run.id}`;
  expect(told.map(({ what }) => what)).toEqual(expect.arrayContaining(['evaluation_running', 'evaluation_finished']));
  const page = await createRunPages(evaluations.reads)(ORG, first, run.id);
  expect(page?.page).toContain('"evaluation":"sweep"');

  // A duplicate does not start anew, under any name, nor does one with an always-true condition; different returns are another family.
  const copy = await agent('SOLUSDT', { ...rules, name: 'A copy', stopLossPct: 7 });
  const copied = await ended(copy, await begin(copy));
  expect(copied.summary).toMatchObject({ versionsTried: 4 });
  expect((await sweep(copy)).result.counted).toEqual({ total: 6, ofThisSweep: 3, earlier: 3 });
  const trivial = await agent('SOLUSDT', { ...rules, entryConditions: [...rules.entryConditions, { type: 'price_above', price: '1' }] });
  expect((await ended(trivial, await begin(trivial))).summary).toMatchObject({ versionsTried: 7 });
  const other = await agent('SOLUSDT', {
    ...rules,
    entryConditions: [{ type: 'rsi_above', period: 5, value: 60 }],
  });
  expect((await ended(other, await begin(other))).summary).toMatchObject({ versionsTried: 1 });
});

test('a kind without a runner is refused, and a defect ends a run as failed', async () => {
  const agentId = await agent();
  const started = await evaluations.commands.start(context, agentId, 'stress_test', {});
  if (!started.ok) throw new Error(started.refusal.detail);
  carry();
  expect(await ended(agentId, started.value.id)).toMatchObject({ state: 'refused', ending: { code: 'feature_disabled' } });
  const broken = await evaluations.commands.start(context, agentId, 'backtest', {
    from: new Date(FROM).toISOString(),
    to: new Date(TO).toISOString(),
    timeframe: null,
    look: false,
  });
  if (!broken.ok) throw new Error(broken.refusal.detail);
  expect(await ended(agentId, broken.value.id)).toMatchObject({ state: 'failed', ending: { code: 'defect' } });
});

test('events are known while their source was received, and an archive fills an outage with what was published in it', async () => {
  const read = readManifest(
    payload({
      universe: ['BTCUSDT'],
      timeframe: '24h',
      entryConditions: [{ type: 'no_negative_event', lookbackHours: 24 }],
      exitConditions: [{ type: 'held_longer_than', hours: 24 }],
    }),
  );
  if (!read.ok) throw new Error(JSON.stringify(read.problems));
  const receivedFrom = Date.UTC(2025, 0, 1);
  // From March 10th to 14th nothing was received. What was published meanwhile arrives after it.
  const outage = { from: Date.UTC(2025, 2, 10, 6), to: Date.UTC(2025, 2, 14, 6) };
  const report = (id: string, publishedAt: number, receivedAt = publishedAt): Report => ({
    id,
    channel: 'wire',
    source: 'wire',
    family: id,
    primary: true,
    publishedAt,
    receivedAt,
    kind: 'cyber_incident',
    severity: 'critical',
    direction: 'negative',
    entities: [{ asset: 'BTC', by: 'ticker', matched: 'BTC' }],
    unmapped: [],
    headline: `headline of ${id}`,
    url: null,
    storyKey: id,
    action: 'report',
    corrects: null,
  });
  const store = createIntelligenceStore(sql);
  const handler = new StoryTracker();
  const missed = report('missed', Date.UTC(2025, 2, 11, 12), outage.to);
  const inTime = report('in time', Date.UTC(2025, 2, 1, 12), Date.UTC(2025, 2, 2, 12));
  for (const one of [report('first', receivedFrom), inTime, missed])
    await store.saveChanges([{ ...(handler.take(one) as TrackerChange), report: one }]);
  const request = readBacktestRequest({ from: new Date(FROM).toISOString(), to: new Date(TO).toISOString() }, TO + 86_400_000);
  if (!('from' in request)) throw new Error(JSON.stringify(request));
  const trials = { versions: 1, otherSharpes: [] };
  const newsRule = async () => {
    const asked = { manifest: read.manifest, request, trials, funding: [], createdAt: TO };
    const outcome = await workFromStore({ databaseUrl: url, asked }, () => {});
    if (!outcome.ok) throw new Error(outcome.detail);
    return (JSON.parse(outcome.result) as BacktestResult).conditions[0];
  };
  const slots = (TO - FROM) / DAY;
  // Reports alone do not say what was received, nor does the reception of another underlying.
  await keepReception(sql, { source: 'news:wire', underlyings: ['ETH'], from: receivedFrom, to: TO });
  expect(await newsRule()).toMatchObject({ type: 'no_negative_event', evaluated: slots, unknown: slots, passed: 0 });

  for (const [from, to] of [
    [receivedFrom + 1, outage.from],
    [outage.to, TO + DAY],
  ] as const)
    await keepReception(sql, { source: 'news:wire', underlyings: ['BTC'], from, to });
  // From January 2nd on, without the four midnights of the outage and the slot of the run's end. The report of March 1st is received a day
  // later, and the missed one two days too late: no slot sees either.
  const known = (TO - (receivedFrom + DAY)) / DAY - 4;
  expect(await newsRule()).toMatchObject({ unknown: slots - known, passed: known - 1 });

  // What was received in time counts from its receipt on, and what was missed from its publication on.
  const archive = { source: 'news:wire', underlyings: ['BTC'], file: 'f', sha256: 'ee'.repeat(32), at: TO };
  await keepArchive(sql, {
    ...archive,
    from: outage.from - 30 * DAY,
    to: outage.to + DAY,
    reports: [inTime, missed].map((one) => ({ ...one, receivedAt: one.publishedAt })),
  });
  expect(await newsRule()).toMatchObject({ unknown: slots - known - 4, passed: known + 4 - 2 });
});

test('a preview equals a rehearsal of the same period, leaves no evidence, and counts as a trial', async () => {
  const { run } = previews();
  const manifest = manifestOf('BTCUSDT');
  const asked = { orgId: ORG, subject: 'ann', manifest, request: lookFrom(FROM) };
  const preview = await run(asked, new AbortController().signal);
  expect(preview.ending).toBeNull();
  const agentId = await agent();
  carry();
  const runId = await begin(agentId, { look: true });
  await ended(agentId, runId);
  const report = await evaluations.reads.report(ORG, agentId, runId);
  const result = JSON.parse(report?.result ?? '{}') as BacktestResult;
  expect(preview.result?.trades).toHaveLength(Math.min(200, result.trades.list.length));
  expect(preview.result).toMatchObject({
    finalEquityUsd: result.finalEquityUsd,
    closedTrades: result.trades.closed,
    maxDrawdownPct: result.performance.maxDrawdownPct,
    daily: result.daily.map(({ date, equityUsd, highUsd }) => ({ date, equityUsd, highUsd })),
  });
  expect((await sql`select 1 from evidence where agent_id = ${agentId}`).count).toBe(0);

  const { notePreview } = createPreviewStore(sql);
  const { otherTrials } = createTrialReads(sql);
  const own = manifestHash(manifest);
  const request = readBacktestRequest(
    { from: new Date(FROM).toISOString(), to: new Date(TO).toISOString(), look: true },
    TO + DAY,
  ) as never;
  const byDay = (days: { date: string; equityUsd: string }[]) =>
    returnsByDay(
      result.capitalUsd,
      days.map(({ date, equityUsd }) => [Date.parse(date), equityUsd]),
    );
  const returns = byDay([...result.daily]);
  const tried = async () => otherTrials({ orgId: ORG, agentId, createdAt: clock.now() + 1, request, hashes: [own] }, returns);
  const before = await tried();
  const counted = async () => (await tried()).length - before.length;
  const note = (previewed: Manifest, noted: { agentId?: string; at?: number; returns?: DailyReturns } = {}) =>
    notePreview(ORG, { agentId: null, manifest: previewed, at: clock.now(), returns, ...noted });
  // A gate run is no additional trial, and a manifest counts once, for any agent.
  await note(manifest);
  expect(await counted()).toBe(0);
  const sibling = manifestOf('BTCUSDT', { entryConditions: [{ type: 'rsi_below', period: 7, value: 31 }] });
  await note(sibling);
  await note(sibling);
  await note(sibling, { agentId });
  expect(await counted()).toBe(1);
  // Different returns are another family, for any agent; without a common day they count for their own agent.
  const other = (price: string) => manifestOf('BTCUSDT', { entryConditions: [{ type: 'price_above', price }] });
  const otherwise = { ...returns, returns: returns.returns.toReversed() };
  await note(other('1'), { returns: otherwise });
  await note(other('2'), { returns: otherwise, agentId });
  const before2010 = { firstDay: 10_000, returns: [0.1, 0.2] };
  await note(other('3'), { returns: before2010 });
  await note(other('4'), { returns: before2010, agentId });
  await note(manifestOf('BTCUSDT', { stopLossPct: 3 }), { at: clock.now() + DAY });
  expect(await counted()).toBe(2);
  // A first preview over quiet days does not hide a later one over others, which counts once.
  const quiet = manifestOf('BTCUSDT', { entryConditions: [{ type: 'rsi_below', period: 7, value: 32 }] });
  for (const over of [{ ...returns, returns: returns.returns.slice(0, 2).map(() => 0) }, returns, returns])
    await note(quiet, { returns: over });
  expect(await counted()).toBe(3);
  // A run of the same manifest measures it: its ratio counts, and the preview does not.
  const measured = await agent('BTCUSDT', { entryConditions: [{ type: 'rsi_below', period: 7, value: 31 }] });
  const run31 = await ended(measured, await begin(measured));
  const after = await tried();
  expect(after.length - before.length).toBe(3);
  expect(after).toContain(run31.summary?.['sharpe']);
  // Another period of the same manifest is another trial, the same period is none; neither shows how manifests differ.
  const later = { from: new Date(FROM + 30 * DAY).toISOString(), look: true };
  for (const over of [later, later, { look: true }]) await ended(agentId, await begin(agentId, over));
  const more = await tried();
  expect(more).toHaveLength(after.length + 1);
  expect(more.filter((sharpe) => sharpe !== null)).toHaveLength(after.filter((sharpe) => sharpe !== null).length);
});

test('the newest preview of a subject replaces the previous one, leaving ends one’s own, and time is limited', async () => {
  const { run } = previews();
  const asked = { orgId: ORG, subject: 'ann', manifest: manifestOf('BTCUSDT'), request: lookFrom(FROM) };
  const first = run(asked, new AbortController().signal);
  const second = run(asked, new AbortController().signal);
  expect((await first).ending?.code).toBe('superseded');
  expect((await second).result?.bars).toBeGreaterThan(0);

  const leaving = new AbortController();
  const left = run(asked, leaving.signal);
  leaving.abort();
  expect((await left).ending?.code).toBe('cancelled');

  // Another member of the organization holds its place: it waits, and the clock says that its time is over.
  const virtual = createVirtualClock(clock.now());
  const slow = createBacktestPreviews({ runner: () => new Promise(() => {}), missing: async () => [], clock: virtual, atOnce: 2 });
  void slow.run(asked, new AbortController().signal);
  const waiting = slow.run({ ...asked, subject: 'bob' }, new AbortController().signal);
  virtual.advanceTo(virtual.now() + PREVIEW_LIMITS.runMs);
  expect(await waiting).toMatchObject({ result: null, ending: { code: 'out_of_time' } });
});

test('without a trade the preview names the rule that prevented it, and what was unknown', async () => {
  const { run } = previews();
  const never = manifestOf('BTCUSDT', { entryConditions: [{ type: 'price_above', price: '900000000' }] });
  const preview = await run({ orgId: ORG, subject: 'eve', manifest: never, request: lookFrom(FROM) }, new AbortController().signal);
  expect(preview.result).toMatchObject({ closedTrades: 0, openTrades: 0, trades: [] });
  expect(preview.whyNoTrades).toEqual([expect.stringMatching(/^price_above \(900000000\) was true at none of \d+ decisions/)]);
  const holed = await run(
    { orgId: ORG, subject: 'eve', manifest: manifestOf('ETHUSDT'), request: lookFrom(FROM) },
    new AbortController().signal,
  );
  expect(holed).toMatchObject({ result: null, ending: { code: 'insufficient_history', detail: expect.stringContaining('ETHUSDT') } });
});

function previews() {
  return openPreviews({ sql, databaseUrl: url, histories: {}, archives: null, clock, log: createLog('silent'), obtainable: new Set() });
}

function lookFrom(from: number): BacktestRequest {
  const request = readBacktestRequest({ from: new Date(from).toISOString(), to: new Date(TO).toISOString(), look: true }, TO + DAY);
  if (!('assumptions' in request)) throw new Error(JSON.stringify(request));
  return request;
}
