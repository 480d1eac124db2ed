// Blind replay sessions on a real database: answered slot by slot through their thread, refused for foreknowledge, expired, counted as
// trials.
import { setImmediate } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { AgentCommands } from '../../../actors/agent/commands.ts';
import type { RunWorker } from '../../../actors/evaluation/run-worker.ts';
import type { Runtime } from '../../../actors/runtime/runtime.ts';
import { createLog } from '../../../src/adapters/log/log.ts';
import { createNewIds } from '../../../src/adapters/new-ids.ts';
import { createMemberStore } from '../../../src/adapters/store/callers/member-store.ts';
import { createCandleStore } from '../../../src/adapters/store/candles/candle-store.ts';
import { openDatabase, type Sql } from '../../../src/adapters/store/database.ts';
import { createRunStore } from '../../../src/adapters/store/evaluations/evaluation-store.ts';
import { createEvidenceWriter, EVALUATOR_ROLE } from '../../../src/adapters/store/gates/evidence-store.ts';
import { type Evaluations, openEvaluations } from '../../../src/boot/capabilities/evaluation.ts';
import { openSessionRunners } from '../../../src/boot/wiring/evaluation-runners.ts';
import { openGates } from '../../../src/boot/wiring/gates.ts';
import { readBacktestRequest } from '../../../src/domain/backtest/request.ts';
import type { Candle } from '../../../src/domain/candles/candle.ts';
import { sha256Hex } from '../../../src/domain/values/canonical-json.ts';
import { readManifest } from '../../../src/domain/manifest/reader.ts';
import type { BacktestResult } from '../../../src/simulation/backtest/run.ts';
import type { BlindTrade } from '../../../src/domain/outside/replay-step.ts';
import { createReplayHost, type ReplayHost } from '../../../src/simulation/blind/replay-host.ts';
import { createVirtualClock, type VirtualClock } from '../../../streams/clock/virtual-clock.ts';
import { payload } from '../../domain/authored.ts';
import { clockFrom } from '../../harness/clock-from.ts';
import { containment } from '../../harness/contained.ts';
import { testDatabase } from '../../harness/postgres.ts';
import { waitFor } from '../../harness/wait-for.ts';
import { actorsOn } from '../../world/actor-world.ts';
import { draws, walk } from '../backtest/random-histories.ts';

const DAY = 86_400_000;
const ORG = '00000000-0000-7000-8000-00000000000a';
/** Start of the gate's period as of the next day. */
const FROM = Date.UTC(2020, 5, 12);
const TO = Date.UTC(2025, 5, 20);
const clock = clockFrom(TO + DAY / 2);
const newId = createNewIds(clock);
const context = { orgId: ORG, subject: 'ann', permissions: [], requestId: 'test' } as const;
const seedOf = (runId: string): string => sha256Hex(`seed ${runId}`);
let url: string;
let sql: Sql;
let evaluator: Sql;
let runtime: Runtime;
let commands: AgentCommands;
let evaluations: Evaluations;
let bars: readonly Candle[];
let idleClock: VirtualClock;
let host: ReplayHost;
const workers: RunWorker[] = [];

beforeAll(async () => {
  url = await testDatabase();
  sql = openDatabase({ url, name: 'test' });
  evaluator = openDatabase({ url, role: EVALUATOR_ROLE, name: 'test evaluator', connections: 1 });
  await createMemberStore(sql).ensureOrganization(ORG, 'ours');
  ({ runtime, commands } = actorsOn(sql, clock, newId));
  evaluations = openEvaluations({ sql, runtime, evidence: createEvidenceWriter(evaluator, newId), clock, newId });
  bars = walk(draws(11), FROM, DAY, (TO - FROM) / DAY, 30_000);
  const of = { kind: 'candles', venue: 'spotexchange', instrument: 'BTCUSDT', timeframe: '24h', source: 'test', receivedAt: 1 } as const;
  await createCandleStore(sql).save({ ...of, candles: bars });
  idleClock = createVirtualClock(TO);
  host = createReplayHost(idleClock, (error) => console.error(error));
});
afterEach(async () => {
  await Promise.all(workers.splice(0).map((worker) => worker.stop()));
});
afterAll(async () => {
  await host.stop();
  await sql.end();
  await evaluator.end();
});

function carry(holder = 'worker-1'): void {
  const deps = { sql, databaseUrl: url, histories: {}, archives: null, clock, log: createLog('silent') };
  workers.push(evaluations.carrySessions(openSessionRunners(deps, { host, seedOf }), holder, (error) => console.error(error)));
}

