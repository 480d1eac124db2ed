// A recorded live run replays to exactly what it wrote, on real PostgreSQL, with agents that are created, change, pause and miss slots.
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createOutsideHandler } from '../../../actors/agent/outside-proposals.ts';
import { createLiveRunReads } from '../../../src/adapters/store/agents/live-run-reads.ts';
import { createOutsideStore } from '../../../src/adapters/store/agents/outside-store.ts';
import { openDatabase, type Sql } from '../../../src/adapters/store/database.ts';
import { verifyTrail } from '../../../src/adapters/store/trail-verifier.ts';
import { openTape } from '../../../src/adapters/tape/tape-reader.ts';
import { createTape } from '../../../src/adapters/tape/tape-writer.ts';
import { CATALOG } from '../../../src/domain/catalog/catalog.ts';
import { compileManifest } from '../../../src/domain/agents/decide.ts';
import type { Manifest } from '../../../src/domain/manifest/manifest.ts';
import { renderPayload } from '../../../src/domain/manifest/payload-form.ts';
import { readManifest } from '../../../src/domain/manifest/reader.ts';
import { CutHashes } from '../../../src/domain/agents/observed-state.ts';
import { readTakeFields } from '../../../src/domain/take/read-take.ts';
import type { TapeEvent } from '../../../src/domain/tape/tape.ts';
import { isoTime, TAKE_TICK_MS } from '../../../src/domain/values/time.ts';
import { createParity } from '../../../src/simulation/replay-parity.ts';
import { replayTape } from '../../../src/simulation/replay/replay.ts';
import { createComparison } from '../../../src/simulation/replay/record-comparison.ts';
import { liveRun, ORG, PERIOD, START } from '../../harness/live-run.ts';
import { testDatabase } from '../../harness/postgres.ts';

let folder = '';
let sql: Sql;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'live-'));
  sql = openDatabase({ url: await testDatabase(), name: 'test' });
});
afterEach(async () => {
  await sql.end();
  await rm(folder, { recursive: true });
});

function manifest(name: string, universe: readonly string[], entryConditions: readonly unknown[]): Manifest {
  const read = readManifest({
    name,
    description: '',
    universe,
    timeframe: '1m',
    entryConditions,
    exitConditions: [],
    maxCapitalUsd: 25_000,
    maxTradeNotionalUsd: 2_500,
    stopLossPct: 4,
    takeProfitPct: 6,
    maxDailyDrawdownPct: 3,
    maxOpenPositions: 3,
    maxSlippageBps: 60,
  });
  if (!read.ok) throw new Error(JSON.stringify(read.problems));
  return read.manifest;
}

test('a replay decides an external agent again from the recorded outside proposals', async () => {
  const file = join(folder, 'outside.tape');
  const process = await liveRun(sql, file);
  const context = { orgId: ORG, subject: 'ann', permissions: ['risk:manage'], requestId: 'r' } as const;
  const read = readManifest({
    ...renderPayload(manifest('Outside', ['BTCUSDT'], [])),
    strategy: 'external',
    release: 'bot 1.4',
    algorithm: 'taker_immediate',
  });
  if (!read.ok) throw new Error(JSON.stringify(read.problems));
  const created = await process.commands.create(context, read.manifest);
  if (!created.ok) throw new Error(created.refusal.detail);
  await process.refreshNeeds();
  const { id, manifestHash } = created.value;
  await process.commands.setAutonomy(context, id, 'policy_auto');
  const { clock } = process;
  const bot = createOutsideHandler({ store: createOutsideStore(sql), clock, newId: randomUUID });
  const propose = async (side: 'buy' | 'sell', notionalUsd: string) => {
    const size = { side, instrument: 'spotexchange:BTCUSDT', notionalUsd, quantity: null, limitPrice: null } as const;
    const outcome = await bot.propose(context, id, { ...size, reason: side, inputs: { side }, clientId: side, manifestHash });
    expect(outcome.ok ? null : outcome.refusal).toBeNull();
  };
  for (let number = 1; number <= 3; number++) await process.half(number, '64000');
  await propose('buy', '2000');
  for (let number = 4; number <= 7; number++) await process.half(number, '64001');
  await propose('sell', '500');
  for (let number = 8; number <= 11; number++) await process.half(number, '64002');
  await process.stop();

  const comparison = await createComparison(createLiveRunReads(sql));
  const reasons = new Map<string, number>();
  await replayTape({
    tapes: [await openTape(file)],
    missed: comparison.missed,
    onDecisions: async (made, cut, manifestOf) => {
      for (const row of made) reasons.set(row.reason ?? row.disposition, (reasons.get(row.reason ?? row.disposition) ?? 0) + 1);
      await comparison.take(made, cut, manifestOf);
    },
  });
  expect(comparison.result()).toMatchObject({ different: 0, firstDifference: null, onlyReplayed: 0 });
  expect(Object.fromEntries(reasons)).toMatchObject({ propose_entry: 1, propose_exit: 1 });
  expect((await verifyTrail(sql)).breaks).toEqual([]);
});

