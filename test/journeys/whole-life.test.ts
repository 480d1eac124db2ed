// One agent's whole life on a real database: seven gates with evidence of the real evaluators, then a breaker demotes it.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createBreakerWatch } from '../../actors/agent/breaker-watch.ts';
import type { AgentCommands } from '../../actors/agent/commands.ts';
import type { RunWorker } from '../../actors/evaluation/run-worker.ts';
import type { Runtime } from '../../actors/runtime/runtime.ts';
import { createLog } from '../../src/adapters/log/log.ts';
import { writeRecords } from '../../src/adapters/store/actors/actor-records.ts';
import { createAgentDirectory } from '../../src/adapters/store/agents/agent-directory.ts';
import { writeCut } from '../../src/adapters/store/agents/cut-store.ts';
import { liveInstruments } from '../../src/adapters/store/agents/manifest-reads.ts';
import { createCandleStore } from '../../src/adapters/store/candles/candle-store.ts';
import { createShadowStore } from '../../src/adapters/store/gates/shadow-store.ts';
import { openEvaluations } from '../../src/boot/capabilities/evaluation.ts';
import { openHistoryRunners, openStressRunner } from '../../src/boot/wiring/evaluation-runners.ts';
import { type Gates, openGates } from '../../src/boot/wiring/gates.ts';
import { readBacktestRequest } from '../../src/domain/backtest/request.ts';
import type { Candle } from '../../src/domain/candles/candle.ts';
import type { Cut } from '../../src/domain/market/cut.ts';
import { Decimal } from '../../src/domain/values/decimal.ts';
import { GENESIS_HASH } from '../../src/domain/agents/decision.ts';
import type { Manifest } from '../../src/domain/manifest/manifest.ts';
import { readManifest } from '../../src/domain/manifest/reader.ts';
import { NO_FLAGS } from '../../src/domain/market/quote.ts';
import type { TapeAgent, TapeEvent } from '../../src/domain/tape/tape.ts';
import type { EpochMs } from '../../src/domain/values/time.ts';
import type { ReplayedFill } from '../../src/simulation/replay/replay-books.ts';
import { replayTape } from '../../src/simulation/replay/replay.ts';
import { measuredBy } from '../../src/trading/shadow-measuring.ts';
import { createLiveClock } from '../../streams/clock/live-clock.ts';
import { createGateFixture, type GateFixture, ORG } from '../adapters/store/gates/gate-fixture.ts';
import { payload } from '../domain/authored.ts';
import { testDatabase } from '../harness/postgres.ts';
import { waitFor } from '../harness/wait-for.ts';
import { actorsOn } from '../world/actor-world.ts';
import { eachRow } from '../../actors/runtime/containment.ts';
import { clockFrom } from '../harness/clock-from.ts';

const MINUTE = 60_000;
const HOUR = 3_600_000;
const DAY = 86_400_000;
/** Start of the gate's period, on the day the gates' clock starts. */
const FROM = Date.UTC(2021, 4, 24);
const TO = Date.UTC(2026, 5, 1);
const PAPER_DAYS = 15;
const SHADOW_DAYS = 6;
const clock = createLiveClock();

let fixture: GateFixture;
let runtime: Runtime;
let commands: AgentCommands;
let gates: Gates;
/** Reason why its venue cannot be queried in time, or null. */
let late: string | null = null;
let worker: RunWorker;
let evaluations: ReturnType<typeof openEvaluations>;
const as = (subject: string) => ({ orgId: ORG, subject, permissions: [], requestId: 'test' }) as const;

beforeAll(async () => {
  const url = await testDatabase();
  fixture = await createGateFixture(url);
  const { app: sql, evaluator, newId } = fixture;
  ({ runtime, commands } = actorsOn(sql, clock, newId));
  const lateRound = async (): Promise<string | null> => late;
  gates = openGates({ sql, evaluator, runtime, clock, newId, obtainable: new Set(), lateRound });
  evaluations = openEvaluations({ sql, runtime, evidence: gates.evidence, clock: clockFrom(TO + MINUTE), newId });
  worker = evaluations.carry(
    {
      ...openHistoryRunners({ sql, databaseUrl: url, histories: {}, archives: null, clock, log: createLog('silent') }),
      stress_test: openStressRunner(sql),
    },
    'worker-1',
    (error) => console.error(error),
  );
});
afterAll(async () => {
  await worker.stop();
  await fixture.close();
});

/** Price with a daily cycle and an hourly variation: buying low and selling high earns steadily. */
function priceAt(at: EpochMs): number {
  const hour = Math.floor(at / HOUR);
  const jitter = ((Math.imul(hour, 2_654_435_761) >>> 8) % 1_000) / 1_000 - 0.5;
  return 30_000 * (1 + 0.03 * Math.sin((2 * Math.PI * at) / DAY) + 0.001 * jitter);
}

function bar(openTime: EpochMs): Candle {
  const [open, close] = [priceAt(openTime), priceAt(openTime + HOUR - 1)];
  const spelled = (value: number): string => value.toFixed(2);
  return {
    openTime,
    open: spelled(open),
    high: spelled(Math.max(open, close)),
    low: spelled(Math.min(open, close)),
    close: spelled(close),
    volume: '500',
  };
}

