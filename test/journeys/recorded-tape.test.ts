// From a recording in a venue's format to decisions: import, inspect, replay, replay again.
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { importTape } from '../../src/adapters/tape/import/import-tape.ts';
import { openTape } from '../../src/adapters/tape/tape-reader.ts';
import { convertTape, createTape, mergeTapes } from '../../src/adapters/tape/tape-writer.ts';
import { CATALOG } from '../../src/domain/catalog/catalog.ts';
import { type Cut, observationHash } from '../../src/domain/market/cut.ts';
import type { DecisionRecord, DecisionRow } from '../../src/domain/agents/decision.ts';
import { decisionHash, GENESIS_HASH } from '../../src/domain/agents/decision.ts';
import type { Manifest } from '../../src/domain/manifest/manifest.ts';
import { readManifest } from '../../src/domain/manifest/reader.ts';
import { NO_FLAGS } from '../../src/domain/market/quote.ts';
import type { TapeAgent, TapeEvent } from '../../src/domain/tape/tape.ts';
import type { Venue } from '../../src/domain/market/venue.ts';
import { createRecordWriter, type ReplayOptions, replayTape } from '../../src/simulation/replay/replay.ts';
import { replayAgent } from '../../src/simulation/replay/replay-agent.ts';
import { createMarketPipeline } from '../../streams/market-pipeline.ts';
import { createVirtualClock } from '../../streams/clock/virtual-clock.ts';
import { sevengate } from './running-service.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const REAL = fileURLToPath(new URL('../../../shared/data/tapes/lean/crypto/coinbase/minute/btcusd/', import.meta.url));

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'journey-'));
});
afterAll(() => rm(folder, { recursive: true }));