test('a recording through a failure of the store replays as the run decided', async () => {
  const file = join(folder, 'failure.tape');
  let fails = false;
  const process = await liveRun(sql, file, { recorderFails: () => fails });
  const context = { orgId: ORG, subject: 'ann', permissions: ['risk:manage'], requestId: 'r' } as const;
  const rule = [{ type: 'price_above', price: '64000' }];
  const early = await process.commands.create(context, manifest('Early', ['BTCUSDT'], rule));
  if (!early.ok) throw new Error(early.refusal.detail);
  await process.refreshNeeds();
  for (let number = 1; number <= 3; number++) await process.half(number, '64000');
  const late = await process.commands.create(context, manifest('Late', ['BTCUSDT'], rule));
  if (!late.ok) throw new Error(late.refusal.detail);
  await process.commands.setAutonomy(context, early.value.id, 'policy_auto');
  fails = true;
  await process.half(4, '64001');
  fails = false;
  for (let number = 5; number <= 8; number++) await process.half(number, '64002');
  await process.stop();

  const comparison = await createComparison(createLiveRunReads(sql));
  await replayTape({ tapes: [await openTape(file)], missed: comparison.missed, onDecisions: comparison.take });
  expect(comparison.result()).toMatchObject({ different: 0, firstDifference: null, onlyReplayed: 0 });
});

