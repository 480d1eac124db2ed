/**
 * How fast tapes are read and replayed, next to what any reader of NDJSON pays: JSON.parse of the same lines. Fifty agents decide
 * each minute: they hold, or their rules ask for a trade of which risk has to be asked every time. "by whole events" is the same
 * replay without leaving out what plain runs of quotes need not receive.
 * Interleaved rounds in one process; medians of CPU time. `node --import tsx bench/replay.bench.ts [events] [rounds]`
 */
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openTape } from '../src/adapters/tape/tape-reader.ts';
import { convertTape, createTape } from '../src/adapters/tape/tape-writer.ts';
import { readManifest } from '../src/domain/manifest/reader.ts';
import { NO_FLAGS } from '../src/domain/quote.ts';
import type { TapeEvent } from '../src/domain/tape.ts';
import { replayTape } from '../src/simulation/replay.ts';
import { replayAgent } from '../src/simulation/replay-agent.ts';

const EVENTS = Number(process.argv[2] ?? 400_000);
const ROUNDS = Number(process.argv[3] ?? 7);
const AGENTS = 50;
const SYMBOLS = ['BTCUSDT', 'ETHUSDT', 'SOLUSDT'];
const START = Date.UTC(2025, 0, 6, 15, 0);

function* quotes(): Generator<TapeEvent[]> {
  let seed = 1;
  const price = [64_000_00, 3_100_00, 150_00];
  let batch: TapeEvent[] = [];
  for (let index = 0; index < EVENTS; index++) {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
    const which = seed % 3;
    const cents = (price[which] = (price[which] as number) + ((seed >> 8) % 21) - 10);
    const at = START + index * 30 + (seed % 30);
    const spelled = (value: number): string => `${Math.floor(value / 100)}.${String(value % 100).padStart(2, '0')}`;
    batch.push({
      kind: 'quote',
      venue: 'spotexchange',
      instrument: SYMBOLS[which] as string,
      source: 'binance:bookTicker',
      observedAt: at,
      receivedAt: at,
      sourceTime: false,
      bid: spelled(cents),
      ask: spelled(cents + 1),
      bidSize: `${(seed >> 4) % 10}.${String((seed >> 9) % 1_000).padStart(3, '0')}`,
      askSize: `${(seed >> 5) % 10}.${String((seed >> 11) % 1_000).padStart(3, '0')}`,
      sequence: 1_000_000 + index,
      quality: 'live',
      flags: NO_FLAGS,
    });
    if (batch.length === 1_024) {
      yield batch;
      batch = [];
    }
  }
  yield batch;
}

const folder = await mkdtemp(join(tmpdir(), 'bench-replay-'));
try {
  const plain = join(folder, 'day.tape.ndjson');
  const compact = join(folder, 'day.tape');
  const writer = await createTape(plain, { tape: 1 });
  for (const batch of quotes()) await writer.write(batch);
  await writer.close();
  await convertTape(await openTape(plain, { lines: true }), compact);
  const text = await readFile(plain, 'utf8');
  const manifestOf = (price: string) => {
    const read = readManifest({
      name: 'b',
      description: '',
      universe: SYMBOLS,
      timeframe: '1m',
      entryConditions: [{ type: 'price_above', price }],
      exitConditions: [],
      maxCapitalUsd: 1,
      maxTradeNotionalUsd: 1,
      stopLossPct: 1,
      takeProfitPct: 1,
      maxDailyDrawdownPct: 1,
      maxOpenPositions: 1,
      maxSlippageBps: 1,
    });
    if (!read.ok) throw new Error('the manifest of the bench is refused');
    return read.manifest;
  };
  const fifty = (price: string) => Array.from({ length: AGENTS }, (_, place) => replayAgent(manifestOf(price), place, 'confirm'));
  const [asking, holding] = [fifty('1'), fifty('10000000')];

  let decisions = 0;
  const hashes = new Set<string>();
  const readAll = async (file: string): Promise<void> => {
    let events = 0;
    for await (const batch of (await openTape(file)).batches()) events += batch.events.length;
    if (events !== EVENTS) throw new Error(`${file} gave ${events} events`);
  };
  const replay = async (file: string, agents = asking, whole = false): Promise<void> => {
    const tape = await openTape(file);
    const one = whole ? { file, header: tape.header, cut: null, batches: () => tape.batches() } : tape;
    const result = await replayTape({ tapes: [one], agents, onDecisions: () => {} });
    decisions = result.counts.decisions;
    hashes.add(result.resultHash);
  };
  const work: Readonly<Record<string, () => Promise<void>>> = {
    'JSON.parse of the lines': async () => {
      let events = -1;
      for (const line of text.split('\n')) if (line !== '' && (JSON.parse(line) as { kind?: string }) !== null) events++;
      if (events !== EVENTS) throw new Error(`${events} lines`);
    },
    'read NDJSON': () => readAll(plain),
    'read compact': () => readAll(compact),
    'replay NDJSON, agents hold': () => replay(plain, holding),
    'replay compact by whole events, agents hold': () => replay(compact, holding, true),
    'replay compact, agents hold': () => replay(compact, holding),
    'replay compact, agents ask': () => replay(compact),
  };
  const times = new Map<string, number[]>(Object.keys(work).map((name) => [name, []]));
  for (let round = 0; round <= ROUNDS; round++) {
    for (const [name, run] of Object.entries(work)) {
      const before = process.cpuUsage();
      await run();
      const { user, system } = process.cpuUsage(before);
      // The first round warms up.
      if (round > 0) times.get(name)?.push((user + system) / 1e6);
    }
  }
  if (hashes.size !== 2) throw new Error('two replays of one tape by the same agents differ');
  const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1] as number;
  const floor = EVENTS / median(times.get('JSON.parse of the lines') as number[]);
  const rows = [...times].map(([name, values]) => {
    const perSecond = EVENTS / median(values);
    return { name, eventsPerCpuSecond: Math.round(perSecond), timesJsonParse: Number((perSecond / floor).toFixed(2)) };
  });
  const sizes = { ndjson: (await stat(plain)).size / EVENTS, compact: (await stat(compact)).size / EVENTS };
  console.log(JSON.stringify({ events: EVENTS, rounds: ROUNDS, agents: AGENTS, decisions, bytesPerEvent: sizes, rows }, null, 2));
} finally {
  await rm(folder, { recursive: true });
}