function manifestOf(): Manifest {
  const read = readManifest(
    payload({
      universe: ['BTCUSDT'],
      timeframe: '1h',
      entryConditions: [{ type: 'rsi_below', period: 6, value: 25 }],
      exitConditions: [{ type: 'rsi_above', period: 6, value: 75 }],
      maxCapitalUsd: 10_000,
      maxTradeNotionalUsd: 2_000,
      stopLossPct: 8,
      takeProfitPct: 50,
      maxDailyDrawdownPct: 3,
      maxOpenPositions: 1,
      // Its tape quotes once and then is silent: a resting order would find no live price later.
      algorithm: 'taker_immediate',
      maxSlippageBps: 60,
    }),
  );
  if (!read.ok) throw new Error(JSON.stringify(read.problems));
  return read.manifest;
}

async function run(agentId: string, evaluation: 'backtest' | 'stress_test', request: object): Promise<void> {
  const started = await evaluations.commands.start(as('tina'), agentId, evaluation, request as never);
  if (!started.ok) throw new Error(started.refusal.detail);
  const ended = await waitFor(
    async () => {
      const found = await evaluations.reads.find(ORG, agentId, started.value.id);
      return found !== null && found.endedAt !== null ? found : null;
    },
    { what: `the ${evaluation} ends`, deadlineMs: 90_000 },
  );
  expect(ended, JSON.stringify(ended.ending)).toMatchObject({ state: 'finished', summary: { passed: true } });
}

async function promoted(agentId: string, to: string): Promise<void> {
  const outcome = await gates.commands.promote(as('tina'), agentId);
  expect(outcome).toMatchObject({ ok: true, value: { stage: to } });
  await fixture.advance(1_000);
}

async function refused(agentId: string, code: string): Promise<void> {
  expect(await gates.commands.promote(as('tina'), agentId)).toMatchObject({ ok: false, refusal: { code } });
}

/** Yields quotes of every minute and bars of every hour from `from` on, after enough bars for the indicators. */
async function* received(from: EpochMs, days: number): AsyncGenerator<{ readonly events: readonly TapeEvent[] }> {
  const feed = { venue: 'spotexchange', instrument: 'BTCUSDT' } as const;
  const first = Math.floor(from / HOUR) * HOUR;
  const bars = (open: EpochMs, count: number, at: EpochMs): TapeEvent => ({
    kind: 'candles',
    ...feed,
    timeframe: '1h',
    source: 'test:candles',
    receivedAt: at,
    candles: Array.from({ length: count }, (_, index) => bar(open + index * HOUR)),
    covers: { from: open, to: open + count * HOUR },
  });
  let events: TapeEvent[] = [bars(first - 100 * HOUR, 100, from)];
  for (let slot = (Math.floor(from / MINUTE) + 1) * MINUTE; slot < from + days * DAY; slot += MINUTE) {
    const mid = priceAt(slot);
    events.push({
      kind: 'quote',
      ...feed,
      source: 'test:top',
      observedAt: slot - 1_000,
      receivedAt: slot - 1_000,
      sourceTime: true,
      bid: (mid - 0.5).toFixed(2),
      ask: (mid + 0.5).toFixed(2),
      bidSize: '2',
      askSize: '2',
      sequence: null,
      quality: 'live',
      flags: NO_FLAGS,
    });
    // A bar is received once it is closed.
    if (slot % HOUR === 0) events.push(bars(slot - HOUR, 1, slot + 500));
    if (events.length > 1_000) {
      yield { events };
      events = [];
    }
  }
  yield { events };
}

/** Runs the agent's forward trading under virtual time. Its fills and cuts are stored like live ones. */
async function traded(agent: TapeAgent, from: EpochMs, days: number): Promise<readonly ReplayedFill[]> {
  const fills: ReplayedFill[] = [];
  const cuts = new Map<EpochMs, Cut>();
  await replayTape({
    tapes: [{ file: 'made', header: { tape: 1 }, cut: null, batches: () => received(from, days) as never }],
    agents: [{ ...agent, tickFrom: (Math.floor(from / MINUTE) + 1) * MINUTE }],
    onFill: (fill) => fills.push(fill),
    onDecisions: (_, cut) => {
      const last = fills.at(-1)?.fill.at ?? 0;
      if (cut.slot % DAY === DAY - MINUTE || cut.slot - last <= MINUTE) cuts.set(cut.slot, cut);
    },
  });
  for (const cut of cuts.values()) await writeCut(fixture.app, cut, 'streams');
  for (const { fill } of fills) {
    const sent = { limitPrice: new Decimal(fill.fillPrice).times(fill.side === 'buy' ? '1.006' : '0.994').toFixed(), restedSince: null };
    await fixture.app.begin((sql) => writeRecords(sql, [{ type: 'fill', orgId: ORG, fill, sent }]));
  }
  await measured();
  return fills;
}

