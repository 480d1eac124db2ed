/**
 * Speed of reading and replaying tapes, compared with JSON.parse of the same NDJSON lines. Fifty agents decide each minute. They hold,
 * propose trades whose risk is assessed every time, or trade: a few times a day with open positions in between, twice an
 * hour, or every minute, which is unrealistic and shows the cost of an order. Each row gives the orders per agent and day. "by whole
 * events" is the same replay without skipping quotes of plain runs. Interleaved rounds in one process; medians of CPU time. `node --import
 * tsx bench/replay.bench.ts [events] [rounds]`
 */
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openTape } from '../src/adapters/tape/tape-reader.ts';
import { convertTape, createTape } from '../src/adapters/tape/tape-writer.ts';
import type { Autonomy } from '../src/domain/agents/agent.ts';
import { readManifest } from '../src/domain/manifest/reader.ts';
import { NO_FLAGS } from '../src/domain/market/quote.ts';
import type { TapeAgent, TapeEvent } from '../src/domain/tape/tape.ts';
import { replayTape } from '../src/simulation/replay/replay.ts';
import { replayAgent } from '../src/simulation/replay/replay-agent.ts';
import { median, rate } from './harness.ts';
import { keepFigures } from './measured.ts';

const EVENTS = Number(process.argv[2] ?? 400_000);
const ROUNDS = Number(process.argv[3] ?? 7);
const AGENTS = 50;
const SYMBOLS = ['BTCUSDT', 'ETHUSDT', 'SOLUSDT'];
/** Baseline of the other replays. */
const HOLD = 'replay compact, agents hold';
const BUSY = 'replay compact, agents trade every minute';
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
  const agentOf = (rules: object, autonomy: Autonomy, place: number): TapeAgent => {
    const read = readManifest({
      name: 'b',
      description: '',
      universe: SYMBOLS,
      timeframe: '1m',
      entryConditions: [{ type: 'price_above', price: '1' }],
      exitConditions: [],
      maxCapitalUsd: 10_000,
      maxTradeNotionalUsd: 1_000,
      stopLossPct: 1,
      takeProfitPct: 1,
      maxDailyDrawdownPct: 50,
      maxOpenPositions: 3,
      maxSlippageBps: 60,
      ...rules,
    });
    if (!read.ok) throw new Error('the manifest of the bench is refused');
    return replayAgent(read.manifest, place, autonomy);
  };
  const fifty = (autonomy: Autonomy, rulesOf: (place: number) => object): readonly TapeAgent[] =>
    Array.from({ length: AGENTS }, (_, place) => agentOf(rulesOf(place), autonomy, place));
  /** Each agent has its own bounds, so that they do not all trade at once. */
  const bounds = (least: number) => (place: number) => ({
    universe: SYMBOLS.slice(0, 2),
    stopLossPct: least + 0.05 * place,
    takeProfitPct: least + 0.05 * place,
  });
  const holding = fifty('confirm', () => ({ entryConditions: [{ type: 'price_above', price: '10000000' }] }));
  const asking = fifty('confirm', () => ({ maxCapitalUsd: 1, maxTradeNotionalUsd: 1, maxOpenPositions: 1, maxSlippageBps: 1 }));
  const invested = fifty('policy_auto', bounds(40));
  const trading = fifty('policy_auto', bounds(3));
  const busy = fifty('policy_auto', () => ({ stopLossPct: 0.2, takeProfitPct: 0.2 }));

  const days = (EVENTS * 30) / 86_400_000;
  const told = new Map<readonly TapeAgent[], { readonly hash: string; readonly decisions: number; readonly orders: number }>();
  const readAll = async (file: string): Promise<void> => {
    let events = 0;
    for await (const batch of (await openTape(file)).batches()) events += batch.events.length;
    if (events !== EVENTS) throw new Error(`${file} gave ${events} events`);
  };
  const replay = async (file: string, agents: readonly TapeAgent[], whole = false): Promise<void> => {
    const tape = await openTape(file);
    const one = whole ? { file, header: tape.header, cut: null, batches: () => tape.batches() } : tape;
    const result = await replayTape({ tapes: [one], agents, onDecisions: () => {} });
    const { decisions, trading } = result.counts;
    const before = told.get(agents);
    if (before !== undefined && before.hash !== result.resultHash) throw new Error('two replays of one tape by the same agents differ');
    told.set(agents, { hash: result.resultHash, decisions, orders: trading.proposals });
  };
  const COMPACT: Readonly<Record<string, readonly TapeAgent[]>> = {
    [HOLD]: holding,
    'replay compact, agents ask': asking,
    'replay compact, agents are invested': invested,
    'replay compact, agents trade by the hour': trading,
    [BUSY]: busy,
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
    ...Object.fromEntries(Object.entries(COMPACT).map(([name, agents]) => [name, () => replay(compact, agents)])),
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
  const floor = EVENTS / median(times.get('JSON.parse of the lines') as number[]);
  const rows = [...times].map(([name, values]) => {
    const perSecond = EVENTS / median(values);
    const row = { name, eventsPerCpuSecond: Math.round(perSecond), timesJsonParse: Number((perSecond / floor).toFixed(2)) };
    const live = told.get(COMPACT[name] ?? []);
    if (live === undefined) return row;
    const more = 1e6 * (median(values) - median(times.get(HOLD) as number[]));
    return {
      ...row,
      decisions: live.decisions,
      ordersPerAgentDay: Number((live.orders / AGENTS / days).toFixed(1)),
      // Cost above that of agents that hold. The cost of an order includes its positions, risk and steps.
      microsecondsMore: {
        perDecision: Number((more / live.decisions).toFixed(1)),
        perOrder: live.orders === 0 ? null : Math.round(more / live.orders),
      },
    };
  });
  const sizes = { ndjson: (await stat(plain)).size / EVENTS, compact: (await stat(compact)).size / EVENTS };
  const speed = (name: string, goal: string) => {
    const values = (times.get(name) as number[]).map((seconds) => EVENTS / seconds);
    const spread = `${rate(Math.min(...values))}/s to ${rate(Math.max(...values))}/s`;
    return { what: name, value: `${rate(median(values))}/s`, spread, goal };
  };
  keepFigures(`A tape of ${EVENTS} events replayed with ${AGENTS} agents, per second of processor time`, [
    speed('read compact', ''),
    speed(HOLD, '≥ 3M/s'),
    speed('replay compact, agents are invested', ''),
    speed('replay compact, agents trade by the hour', ''),
    speed(BUSY, '≥ 0.5M/s'),
  ]);
  console.log(JSON.stringify({ events: EVENTS, rounds: ROUNDS, agents: AGENTS, bytesPerEvent: sizes, rows }, null, 2));
} finally {
  await rm(folder, { recursive: true });
}
