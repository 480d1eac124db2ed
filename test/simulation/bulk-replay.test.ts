/** Equality of bulk replay: skipping and batching change nothing. One tape in every form, agents together and each by itself. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openTape } from '../../src/adapters/tape/tape-reader.ts';
import { convertTape, createTape } from '../../src/adapters/tape/tape-writer.ts';
import type { DecisionRow } from '../../src/domain/agents/decision.ts';
import { readManifest } from '../../src/domain/manifest/reader.ts';
import { NO_FLAGS } from '../../src/domain/market/quote.ts';
import { writeDigits } from '../../src/domain/market/quote-digits.ts';
import { seededRandom } from '../../src/domain/values/seeded-random.ts';
import type { TapeEvent } from '../../src/domain/tape/tape.ts';
import { type ReplayOptions, type ReplayTape, replayTape } from '../../src/simulation/replay/replay.ts';
import { replayAgent } from '../../src/simulation/replay/replay-agent.ts';

const SYMBOLS = ['BTCUSDT', 'ETHUSDT', 'SOLUSDT'];
const START = Date.UTC(2025, 0, 6, 15, 0);
const EVENTS = 5_000;

/** Returns twenty minutes of three books with jumps, crossed books, repeats, lost connections and tradable prices. */
function market(): TapeEvent[] {
  const random = seededRandom(7);
  const below = (bound: number): number => Math.floor(random() * bound);
  const cents = [6_400_000, 310_000, 15_000];
  const events: TapeEvent[] = [];
  let sequence = 1_000;
  for (let index = 0, at = START; index < EVENTS; index++, at += below(530)) {
    const which = below(3);
    const kind = below(400);
    const instrument = SYMBOLS[which] as string;
    const source = kind === 0 ? 'binance:depth' : 'binance:bookTicker';
    if (kind === 1) {
      for (const status of ['disconnected', 'connected'] as const)
        events.push({ kind: 'feed_status', venue: 'spotexchange', source, receivedAt: at, status, epoch: index, detail: '' });
      continue;
    }
    if (kind < 6) events.push({ kind: 'heartbeat', venue: 'spotexchange', source: 'binance', receivedAt: at });
    const moved = Math.round(((cents[which] as number) * (random() - 0.5)) / 400);
    cents[which] = (cents[which] as number) + moved;
    const bid = (cents[which] as number) * (kind === 7 ? 2 : 1);
    if (kind !== 8) sequence++;
    events.push({
      kind: 'quote',
      venue: 'spotexchange',
      instrument,
      source,
      observedAt: at,
      receivedAt: at,
      sourceTime: false,
      bid: kind === 9 ? null : writeDigits(bid, 2),
      ask: writeDigits(kind === 10 ? bid - 1 : bid + 1, 2),
      bidSize: writeDigits(1 + below(9_000_000), 6),
      askSize: writeDigits(1 + below(9_000_000), 6),
      sequence,
      quality: 'live',
      flags: NO_FLAGS,
    });
  }
  return events;
}

function manifestOf(price: string): ReturnType<typeof replayAgent>['manifest'] {
  const read = readManifest({
    name: 'bulk',
    description: '',
    universe: SYMBOLS,
    timeframe: '1m',
    entryConditions: [{ type: 'price_above', price }],
    exitConditions: [],
    maxCapitalUsd: 10_000,
    maxTradeNotionalUsd: 1_000,
    stopLossPct: 0.3,
    takeProfitPct: 0.3,
    maxDailyDrawdownPct: 9,
    maxOpenPositions: 2,
    maxSlippageBps: 60,
  });
  if (!read.ok) throw new Error('the manifest of the test is refused');
  return read.manifest;
}

/** Two of each manifest and level, none of the same organization, so that each book is assessed alone. */
const AGENTS = (['100', '5000', '900000'] as const).flatMap((price, of) =>
  (['policy_auto', 'confirm', 'research'] as const).flatMap((autonomy, level) =>
    Array.from({ length: 2 }, (_, copy) => {
      const place = of * 6 + level * 2 + copy;
      return {
        ...replayAgent(manifestOf(price), place, autonomy),
        orgId: `00000000-0000-7000-8000-${String(place).padStart(12, '0')}`,
      };
    }),
  ),
);

let folder: string;
let plain: string;
let compact: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bulk-replay-'));
  plain = join(folder, 'day.tape.ndjson');
  compact = join(folder, 'day.tape');
  const writer = await createTape(plain, { tape: 1 });
  await writer.write(market());
  await writer.close();
  await convertTape(await openTape(plain, { lines: true }), compact);
});
afterAll(() => rm(folder, { recursive: true }));

async function replayed(tape: ReplayTape, options: Partial<ReplayOptions> = {}) {
  const fills: unknown[] = [];
  const marks: unknown[] = [];
  const result = await replayTape({
    tapes: [tape],
    agents: AGENTS,
    onFill: (fill) => fills.push(fill),
    onMarked: (marked, slot) => marks.push({ slot, marked }),
    ...options,
  });
  return { ...result, fills, marks };
}

function byAgent(rows: readonly DecisionRow[]): DecisionRow[] {
  return [...rows].sort((a, b) => a.slot - b.slot || (a.agentId < b.agentId ? -1 : 1));
}

it('gives the same decisions, fills and counts for batched numbers as event by event', async () => {
  const whole = await openTape(compact);
  const { file, header } = whole;
  const inRuns = await replayed(await openTape(compact));
  const oneByOne = await replayed({ file, header, cut: null, batches: () => whole.batches() });
  expect(inRuns).toEqual(oneByOne);
  expect(inRuns.resultHash).toBe((await replayed(await openTape(plain))).resultHash);
  const { propose_entry, propose_exit, blocked_by_risk, hold, assessed } = inRuns.counts;
  expect(Math.min(propose_entry, propose_exit, blocked_by_risk, hold, inRuns.fills.length)).toBeGreaterThan(10);
  expect(Object.keys(assessed).sort()).toEqual(['crossed', 'one_sided', 'price_jump']);
});

it('decides for agents ticked together what each decides alone', async () => {
  const together = await replayed(await openTape(compact));
  const apart = await replayed(await openTape(compact), { missed: () => null });
  expect(byAgent(together.decisions)).toEqual(byAgent(apart.decisions));
  expect(together.fills.length).toBe(apart.fills.length);
});