test('a replay of the tape writes the same as the live run, hash for hash', async () => {
  const file = join(folder, 'live.tape');
  const process = await liveRun(sql, file);
  const context = { orgId: ORG, subject: 'ann', permissions: ['risk:manage'], requestId: 'r' } as const;
  const create = async (made: Manifest): Promise<string> => {
    const outcome = await process.commands.create(context, made);
    if (!outcome.ok) throw new Error(outcome.refusal.detail);
    await process.refreshNeeds();
    return outcome.value.id;
  };
  const first = await create(manifest('Oversold', ['BTCUSDT'], [{ type: 'rsi_below', period: 3, value: 50 }]));
  await process.commands.setAutonomy(context, first, 'confirm');
  for (let number = 1; number <= 6; number++) await process.minute(number);
  const second = await create(manifest('Discount', ['AAPLx'], [{ type: 'premium_below', pct: -0.5 }]));
  await process.commands.setAutonomy(context, second, 'policy_auto');
  await process.minute(7);
  await process.commands.pause(context, first);
  await process.minute(8);
  await process.minute(9, true);
  await process.commands.resume(context, first);
  await process.minute(10);
  await process.commands.addVersion(context, first, manifest('Oversold', ['BTCUSDT', 'AAPLx'], [{ type: 'ema_above', fast: 2, slow: 4 }]));
  await process.refreshNeeds();
  for (let number = 11; number <= 14; number++) await process.minute(number);
  await process.stop();

  const tape = await openTape(file);
  expect(tape.header).toMatchObject({ tape: 1, source: 'live recording' });
  const comparison = await createComparison(createLiveRunReads(sql));
  const rows: { agentId: string; slot: number; disposition: string; reason: string | null }[] = [];
  const result = await replayTape({
    tapes: [tape],
    missed: comparison.missed,
    onDecisions: async (made, cut, manifestOf) => {
      rows.push(...made);
      await comparison.take(made, cut, manifestOf);
    },
  });
  expect(comparison.result()).toMatchObject({ different: 0, firstDifference: null, onlyReplayed: 0, missedLive: 1 });
  expect(result).toMatchObject({ cut: null, counts: { agents: 2, refusedCommands: 0 } });

  // Everything from the second slot on is on the tape: the recorder found the agents after the first tick.
  const written = await sql<{ count: number }[]>`select count(*) from decisions where slot > ${START + PERIOD}`;
  expect(rows).toHaveLength(written[0]?.count as number);
  expect(new Set(rows.map(({ disposition }) => disposition)).size).toBeGreaterThan(1);
  expect(rows.filter(({ reason }) => reason === 'late_tick')).toHaveLength(1);
  expect(rows.filter(({ agentId, slot }) => agentId === first && (slot === START + 8 * PERIOD || slot === START + 9 * PERIOD))).toEqual([]);
  expect((await verifyTrail(sql)).breaks).toEqual([]);

  // The recording under the old rule of observed hashes, which names no rule and has the old hashes.
  const old = join(folder, 'old.tape.ndjson');
  const writer = await createTape(old, tape.header);
  for await (const { events } of (await openTape(file)).batches())
    await writer.write(events.map((event) => (event.kind === 'cut' ? (({ rule: _, ...note }) => note)(event) : event)));
  await writer.close();
  let [observed, differing] = [0, 0];
  await replayTape({
    tapes: [await openTape(old)],
    missed: comparison.missed,
    onDecisions: (made, cut, manifestOf) => {
      for (const row of made.filter(({ observedHash }) => observedHash !== '')) {
        const { reading } = compileManifest(manifestOf(row.manifestHash));
        const { hashedBy, ...present } = cut;
        expect([hashedBy, row.observedHash]).toEqual([1, new CutHashes(cut).observedByFirstRule(reading)]);
        observed++;
        if (new CutHashes(present).observed(reading) !== row.observedHash) differing++;
      }
    },
  });
  expect([observed > 10, differing]).toEqual([true, observed]);

  // The whole recording is certified. The slot before it and a period without decisions are not.
  const parityOf = async (from: number, to: number) => {
    const parity = await createParity(createLiveRunReads(sql), { from, to });
    await replayTape({ tapes: [await openTape(file)], missed: parity.missed, onDecisions: parity.take });
    return parity.report();
  };
  const [recorded, end] = [START + 2 * PERIOD, START + 15 * PERIOD];
  const whole = await parityOf(recorded, end);
  expect(whole).toMatchObject({ equal: true, different: 0, onlyLive: 0, missedLive: 1, written: rows.length, firstDifference: null });
  expect(whole.writtenHash).toMatch(/^[0-9a-f]{64}$/);
  const before = await parityOf(START, end);
  expect(before).toMatchObject({ equal: false, different: 0, onlyLive: 1 });
  expect(before.firstDifference).toBe(
    `agent ${first}, slot ${isoTime(START + PERIOD)}: the live run decided, and the tapes replay no decision`,
  );
  expect(await parityOf(end, end + PERIOD)).toMatchObject({ equal: false, written: 0 });
});

test('a price that the live run did not see is found and described', async () => {
  const file = join(folder, 'live.tape.ndjson');
  const process = await liveRun(sql, file);
  const context = { orgId: ORG, subject: 'ann', permissions: [], requestId: 'r' } as const;
  await process.commands.create(context, manifest('Discount', ['AAPLx'], [{ type: 'premium_below', pct: -0.5 }]));
  await process.refreshNeeds();
  for (let number = 1; number <= 3; number++) await process.minute(number);
  await process.stop();
  const comparison = await createComparison(createLiveRunReads(sql));
  const tape = await openTape(file);
  const forged = {
    file,
    header: tape.header,
    cut: null,
    async *batches() {
      for await (const batch of tape.batches()) {
        yield {
          events: batch.events.map(
            (event): TapeEvent =>
              event.kind === 'reference' && event.receivedAt === START + 2 * PERIOD ? { ...event, referencePrice: '201' } : event,
          ),
        };
      }
    },
  };
  await replayTape({ tapes: [forged], missed: comparison.missed, onDecisions: comparison.take });
  const { different, compared, firstDifference } = comparison.result();
  expect({ different, compared }).toEqual({ different: 2, compared: 2 });
  expect(firstDifference).toMatch(
    /slot 2025-01-06T15:02:00.000Z: reference of spotchain:AAPLx was \{.*"referencePrice":"200"\} live and is \{.*"referencePrice":"201"\} in the replay/,
  );
});