/** Records order flow at the shadow stage: each order met the market's book on arrival. */
async function measured(): Promise<void> {
  const shadows = createShadowStore(fixture.app);
  const orders = await shadows.unmeasured(0, 1_000);
  const level = (price: number) => [{ price: price.toFixed(2), size: '2' }];
  await shadows.write(
    orders.map((order) =>
      measuredBy(order, {
        window(span) {
          const mid = priceAt(span.arrival);
          const book = { source: 'test:top', at: span.arrival, bids: level(mid - 0.5), asks: level(mid + 0.5), liquidityUsd: null };
          return { ...span, books: [book], trades: [], gaps: [] };
        },
      }),
    ),
  );
}

test('an agent climbs from draft to live by its evidence, and a breaker demotes it again', async () => {
  const { app: sql } = fixture;
  const store = createCandleStore(sql);
  for (let open = FROM; open < TO; open += 5_000 * HOUR) {
    const count = Math.min(5_000, (TO - open) / HOUR);
    const candles = Array.from({ length: count }, (_, index) => bar(open + index * HOUR));
    await store.save({
      kind: 'candles',
      venue: 'spotexchange',
      instrument: 'BTCUSDT',
      timeframe: '1h',
      source: 'test',
      receivedAt: 1,
      candles,
    });
  }
  const created = await commands.create(as('creator'), manifestOf());
  if (!created.ok) throw new Error(created.refusal.detail);
  const { id, manifestHash } = created.value;
  await promoted(id, 'backtest');

  await refused(id, 'evidence_missing');
  await run(id, 'backtest', readBacktestRequest({}, TO + MINUTE));
  await promoted(id, 'stress_test');

  await refused(id, 'evidence_missing');
  await run(id, 'stress_test', { seeds: 1 });
  await promoted(id, 'paper');

  // Two weeks and a day on paper, minute by minute.
  await refused(id, 'gate_failed');
  const agent: TapeAgent = {
    id,
    orgId: ORG,
    manifest: manifestOf(),
    manifestVersion: 1,
    autonomy: 'policy_auto',
    stage: 'paper',
    tickFrom: null,
    tickUntil: null,
    previousHash: GENESIS_HASH,
    snapshot: {
      status: 'active',
      value: { stage: 'paper', duty: 'active', feed: 'live' },
      context: { autonomy: 'policy_auto', manifestVersion: 1, manifestHash, pauseCause: null, degradedVenues: [] },
    } as never,
  };
  const now = async (): Promise<EpochMs> => ((await sql<{ at: number }[]>`select gate_now() as at`)[0] as { at: number }).at;
  const onPaper = await traded(agent, await now(), PAPER_DAYS);
  expect(onPaper.length).toBeGreaterThan(20);
  await fixture.advance(13 * DAY);
  await refused(id, 'gate_failed');
  await fixture.advance((PAPER_DAYS - 13) * DAY);
  await promoted(id, 'shadow');

  // Days beside the live market; earlier holdings are sold first, as its book shows.
  await refused(id, 'gate_failed');
  const inShadow = await traded({ ...agent, stage: 'shadow' }, await now(), SHADOW_DAYS);
  expect(inShadow.length).toBeGreaterThan(10);
  await fixture.advance(SHADOW_DAYS * DAY);
  late = 'quotes take 7.5 s a round';
  expect(await gates.commands.promote(as('tina'), id)).toMatchObject({
    ok: false,
    refusal: { code: 'feature_disabled', detail: 'no live capital: quotes take 7.5 s a round' },
  });
  late = null;
  expect(await liveInstruments(sql)).toEqual([]);
  await promoted(id, 'limited_live');
  expect(await liveInstruments(sql)).toEqual(manifestOf().universe.map(({ key }) => key));

  await refused(id, 'evidence_missing');
  expect(await gates.commands.signOff(as('creator'), id, { approved: true, comment: 'mine' })).toMatchObject({ ok: false });
  expect(await gates.commands.signOff(as('rita'), id, { approved: true, comment: 'read the fills' })).toMatchObject({ ok: true });
  await promoted(id, 'live');

  const changes = await sql<{ to_stage: string; evidence_id: string | null }[]>`
    select to_stage, evidence_id from stage_changes where agent_id = ${id} order by seq`;
  expect(changes.map(({ to_stage }) => to_stage)).toEqual(['draft', 'backtest', 'stress_test', 'paper', 'shadow', 'limited_live', 'live']);
  expect(changes.slice(1).every(({ evidence_id }) => evidence_id !== null)).toBe(true);

  // Live fills cost four times as much as the shadow stage predicted.
  const expected = 2;
  const watch = createBreakerWatch({
    contained: eachRow((error) => {
      throw error;
    }),
    runtime,
    slippage: async () => new Map([[id, { slippageBps: expected * 4, fills: 6, expectedSlippageBps: expected }]]),
    clock,
  });
  const book = { agentId: id, stage: 'live' as const, manifest: manifestOf(), marked: { dailyDrawdownPct: 1 } };
  expect(await watch.look([book])).toEqual([id]);
  expect((await createAgentDirectory(sql).find(ORG, id))?.stage).toBe('paper');
  // Evidence from before the demotion does not count.
  await fixture.advance(1_000);
  await refused(id, 'gate_failed');
});