async function outsideAgent(release: string, timeframe = '24h'): Promise<string> {
  const { entryConditions: _entry, exitConditions: _exit, ...rules } = payload({ universe: ['BTCUSDT'], timeframe, maxSlippageBps: 500 });
  const read = readManifest({ ...rules, strategy: 'external', release });
  if (!read.ok) throw new Error(JSON.stringify(read.problems));
  const created = await commands.create(context, read.manifest);
  if (!created.ok) throw new Error(created.refusal.detail);
  return created.value.id;
}

/** Opens a session over so many days up to the end, or over the gate's period. */
async function open(agentId: string, days?: number): Promise<string> {
  const from = days === undefined ? FROM : TO - days * DAY;
  const request = readBacktestRequest(
    { from: new Date(from).toISOString(), to: new Date(TO).toISOString(), look: days !== undefined },
    TO + DAY,
  );
  if (!('assumptions' in request)) throw new Error(JSON.stringify(request));
  const started = await evaluations.commands.start(context, agentId, 'backtest', { ...request, session: newId() } as never);
  if (!started.ok) throw new Error(started.refusal.detail);
  return started.value.id;
}

interface Step {
  readonly step: number;
  readonly done: boolean;
  readonly slots: readonly { readonly path: number; readonly cut: Shown; readonly book: { readonly positions: readonly Held[] } }[];
}
interface Shown {
  readonly slot: string;
  readonly observations: readonly { readonly instrument: string }[];
}
type Held = { readonly instrument: string; readonly quantity: string };

const asked = (agentId: string, runId: string) => ({ orgId: ORG, agentId, runId });

/** Returns the first step, once the session has loaded its history. */
async function firstStep(agentId: string, runId: string): Promise<Step> {
  const text = await waitFor(
    async () => {
      const answer = await host.step(asked(agentId, runId), null);
      if (answer?.ok === true) return answer.value;
      const run = await evaluations.reads.find(ORG, agentId, runId);
      if (run !== null && run.endedAt !== null) throw new Error(`the session has ended: ${JSON.stringify(run.ending)}`);
      return null;
    },
    { what: 'the session shows its first step', deadlineMs: 60_000 },
  );
  return JSON.parse(text) as Step;
}

async function answer(agentId: string, runId: string, step: number, answers: readonly (BlindTrade | null)[]) {
  const outcome = await host.step(asked(agentId, runId), { step, answers });
  if (outcome === null) throw new Error('the session is gone');
  return outcome;
}

/** Answers all slots. `isLong` says for each slot of a path whether the strategy is long after it. */
async function play(agentId: string, runId: string, isLong: (slot: number) => boolean): Promise<void> {
  let shown = await firstStep(agentId, runId);
  while (!shown.done) {
    const answers = shown.slots.map(({ cut, book }): BlindTrade | null => {
      const [held] = book.positions;
      const size = { notionalUsd: null, quantity: null, limitPrice: null };
      if (isLong(shown.step)) {
        const instrument = cut.observations[0]?.instrument ?? '';
        return held === undefined ? { side: 'buy', instrument, ...size, notionalUsd: '1000' } : null;
      }
      return held === undefined ? null : { side: 'sell', instrument: held.instrument, ...size, quantity: held.quantity };
    });
    const next = await answer(agentId, runId, shown.step, answers);
    if (!next.ok) throw new Error(next.refusal.detail);
    shown = JSON.parse(next.value) as Step;
  }
}

async function ended(agentId: string, runId: string) {
  return waitFor(
    async () => {
      const run = await evaluations.reads.find(ORG, agentId, runId);
      return run !== null && run.endedAt !== null ? run : null;
    },
    { what: 'the session ends', deadlineMs: 60_000 },
  );
}

const trialsOf = async (evidenceId: string): Promise<number> => {
  const [row] = await sql<{ trials: number }[]>`select trials from backtest_luck(${evidenceId})`;
  return row?.trials ?? 0;
};

test('code that knows the true prices is refused for foreknowledge, and its seed is revealed', async () => {
  const agentId = await outsideAgent('the cheat');
  const runId = await open(agentId, 200);
  carry();
  const known = bars.slice(-200);
  // Slot n is the close of bar n; an order is filled at the next open and sold at the one after.
  const open_ = (n: number): number => Number(known[n]?.open ?? 0);
  await play(agentId, runId, (step) => open_(step + 1) > open_(step));
  const run = await ended(agentId, runId);
  expect(run).toMatchObject({ state: 'refused', ending: { code: 'foreknowledge', detail: expect.stringContaining(seedOf(runId)) } });
  expect(await sql`select 1 from evidence where agent_id = ${agentId}`).toEqual([]);
});