test('Takes replay as they were evaluated every half minute: armed before and during the recording, filled, left, missed and disarmed', async () => {
  const file = join(folder, 'takes.tape');
  const process = await liveRun(sql, file);
  const context = { orgId: ORG, subject: 'ann', permissions: ['trade:execute'], requestId: 'r' } as const;
  const reading = { thesis: null, understood: [], assumed: [], notUnderstood: [], open: [] };
  const armed = async (below: string, exit: readonly object[]): Promise<string> => {
    const read = readTakeFields(
      { symbol: 'BTCUSDT', target: { kind: 'price', direction: 'below', value: below }, conditions: { exit }, allocationUsd: '1000' },
      { catalog: CATALOG, now: process.clock.now() },
    );
    if (!read.ok) throw new Error(JSON.stringify(read.problems));
    const created = await process.takes.create(context, read.take, reading);
    if (!created.ok) throw new Error(created.refusal.detail);
    expect(await process.takes.arm(context, created.value.id, 'paper')).toMatchObject({ ok: true });
    await process.refreshNeeds();
    return created.value.id;
  };
  const outcome = await process.commands.create(context, manifest('Beside', ['BTCUSDT'], [{ type: 'price_above', price: '1' }]));
  if (!outcome.ok) throw new Error(outcome.refusal.detail);
  await process.commands.setAutonomy(context, outcome.value.id, 'confirm');
  const first = await armed('60000', [{ type: 'price_above', price: '65000' }]);
  // The recorder reads who exists; later changes are announced to it.
  await process.look();
  await process.half(1, '61000');
  await process.half(2, '61000');
  const second = await armed('59000', []);
  await process.half(3, '59500');
  await process.half(4, '59400');
  await process.half(5, '59300', { missed: true });
  await process.half(6, '58500');
  await process.half(7, '66000');
  await process.half(8, '66000');
  const third = await armed('1000', []);
  await process.half(9, '66000');
  await process.takes.disarm(context, third);
  await process.half(10, '66000');
  await process.stop();
  const states = await Promise.all([first, second, third].map(async (id) => (await process.takeReads.find(ORG, id))?.state));
  expect(states).toEqual(['closed', 'filled', 'disarmed']);

  const comparison = await createComparison(createLiveRunReads(sql));
  const slots = new Map<string, number[]>();
  let hashes: readonly string[] = [];
  for (let run = 0; run < 2; run++) {
    slots.clear();
    const made: string[] = [];
    const result = await replayTape({
      tapes: [await openTape(file)],
      missed: comparison.missed,
      onDecisions: async (rows, cut, manifestOf) => {
        for (const { agentId, slot, hash } of rows) {
          slots.set(agentId, [...(slots.get(agentId) ?? []), (slot - START) / TAKE_TICK_MS]);
          made.push(hash);
        }
        await comparison.take(rows, cut, manifestOf);
      },
    });
    expect(result).toMatchObject({ cut: null, counts: { agents: 4, refusedCommands: 0 } });
    if (run === 1) expect(made).toEqual(hashes);
    hashes = made;
  }
  expect(comparison.result()).toMatchObject({ different: 0, firstDifference: null, onlyReplayed: 0 });
  const [written] = await sql<{ n: number }[]>`select count(*)::int as n from decisions where slot >= ${START}`;
  expect(hashes.length).toBe(written?.n);
  // One evaluation per half minute while active, and one per minute of the agent.
  expect(slots.get(first)).toEqual([1, 2, 3, 4, 5, 6, 7]);
  expect(slots.get(second)).toEqual([3, 4, 5, 6]);
  expect(slots.get(third)).toEqual([9]);
  expect(slots.get(outcome.value.id)).toEqual([2, 4, 6, 8, 10]);
});