function manifest(name: string, entryConditions: readonly unknown[], exitConditions: readonly unknown[] = []): Manifest {
  const read = readManifest({
    name,
    description: '',
    universe: ['BTCUSDT'],
    timeframe: '1m',
    entryConditions,
    exitConditions,
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

const agents: readonly TapeAgent[] = [
  replayAgent(manifest('Oversold', [{ type: 'rsi_below', period: 14, value: 45 }]), 0, 'confirm'),
  replayAgent(manifest('Crossing', [{ type: 'ema_cross_up', fast: 5, slow: 12 }]), 1, 'policy_auto'),
  replayAgent(
    manifest('Open only', [
      { type: 'session_in', sessions: ['REGULAR'] },
      { type: 'price_above', price: '1' },
    ]),
    2,
    'confirm',
  ),
  replayAgent(manifest('Onlooker', [{ type: 'rsi_below', period: 14, value: 99 }]), 3, 'research'),
];

async function replayed(files: readonly string[], changes: Partial<ReplayOptions> = {}) {
  const write = createRecordWriter();
  const tapes = await Promise.all(files.map((file) => openTape(file)));
  const rows: DecisionRow[] = [];
  let records = '';
  const result = await replayTape({
    tapes,
    agents,
    onDecisions: (made, cut, manifestOf) => {
      rows.push(...made);
      records += write(made, cut, manifestOf);
    },
    ...changes,
  });
  return { result, rows, records };
}

/** Writes a morning of minute bars and quotes from a small random walk, in LEAN's format. */
async function madeRecording(): Promise<string[]> {
  const home = join(folder, 'crypto', 'coinbase', 'minute', 'btcusd');
  const { mkdir } = await import('node:fs/promises');
  await mkdir(home, { recursive: true });
  let price = 6_400_000;
  let seed = 7;
  const quotes: string[] = [];
  const trades: string[] = [];
  for (let minute = 0; minute < 120; minute++) {
    const open = price;
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
    price += (seed % 2_001) - 1_000 - (minute < 60 ? 150 : -150);
    const [low, high] = [Math.min(open, price), Math.max(open, price)];
    const spelled = (cents: number): string => `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, '0')}`;
    trades.push(`${minute * 60_000},${[open, high, low, price].map(spelled).join(',')},1.5`);
    const bid = spelled(price - 5);
    const ask = spelled(price + 5);
    quotes.push(`${minute * 60_000},${bid},${bid},${bid},${bid},0.5,${ask},${ask},${ask},${ask},0.25`);
  }
  const files = [join(home, '20250106_trade.csv'), join(home, '20250106_quote.csv')];
  await writeFile(files[0] as string, `${trades.join('\n')}\n`);
  await writeFile(files[1] as string, `${quotes.join('\n')}\n`);
  return files;
}

async function importedAndMerged(files: readonly string[], name: string): Promise<string> {
  const tapes: string[] = [];
  for (const [index, from] of files.entries()) {
    const to = join(folder, `${name}.${index}.tape`);
    await importTape({ from, to, venue: 'spotexchange' as Venue, instrument: 'BTCUSDT', timeframe: null, date: null });
    tapes.push(to);
  }
  const merged = join(folder, `${name}.tape.ndjson`);
  await mergeTapes(await Promise.all(tapes.map((file) => openTape(file))), merged);
  return merged;
}

function chains(rows: readonly DecisionRow[]): void {
  const heads = new Map<string, string>();
  for (const row of rows) {
    expect(row.previousHash).toBe(heads.get(row.agentId) ?? GENESIS_HASH);
    const { hash, ...rest } = row;
    expect(decisionHash(rest)).toBe(hash);
    heads.set(row.agentId, hash);
  }
}

async function journey(tape: string, slots: number): Promise<{ records: string; rows: readonly DecisionRow[] }> {
  const first = await replayed([tape]);
  const second = await replayed([tape]);
  expect(second.records).toBe(first.records);
  expect(second.result).toEqual(first.result);
  chains(first.rows);
  // One decision per agent and slot, from the first slot to the last.
  expect(first.rows).toHaveLength(slots * agents.length);
  expect(new Set(first.rows.map(({ agentId, slot }) => `${agentId} ${slot}`)).size).toBe(first.rows.length);
  const asked = first.rows.filter(({ disposition }) => disposition !== 'hold');
  expect(asked.length).toBeGreaterThan(3);
  expect(first.rows.length - asked.length).toBeGreaterThan(asked.length / 10);
  // The other formats hold the same tape.
  const compact = tape.replace('.tape.ndjson', '.again.tape');
  await convertTape(await openTape(tape, { lines: true }), compact);
  expect((await replayed([compact])).records).toBe(first.records);
  return first;
}

describe("a synthetic recording in LEAN's format", () => {
  let tape = '';
  let made: readonly DecisionRow[] = [];
  let records: DecisionRecord[] = [];

  beforeAll(async () => {
    tape = await importedAndMerged(await madeRecording(), 'made');
    const first = await journey(tape, 120);
    made = first.rows;
    records = first.records
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as DecisionRecord);
  });

  test('agents hold and propose by their rules, on observations at the slot and nothing later', () => {
    const of = (place: number): DecisionRecord[] => records.filter(({ agentId }) => agentId === agents[place]?.id);
    for (const record of of(0)) {
      const observation = record.observed['spotexchange:BTCUSDT'];
      expect(observation?.quote?.receivedAt).toBeLessThanOrEqual(Date.parse(record.slot));
      const rsi = observation?.indicators['rsi:14@1m']?.value ?? null;
      const passed = rsi !== null && rsi < 45;
      expect(record.rules[0]).toMatchObject({ type: 'rsi_below', passed, observed: rsi, threshold: 45 });
      // A pending proposal is not proposed again.
      expect(record.disposition === 'hold' && record.reason !== 'proposal_pending').toBe(!passed);
    }
    // Wilder's RSI of 14 needs 15 closes: the first value is at the end of the 15th minute.
    const known = of(0).findIndex((record) => record.observed['spotexchange:BTCUSDT']?.indicators['rsi:14@1m']?.value !== null);
    expect(known).toBe(14);
    // Monday 2025-01-06, 00:00 to 02:00 UTC: New York is closed.
    expect(of(2).every(({ disposition, rules }) => disposition === 'hold' && rules[0]?.observed === 'CLOSED')).toBe(true);
    expect(of(3).some(({ reason }) => reason === 'research_only')).toBe(true);
    expect(of(3).every(({ disposition }) => disposition === 'hold')).toBe(true);
  });

  test('one different price changes the result from its slot on, and nothing before', async () => {
    const lines = (await readFile(tape, 'utf8')).split('\n');
    const at = lines.findIndex((line) => line.includes('"kind":"quote"') && line.includes(`"receivedAt":${Date.UTC(2025, 0, 6, 1, 0)}`));
    expect(at).toBeGreaterThan(0);
    lines[at] = (lines[at] as string).replace(/"bid":"\d+/, '"bid":"1');
    const changed = join(folder, 'changed.tape.ndjson');
    await writeFile(changed, lines.join('\n'));
    const { rows } = await replayed([changed]);
    const firstDifference = rows.findIndex((row, index) => row.hash !== made[index]?.hash);
    expect(rows[firstDifference]?.slot).toBe(Date.UTC(2025, 0, 6, 1, 0));
    expect(rows.slice(0, firstDifference)).toEqual(made.slice(0, firstDifference));
  });

  test('the live pipeline gives the same observations from the same messages one by one', async () => {
    const live = new Map<number, Cut>();
    const reader = await openTape(tape);
    const events: TapeEvent[] = [];
    for await (const batch of reader.batches()) events.push(...batch.events);
    const clock = createVirtualClock((events[0] as TapeEvent).receivedAt);
    const needs = [14].flatMap(() => [
      { instrument: 'spotexchange:BTCUSDT' as const, name: 'rsi' as const, timeframe: '1m', period: 14 },
      { instrument: 'spotexchange:BTCUSDT' as const, name: 'ema' as const, timeframe: '1m', period: 5 },
      { instrument: 'spotexchange:BTCUSDT' as const, name: 'ema' as const, timeframe: '1m', period: 12 },
    ]);
    const pipeline = createMarketPipeline({
      clock,
      random: () => 0,
      feeds: [],
      instruments: () => CATALOG.entries,
      needs: () => needs,
      onCut: (cut) => live.set(cut.slot, cut),
      onFailure: (error) => {
        throw error;
      },
    });
    pipeline.start();
    for (const event of events) {
      clock.advanceTo(event.receivedAt);
      if (event.kind !== 'command' && event.kind !== 'cut' && event.kind !== 'inputs') pipeline.push(event);
    }
    clock.advanceTo(clock.now() + 1);
    pipeline.stop();
    let compared = 0;
    await replayed([tape], {
      onDecisions: (_, cut) => {
        const mine = cut.observations.get('spotexchange:BTCUSDT');
        const other = live.get(cut.slot)?.observations.get('spotexchange:BTCUSDT');
        expect(observationHash(mine as never)).toBe(observationHash(other as never));
        compared++;
      },
    });
    expect(compared).toBe(120);
  });

  test('a recording split into two tapes replays as one', async () => {
    const lines = (await readFile(tape, 'utf8')).trimEnd().split('\n');
    const middle = Math.floor(lines.length / 2);
    const [one, two] = [join(folder, 'one.tape.ndjson'), join(folder, 'two.tape.ndjson')];
    await writeFile(one, `${lines.slice(0, middle).join('\n')}\n`);
    await writeFile(two, `${[lines[0], ...lines.slice(middle)].join('\n')}\n`);
    expect((await replayed([one, two])).rows).toEqual(made);
    await expect(replayed([two, one])).rejects.toThrow('starts before the previous tape ended');
  });

  test('commands to an agent during the recording are repeated at their times', async () => {
    const agent = agents[0] as TapeAgent;
    const reader = await openTape(tape);
    const writer = await createTape(join(folder, 'told.tape'), { tape: 1, agents: [agent] });
    const created = agents[3] as TapeAgent;
    const at = (hour: number, minute: number, second: number): number => Date.UTC(2025, 0, 6, hour, minute, second);
    const other = manifest('Changed', [{ type: 'price_above', price: '1' }]);
    const { manifestHash } = await import('../../src/domain/manifest/manifest.ts');
    const told: TapeEvent[] = [
      { kind: 'command', receivedAt: at(0, 20, 30), actorId: agent.id, event: { type: 'pause', cause: 'operator' } },
      { kind: 'command', receivedAt: at(0, 30, 0), actorId: agent.id, event: { type: 'resume', subject: 'ann', createdBy: 'ann' } },
      {
        kind: 'command',
        receivedAt: at(0, 40, 1),
        actorId: created.id,
        event: { type: 'started' },
        agent: { ...created, tickFrom: at(0, 41, 0) },
      },
      {
        kind: 'command',
        receivedAt: at(1, 10, 59),
        actorId: agent.id,
        event: { type: 'manifest.changed', manifestVersion: 2, manifestHash: manifestHash(other) },
        manifest: other,
      },
      {
        kind: 'command',
        receivedAt: at(1, 11, 0),
        actorId: agent.id,
        event: { type: 'manifest.changed', manifestVersion: 9, manifestHash: manifestHash(other) },
        manifest: other,
      },
    ];
    for await (const batch of reader.batches()) await writer.write(batch.events.filter(({ receivedAt }) => receivedAt <= at(0, 20, 0)));
    let rest: TapeEvent[] = [];
    for await (const batch of (await openTape(tape)).batches())
      rest = [...rest, ...batch.events.filter(({ receivedAt }) => receivedAt > at(0, 20, 0))];
    await writer.write([...rest, ...told].sort((a, b) => a.receivedAt - b.receivedAt));
    await writer.close();
    const { rows, result } = await replayed([join(folder, 'told.tape')], { agents: [] });
    chains(rows);
    const mine = rows.filter(({ agentId }) => agentId === agent.id);
    const slots = mine.map(({ slot }) => slot);
    // Paused after the slot of 00:20; resumed at 00:30, so that 00:31 is the next one.
    expect(slots.filter((slot) => slot > at(0, 19, 0) && slot < at(0, 33, 0))).toEqual([at(0, 20, 0), at(0, 31, 0), at(0, 32, 0)]);
    expect(mine.filter(({ slot }) => slot <= at(1, 10, 0)).every(({ manifestVersion }) => manifestVersion === 1)).toBe(true);
    expect(mine.filter(({ slot }) => slot >= at(1, 11, 0)).every(({ manifestVersion }) => manifestVersion === 2)).toBe(true);
    expect(rows.find(({ agentId }) => agentId === created.id)?.slot).toBe(at(0, 41, 0));
    // The last command names a version out of order.
    expect(result.counts).toMatchObject({ commands: 5, refusedCommands: 1, agents: 2 });
  });

  test('silence is cut too, and its quotes are no longer live', async () => {
    const file = join(folder, 'silence.tape');
    const writer = await createTape(file, { tape: 1 });
    const start = Date.UTC(2025, 0, 6, 0, 0);
    await writer.write([
      {
        kind: 'quote',
        venue: 'spotexchange',
        instrument: 'BTCUSDT',
        source: 'a:b',
        observedAt: start,
        receivedAt: start,
        sourceTime: true,
        bid: '2',
        ask: '3',
        bidSize: null,
        askSize: null,
        sequence: null,
        quality: 'live',
        flags: NO_FLAGS,
      },
      { kind: 'heartbeat', venue: 'evmvenue', source: 'c:d', receivedAt: start + 180_000 },
    ]);
    await writer.close();
    const { records } = await replayed([file]);
    const qualities = records
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as DecisionRecord)
      .filter(({ agentId }) => agentId === agents[0]?.id)
      .map(({ observed }) => observed['spotexchange:BTCUSDT']?.quote?.quality);
    expect(qualities).toEqual(['live', 'stale', 'stale', 'stale']);
  });
});

test('the command line imports, describes, merges and replays, and reports errors in one sentence', async () => {
  const cli = async (...words: string[]): Promise<{ code: number | null; out: string; err: string }> => {
    const { code, stdout, stderr } = await sevengate(['tape', ...words]);
    return { code, out: stdout, err: stderr };
  };
  const quotes = join(ROOT, 'test/fixtures/tape/quotes.csv');
  const tape = join(folder, 'cli.tape');
  const recorded = JSON.parse((await cli('record', '--from', quotes, '--venue', 'spotexchange', '--to', tape, '--json')).out) as {
    events: number;
  };
  expect(recorded.events).toBe(3);
  const manifestFile = join(folder, 'manifest.json');
  await writeFile(
    manifestFile,
    JSON.stringify({
      name: 'x',
      description: '',
      universe: ['BTCUSDT'],
      timeframe: '1m',
      entryConditions: [{ type: 'price_above', price: '1' }],
      exitConditions: [],
      maxCapitalUsd: 1,
      maxTradeNotionalUsd: 1,
      stopLossPct: 1,
      takeProfitPct: 1,
      maxDailyDrawdownPct: 1,
      maxOpenPositions: 1,
      maxSlippageBps: 1,
    }),
  );
  const [told, again, nobody, refused] = await Promise.all([
    cli('info', tape, '--json'),
    cli('replay', tape, '--agent', manifestFile, '--json'),
    cli('replay', tape),
    cli('record', '--from', join(ROOT, 'test/fixtures/tape/unknown.log'), '--venue', 'spotexchange', '--to', join(folder, 'no.tape')),
  ]);
  expect(JSON.parse(told.out)).toMatchObject({
    form: 'binary',
    events: 3,
    kinds: { quote: 3 },
    instruments: { 'spotexchange:BTCUSDT': 3 },
    cut: null,
  });
  expect(JSON.parse(again.out)).toMatchObject({ events: 3, cut: null, comparison: null });
  expect(nobody).toMatchObject({ code: 1, out: '' });
  expect(nobody.err).toMatch(/^sevengate: there are no agents to replay: .*--agent\n$/);
  expect(refused.code).toBe(1);
  expect(refused.err).toMatch(/^sevengate: .*has a format that is not known; accepted are: [^\n]*\n$/);
});

if (!existsSync(REAL)) console.warn(`skipped the real recording: ${REAL} is not there`);
test.skipIf(!existsSync(REAL))('a real day of a coin, from its recording to byte-identical decisions', async () => {
  const tape = await importedAndMerged([`${REAL}20171217_trade.csv.gz`, `${REAL}20171217_quote.csv.gz`], 'real');
  const { rows } = await journey(tape, 1_440);
  expect(
    rows.filter(({ agentId }) => agentId === agents[0]?.id).filter(({ disposition }) => disposition !== 'hold').length,
  ).toBeGreaterThan(50);
});
