// What a live run recorded replays to exactly what it wrote: on real PostgreSQL, with agents that come, change, pause and miss slots.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createCommandHandler } from '../../../actors/agent/command-handler.ts';
import { agentKind } from '../../../actors/agent/effects.ts';
import { createDirectory } from '../../../actors/runtime/directory.ts';
import { createRuntime } from '../../../actors/runtime/runtime.ts';
import { createTradingTicker } from '../../../actors/ticking/trading-ticker.ts';
import { createActorStore } from '../../../src/adapters/store/actors/actor-store.ts';
import { createAgentDirectory } from '../../../src/adapters/store/agents/agent-directory.ts';
import { createLiveRunReads } from '../../../src/adapters/store/agents/live-run-reads.ts';
import { activeManifests } from '../../../src/adapters/store/agents/manifest-reads.ts';
import { createDispatchStore, createTickStore, writeCut } from '../../../src/adapters/store/agents/tick-store.ts';
import { openDatabase, type Sql } from '../../../src/adapters/store/database.ts';
import { verifyTrail } from '../../../src/adapters/store/trail-verifier.ts';
import { createTapeRecorder } from '../../../src/adapters/tape/recorder.ts';
import { openTape } from '../../../src/adapters/tape/tape-reader.ts';
import { CATALOG } from '../../../src/domain/catalog.ts';
import type { IndicatorNeed } from '../../../src/domain/cut.ts';
import { compileManifest } from '../../../src/domain/decide.ts';
import { uuidV7 } from '../../../src/domain/ids.ts';
import type { Manifest } from '../../../src/domain/manifest/manifest.ts';
import { readManifest } from '../../../src/domain/manifest/reader.ts';
import { NO_FLAGS } from '../../../src/domain/quote.ts';
import type { TapeEvent } from '../../../src/domain/tape.ts';
import { replayTape } from '../../../src/simulation/replay.ts';
import { createComparison } from '../../../src/simulation/replay-comparison.ts';
import { createMarketPipeline } from '../../../streams/market-pipeline.ts';
import { createVirtualClock } from '../../../streams/virtual-clock.ts';
import { testDatabase } from '../../harness/postgres.ts';
import { waitFor } from '../../harness/wait-for.ts';

const ORG = '00000000-0000-7000-8000-000000000001';
const PERIOD = 60_000;
const START = Date.UTC(2025, 0, 6, 15, 0);
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