test('a tokenized Take decides like its Take on the same cuts, as recorded and in the replay', async () => {
  const file = join(folder, 'tokenized.tape');
  const process = await liveRun(sql, file);
  const context = { orgId: ORG, subject: 'ann', permissions: ['trade:execute', 'risk:manage'], requestId: 'r' } as const;
  const reading = { thesis: 'a reason, which is no part of the policy', understood: [], assumed: [], notUnderstood: [], open: [] };
  const FIELDS = [
    { target: { kind: 'price', direction: 'below', value: '60000' }, conditions: { exit: [{ type: 'price_above', price: '65000' }] } },
    {
      target: { kind: 'price', direction: 'below', value: '62000' },
      conditions: {
        exit: [
          { type: 'price_below', price: '58000' },
          { type: 'held_longer_than', hours: 200 },
        ],
      },
    },
    { target: { kind: 'price', direction: 'above', value: '65500' }, conditions: { exit: [] } },
    { target: { kind: 'price', direction: 'below', value: '10' }, conditions: { exit: [] } },
  ];
  const pairs: { readonly take: string; readonly agent: string }[] = [];
  for (const fields of FIELDS) {
    const read = readTakeFields({ symbol: 'BTCUSDT', allocationUsd: '1000', ...fields }, { catalog: CATALOG, now: process.clock.now() });
    if (!read.ok) throw new Error(JSON.stringify(read.problems));
    const created = await process.takes.create(context, read.take, reading);
    if (!created.ok) throw new Error(created.refusal.detail);
    const tokenized = await process.takes.manifestFor(ORG, created.value.id);
    if (!tokenized.ok) throw new Error(tokenized.refusal.detail);
    const agent = await process.commands.create(context, tokenized.value.manifest);
    if (!agent.ok) throw new Error(agent.refusal.detail);
    // It is created at `research`; with a Take's autonomy its proposals continue like a Take's.
    expect(await process.commands.setAutonomy(context, agent.value.id, 'policy_auto')).toMatchObject({ ok: true });
    expect(await process.takes.arm(context, created.value.id, 'paper')).toMatchObject({ ok: true });
    pairs.push({ take: created.value.id, agent: agent.value.id });
  }
  await process.refreshNeeds();
  await process.look();
  // Crossings happen at full minutes: cuts that both evaluate.
  for (const [number, bid] of [
    '63000',
    '61000',
    '61000',
    '59400',
    '59300',
    '59500',
    '59500',
    '66000',
    '66000',
    '57000',
    '57000',
    '57000',
  ].entries())
    await process.half(number + 1, bid);
  await process.stop();

  type Decided = Map<string, Map<number, string>>;
  const told = (decided: Decided, { agentId, slot, ...row }: { agentId: string; slot: number } & Record<string, unknown>): void => {
    const { disposition, reason, instrument, outcome, observedHash } = row;
    const bySlot = decided.get(agentId) ?? new Map<number, string>();
    decided.set(agentId, bySlot.set(slot, JSON.stringify({ disposition, reason, instrument, outcome, observedHash })));
  };
  const recorded: Decided = new Map();
  for (const row of await sql`
    select agent_id as "agentId", slot, disposition, reason, instrument, outcome, encode(observed_hash, 'hex') as "observedHash" from decisions order by slot`)
    told(recorded, row as never);
  const replayed: Decided = new Map();
  const comparison = await createComparison(createLiveRunReads(sql));
  await replayTape({
    tapes: [await openTape(file)],
    missed: comparison.missed,
    onDecisions: async (rows, cut, manifestOf) => {
      for (const row of rows) told(replayed, row as never);
      await comparison.take(rows, cut, manifestOf);
    },
  });
  expect(comparison.result()).toMatchObject({ different: 0, firstDifference: null, onlyReplayed: 0 });
  for (const decided of [recorded, replayed]) {
    const compared = pairs.map(({ take, agent }) => {
      const ofTake = decided.get(take) as Map<number, string>;
      const ofAgent = decided.get(agent) as Map<number, string>;
      const both = [...ofAgent].filter(([slot]) => ofTake.has(slot));
      expect(both).toEqual(both.map(([slot]) => [slot, ofTake.get(slot)]));
      return both.map(([, text]) => (JSON.parse(text) as { disposition: string }).disposition);
    });
    // Each evaluated as many full minutes as its Take was active, with decisions on them.
    expect(compared).toEqual([
      ['hold', 'propose_entry', 'hold', 'propose_exit'],
      ['propose_entry', 'hold', 'hold', 'hold', 'propose_exit'],
      ['hold', 'hold', 'hold', 'propose_entry'],
      ['hold', 'hold', 'hold', 'hold', 'hold', 'hold'],
    ]);
  }
});