test('a session is answered in order, by one connection, and shows neither name nor date', async () => {
  const agentId = await outsideAgent('the honest');
  const runId = await open(agentId, 60);
  carry();
  const first = await firstStep(agentId, runId);
  expect(first.slots).toHaveLength(21);
  expect(JSON.stringify(first)).not.toMatch(/BTC|USDT|spotexchange|"202[45]-|\b17\d{11}\b/);
  const hold = first.slots.map(() => null);
  const second = await answer(agentId, runId, 1, hold);
  expect(second.ok && JSON.parse(second.value)).toMatchObject({ step: 2 });
  // A lost answer can be requested again; another answer to the same step is too late.
  expect(await answer(agentId, runId, 1, hold)).toEqual(second);
  const buy = { side: 'buy', instrument: 'blind:NONE', notionalUsd: '100', quantity: null, limitPrice: null } as const;
  expect(await answer(agentId, runId, 1, [buy, ...hold.slice(1)])).toMatchObject({ refusal: { code: 'state_conflict' } });
  expect(await answer(agentId, runId, 9, hold)).toMatchObject({ refusal: { code: 'state_conflict' } });
  expect(await answer(agentId, runId, 2, hold.slice(1))).toMatchObject({ refusal: { code: 'malformed' } });
  expect(await answer(agentId, runId, 2, [buy, ...hold.slice(1)])).toMatchObject({
    refusal: { detail: expect.stringContaining('blind:NONE') },
  });
  // A trade beyond the mandate is blocked, as in live trading.
  const { instrument } = first.slots[0]?.cut.observations[0] ?? { instrument: '' };
  const beyond = await answer(agentId, runId, 2, [{ ...buy, instrument, notionalUsd: '99999999' }, ...hold.slice(1)]);
  expect(beyond.ok && JSON.parse(beyond.value).slots[0].last).toEqual({ disposition: 'blocked_by_risk', reason: 'notional_limit_breach' });
  expect(await host.step({ ...asked(agentId, runId), orgId: newId() }, null)).toBeNull();

  // The host checks again only once its last check has ended.
  for (let n = 0; n < 3; n++) {
    idleClock.advanceTo(idleClock.now() + 5 * 60_000);
    await setImmediate();
  }
  expect(await ended(agentId, runId)).toMatchObject({ state: 'refused', ending: { code: 'expired' } });
});

test('a session over the gate’s period is evidence, counted with every earlier session', async () => {
  const agentId = await outsideAgent('the patient');
  const dead = await open(agentId, 60);
  expect((await createRunStore(sql, true).claim('dead', 1, 100)).map(({ runId }) => runId)).toEqual([dead]);
  await runtime.deliver(dead, { type: 'run.begun', holder: 'dead', at: clock.now() }, { cause: 'test' });
  carry();
  expect(await ended(agentId, dead)).toMatchObject({ state: 'refused', ending: { code: 'interrupted' } });
  const runId = await open(agentId);
  await play(agentId, runId, (step) => step % 40 < 20);
  const run = await ended(agentId, runId);
  expect(run).toMatchObject({ state: 'finished', ending: null });
  const report = await evaluations.reads.report(ORG, agentId, runId);
  const result = JSON.parse(report?.result ?? '{}') as BacktestResult;
  expect(sha256Hex(report?.result ?? '')).toBe(run.resultHash);
  expect(result.blind).toMatchObject({ seed: seedOf(runId), foreknowledge: { isForeknowledge: false } });
  expect(result.blind?.paths[result.blind.truth]?.historyHash).toBe(result.historyHash);
  expect(result.trades.closed).toBeGreaterThan(20);
  const [evidence] = await sql<{ id: string; run_id: string; result_hash: string }[]>`
    select id, run_id, result_hash from evidence where agent_id = ${agentId} and kind = 'backtest'`;
  expect(evidence).toMatchObject({ run_id: runId, result_hash: run.resultHash });
  expect(await trialsOf(evidence?.id ?? '')).toBe(2);
  await agreesOrFalls(agentId, runId);
});

const DUE = 40 * 3_600_000;
const gates = () => openGates({ sql, evaluator, runtime, clock, newId, obtainable: new Set() });
/** Assesses the agents as the service does every ten minutes, at a later time. */
const look = () => gates().assessDue(clock.now() + DUE, containment('assessing paper and shadow stages'));
const stageOf = async (id: string) => (await sql<{ stage: string }[]>`select stage from agents where id = ${id}`)[0]?.stage;

/** Places an agent on paper as evidence would, at the time of this file. */
async function putOnPaper(id: string): Promise<void> {
  const owner = openDatabase({ url, role: null, connections: 1, name: 'test owner' });
  await owner.begin(async (transaction) => {
    await transaction.unsafe(
      `create or replace function gate_now() returns bigint language sql volatile as 'select ${Math.floor(clock.now())}::bigint'`,
    );
    await transaction`alter table agents disable trigger user`;
    await transaction`alter table agents enable trigger agent_stage_noted`;
    await transaction`
      update agents set stage = 'stress_test', stage_evidence = (select id from evidence where agent_id = ${id} and kind = 'backtest') where id = ${id}`;
    await transaction`update agents set stage = 'paper', stage_evidence = null where id = ${id}`;
    await transaction`set constraints all immediate`;
    await transaction`alter table agents enable trigger user`;
    await transaction`update actors set snapshot = jsonb_set(snapshot, '{value,stage}', '"paper"'), version = version + 1 where id = ${id}`;
  });
  await owner.end();
}

/** On paper the code is asked again: the same answers keep the stage; different answers or silence demote. */
async function agreesOrFalls(agentId: string, passed: string): Promise<void> {
  const opened = async () => {
    await look();
    const [run] = await sql<{ id: string; request: object }[]>`
      select id, request from evaluation_runs where agent_id = ${agentId} and evaluation = 'agreement' and state in ('queued', 'running')`;
    expect(run?.request).toMatchObject({ of: passed });
    return run?.id ?? '';
  };
  const end = async (run: string, strategy: (step: number) => boolean) => {
    await play(agentId, run, strategy);
    const found = await ended(agentId, run);
    await look();
    return [found.state, found.summary?.['passed'], await stageOf(agentId)];
  };
  const asBefore = (step: number): boolean => step % 40 < 20;
  await putOnPaper(agentId);
  expect(await end(await opened(), asBefore)).toEqual(['finished', true, 'paper']);
  // That check was already due for the next one.
  expect(await end(await opened(), (step) => step % 40 < 19)).toEqual(['finished', false, 'backtest']);
  const [trip] = await sql<{ to_stage: string; asked_by: string; evidence_id: null }[]>`
    select to_stage, asked_by, evidence_id from stage_changes where agent_id = ${agentId} order by seq desc limit 1`;
  expect(trip).toEqual({ to_stage: 'backtest', asked_by: 'breaker disagreement', evidence_id: null });

  await putOnPaper(agentId);
  const silent = await opened();
  await firstStep(agentId, silent);
  for (let minutes = 0; minutes < 65; minutes += 5) {
    idleClock.advanceTo(idleClock.now() + 5 * 60_000);
    await setImmediate();
  }
  const run = await ended(agentId, silent);
  expect(run).toMatchObject({ state: 'refused', ending: { code: 'expired', detail: expect.stringContaining('counts as disagreement') } });
  await look();
  expect(await stageOf(agentId)).toBe('backtest');
}

test('a session is for outside code only, and outside code is evaluated by nothing else', async () => {
  const outside = await outsideAgent('another');
  const plain = readBacktestRequest({}, TO + DAY);
  if (!('assumptions' in plain)) throw new Error(JSON.stringify(plain));
  expect(await evaluations.commands.start(context, outside, 'backtest', plain as never)).toMatchObject({
    refusal: { code: 'external_not_listable' },
  });
  const own = readManifest(payload({ universe: ['BTCUSDT'] }));
  if (!own.ok) throw new Error(JSON.stringify(own.problems));
  const created = await commands.create(context, own.manifest);
  const ownId = created.ok ? created.value.id : '';
  expect(await evaluations.commands.start(context, ownId, 'backtest', { ...plain, session: newId() } as never)).toMatchObject({
    refusal: { code: 'state_conflict' },
  });
});

test('bars longer than a day can be rehearsed, and are refused as evidence with a reason', async () => {
  const week = 7 * DAY;
  const weekly = walk(draws(12), Math.ceil(FROM / week) * week, week, 261, 30_000);
  const of = { kind: 'candles', venue: 'spotexchange', instrument: 'BTCUSDT', timeframe: '168h', source: 'test', receivedAt: 1 } as const;
  await createCandleStore(sql).save({ ...of, candles: weekly });
  const agentId = await outsideAgent('weekly', '168h');
  await expect(open(agentId)).rejects.toThrow('the gate of backtests is measured by days, and bars of 168h are longer');
  const runId = await open(agentId, 700);
  carry();
  await play(agentId, runId, (step) => step % 10 < 5);
  expect(await ended(agentId, runId)).toMatchObject({ state: 'finished', ending: null });
});