/** A live process in miniature: pipeline, store, agents and ticks, on a clock that the test moves; and the recorder beside it. */
async function live(file: string) {
  await sql`insert into organizations (id, name) values (${ORG}, 'ours')`;
  const clock = createVirtualClock(START + 10_000);
  const actors = createActorStore(sql);
  const runtime = createRuntime({ store: actors, directory: createDirectory([agentKind]), clock });
  let made = 0;
  const commands = createCommandHandler({
    runtime,
    agents: createAgentDirectory(sql),
    clock,
    newId: () => uuidV7(START, Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 0, 0, ++made)),
  });
  const ticker = createTradingTicker({
    store: createTickStore(sql, actors.incident),
    now: async () => clock.now(),
    clock,
    pause: async () => {},
  });
  const writes: Promise<unknown>[] = [];
  let needs: readonly IndicatorNeed[] = [];
  let looked = new Set<string>();
  const pipeline = createMarketPipeline({
    clock,
    random: () => 0,
    feeds: [],
    instruments: () => CATALOG.entries.filter(({ key }) => looked.has(key)),
    needs: () => needs,
    periodMs: PERIOD,
    onCut: (cut) => writes.push(writeCut(sql, cut, 'streams')),
    onFailure: (error) => {
      throw error;
    },
  });
  /** The recorder's timers, which the test fires, so that its looks end before time moves on. */
  let timers: (() => void)[] = [];
  const stop = createTapeRecorder({
    sql,
    pipeline,
    file,
    clock: { now: () => clock.now(), deadline: (_, call) => (timers.push(call), () => {}) },
    log: (error) => {
      throw error;
    },
  });
  pipeline.start();
  let price = 64_000;
  let seed = 3;

  return {
    commands,
    stop,
    clock,
    async look(): Promise<void> {
      const due = timers;
      timers = [];
      for (const call of due) call();
      await waitFor(() => timers.length === due.length, { what: 'the look of the recorder', deadlineMs: 5_000 });
    },
    async refreshNeeds(): Promise<void> {
      const compiled = (await activeManifests(sql)).map(({ manifest: active }) => compileManifest(active));
      needs = [...new Map(compiled.flatMap((one) => one.needs).map((need) => [JSON.stringify(need), need])).values()];
      looked = new Set(compiled.flatMap((one) => one.instruments));
    },
    /** One minute of prices up to and beyond the slot, and its tick unless it is missed. */
    async minute(number: number, missed = false): Promise<void> {
      const slot = START + number * PERIOD;
      seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
      const open = price;
      price += ((seed % 201) - 110) / 10;
      for (const at of [slot - 20_000, slot - 400, slot, slot + 300]) {
        if (at <= clock.now()) continue;
        clock.advanceTo(at);
        pipeline.push({
          kind: 'quote',
          venue: 'spotexchange',
          instrument: 'BTCUSDT',
          source: 'binance:bookTicker',
          observedAt: at,
          receivedAt: at,
          sourceTime: false,
          bid: price.toFixed(2),
          ask: (price + 0.01).toFixed(2),
          bidSize: '1',
          askSize: '1',
          sequence: at,
          quality: 'live',
          flags: NO_FLAGS,
        });
        pipeline.push({
          kind: 'quote',
          venue: 'spotchain',
          instrument: 'AAPLx',
          source: 'jupiter:quote',
          observedAt: at,
          receivedAt: at,
          sourceTime: false,
          bid: '198.10',
          ask: '198.30',
          bidSize: '1',
          askSize: '1',
          sequence: at,
          quality: 'live',
          flags: NO_FLAGS,
        });
        pipeline.push({
          kind: 'reference',
          venue: 'reference',
          instrument: 'AAPL',
          source: 'pyth:hermes',
          observedAt: at,
          receivedAt: at,
          feedUpdatedAt: at,
          referencePrice: '200',
          confidence: '0.05',
          publisherSession: null,
          quality: 'live',
          flags: NO_FLAGS,
        });
      }
      const [high, low] = [Math.max(open, price), Math.min(open, price)];
      pipeline.push({
        kind: 'candles',
        venue: 'spotexchange',
        instrument: 'BTCUSDT',
        timeframe: '1m',
        source: 'binance:kline',
        receivedAt: clock.now(),
        candles: [
          {
            openTime: slot - PERIOD,
            open: open.toFixed(2),
            high: high.toFixed(2),
            low: low.toFixed(2),
            close: price.toFixed(2),
            volume: '1',
          },
        ],
      });
      await Promise.all(writes.splice(0));
      clock.advanceTo(slot + 900);
      if (!missed) {
        await createDispatchStore(sql).dueShards(PERIOD, slot);
        await ticker.tick(PERIOD, 0, slot);
      }
      clock.advanceTo(slot + 8_000);
      await this.look();
    },
  };
}

test('a replay of the tape writes what the live run wrote, hash for hash', async () => {
  const file = join(folder, 'live.tape');
  const process = await live(file);
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
    onDecisions: async (made, cut) => {
      rows.push(...made);
      await comparison.take(made, cut);
    },
  });
  expect(comparison.result()).toMatchObject({ different: 0, firstDifference: null, onlyReplayed: 0, missedLive: 1 });
  expect(result).toMatchObject({ cut: null, counts: { agents: 2, refusedCommands: 0 } });

  // Everything from the second slot on is on the tape: the agents were met after the first was ticked.
  const written = await sql<{ count: number }[]>`select count(*) from decisions where slot > ${START + PERIOD}`;
  expect(rows).toHaveLength(written[0]?.count as number);
  expect(new Set(rows.map(({ disposition }) => disposition)).size).toBeGreaterThan(1);
  expect(rows.filter(({ reason }) => reason === 'late_tick')).toHaveLength(1);
  expect(rows.filter(({ agentId, slot }) => agentId === first && (slot === START + 8 * PERIOD || slot === START + 9 * PERIOD))).toEqual([]);
  expect((await verifyTrail(sql)).breaks).toEqual([]);
});

test('a price that the live run did not see is found, and said in words', async () => {
  const file = join(folder, 'live.tape.ndjson');
  const process = await live(file);
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
