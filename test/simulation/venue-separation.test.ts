// Venue separation over whole runs: every order, fill, mark or risk check on a venue is priced by that venue's own data.
import { afterAll, expect, test } from 'vitest';
import type { Autonomy } from '../../src/domain/agents/agent.ts';
import type { MarkedBook } from '../../src/domain/books/book.ts';
import type { Cut } from '../../src/domain/market/cut.ts';
import type { DecisionRow } from '../../src/domain/agents/decision.ts';
import type { FeedMessage, MarketEvent } from '../../src/domain/market/market-event.ts';
import { AGENT_TICK_MS, type EpochMs } from '../../src/domain/values/time.ts';
import { type InstrumentKey, splitInstrumentKey, type Venue } from '../../src/domain/market/venue.ts';
import { type ReplayTape, replayTape } from '../../src/simulation/replay/replay.ts';
import { replayAgent } from '../../src/simulation/replay/replay-agent.ts';
import type { ReplayedFill } from '../../src/simulation/replay/replay-books.ts';
import { type Fault, plan, START } from '../../src/simulation/seeded/fault-plan.ts';
import { POOL_USD } from '../../src/simulation/seeded/feeds.ts';
import { MANIFESTS, type Outcome, simulate } from '../../src/simulation/seeded/simulate.ts';
import { sampleManifest } from '../actors/agent/sample.ts';
import { rounds } from '../harness/rounds.ts';
import { foreignPrices, type PricedRun } from './price-origins.ts';

const SEEDS = Number(process.env['SIM_SEEDS'] ?? rounds({ suite: 3, proof: 100 }));
const SLIPPAGE_BPS = sampleManifest().maxSlippageBps;

/** Runs used by several tests, each computed once: the same seed with the same faults gives the same run. */
const lives = new Map<string, Promise<Outcome>>();
function lifeOf(seed: number, faults: readonly Fault[] = plan(seed)): Promise<Outcome> {
  const key = JSON.stringify([seed, faults]);
  const known = lives.get(key) ?? simulate(seed, faults);
  lives.set(key, known);
  return known;
}
afterAll(() => lives.clear());

const venueOf = (instrument: InstrumentKey): Venue => splitInstrumentKey(instrument).venue;

function lived({ received, cuts, rows, marked, trading }: Outcome): PricedRun {
  return {
    received,
    cuts,
    rows,
    slippageBps: SLIPPAGE_BPS,
    poolUsd: POOL_USD,
    orders: trading.proposals,
    fills: trading.fills.map(({ fill }) => fill),
    marks: [...marked.map((each) => each.marked), ...trading.assessed.map(({ book }) => book)],
    quotes: trading.assessed.map(({ order, quote }) => ({ order, bid: quote?.bid ?? null, ask: quote?.ask ?? null })),
    books: [...trading.books.values()],
  };
}

test(`in ${SEEDS} runs under faults every price of an order, fill, mark and risk check is a quote of its own venue`, async () => {
  const filled = new Set<Venue>();
  let marks = 0;
  for (let seed = 1; seed <= SEEDS; seed++) {
    const run = lived(await (seed <= 5 ? lifeOf(seed) : simulate(seed)));
    expect(foreignPrices(run), `seed ${seed}`).toEqual([]);
    for (const { instrument } of run.fills) filled.add(venueOf(instrument));
    marks += run.marks.filter(({ positions }) => positions.some(({ valueUsd }) => valueUsd !== null)).length;
  }
  // Meaningful only if every venue was traded on and positions were marked.
  expect([...filled].sort()).toEqual(['evmvenue', 'spotchain', 'spotexchange']);
  expect(marks).toBeGreaterThan(SEEDS * 5);
});

const HAIR_SEEDS = [2, 5, 11, 23, 31].slice(0, rounds({ suite: 2, proof: 5 }));
/** Tiny price change, visible in every price, but not to any rule of the manifests. */
const HAIR = 2e-6;

/** Returns the results of a run on all venues but one. */
function elsewhere({ trading, rows, marked }: Outcome, venue: Venue) {
  const away = ({ instrument }: { readonly instrument: InstrumentKey }): boolean => venueOf(instrument) !== venue;
  return {
    orders: trading.proposals.filter(({ order }) => away(order)).map(({ order, decisionPrice, slot }) => ({ order, decisionPrice, slot })),
    fills: trading.fills.map(({ fill }) => fill).filter(away),
    sized: rows.flatMap(({ agentId, slot, instrument, risk }) =>
      risk?.order === undefined || instrument === null || !away({ instrument }) ? [] : [{ agentId, slot, instrument, order: risk.order }],
    ),
    marks: marked.map(({ agentId, slot, marked: { positions } }) => ({ agentId, slot, positions: positions.filter(away) })),
  };
}

test.each(['spotexchange', 'spotchain', 'evmvenue'] as const)(
  'if %s is slightly more expensive, nothing priced on another venue changes',
  async (venue) => {
    let moved = 0;
    for (const seed of HAIR_SEEDS) {
      const [as, dearer] = [await lifeOf(seed), await simulate(seed, plan(seed), { [venue]: HAIR })];
      expect(elsewhere(dearer, venue), `seed ${seed}`).toEqual(elsewhere(as, venue));
      const here = ({ trading }: Outcome) =>
        trading.fills.filter(({ fill }) => venueOf(fill.instrument) === venue).map(({ fill }) => fill.fillPrice);
      if (here(as).join() !== here(dearer).join()) moved++;
    }
    // The change had its effect where permitted.
    expect(moved).toBeGreaterThan(0);
  },
);

test('if reference prices are slightly higher, no order, fill, mark, book or risk result changes: only observations do', async () => {
  let observed = 0;
  for (const seed of HAIR_SEEDS) {
    const [as, dearer] = [await lifeOf(seed), await simulate(seed, plan(seed), { reference: HAIR })];
    const priced = ({ rows, marked, trading: { fills, proposals, books, assessed } }: Outcome) => ({
      rows: rows.map(({ agentId, slot, disposition, reason, instrument, risk, book }) => ({
        agentId,
        slot,
        disposition,
        reason,
        instrument,
        risk,
        book,
      })),
      marked: marked.map(({ agentId, slot, marked: book }) => ({ agentId, slot, book })),
      fills,
      proposals,
      books,
      assessed,
    });
    expect(priced(dearer), `seed ${seed}`).toEqual(priced(as));
    observed += dearer.rows.filter(({ outcome }, at) => outcome !== as.rows[at]?.outcome).length;
  }
  expect(observed).toBeGreaterThan(20);
});

/** Returns the received messages as a tape in memory. */
function tapeOf(received: readonly FeedMessage[]): ReplayTape {
  const events = received.filter((message): message is MarketEvent => message.kind !== 'rejection');
  return {
    file: 'memory',
    header: { tape: 1 },
    cut: null,
    async *batches() {
      yield { events };
    },
  };
}

async function replayed(received: readonly FeedMessage[]): Promise<PricedRun> {
  const levels: readonly Autonomy[] = ['policy_auto', 'autonomous', 'policy_auto'];
  const cuts = new Map<EpochMs, Cut>();
  const rows: DecisionRow[] = [];
  const filled: ReplayedFill[] = [];
  const marks: MarkedBook[] = [];
  await replayTape({
    tapes: [tapeOf(received)],
    agents: MANIFESTS.map((manifest, place) => replayAgent(manifest, place, levels[place] as Autonomy)),
    onDecisions: (made, cut) => {
      rows.push(...made);
      cuts.set(cut.slot, cut);
    },
    onFill: (fill) => filled.push(fill),
    onMarked: (marked) => {
      marks.push(...marked.map((each) => each.marked));
    },
  });
  const books = new Map(filled.map(({ fill, book }) => [fill.bookId, book]));
  // A replay reports a proposal by its fill: the order is the one that risk passed at the decision.
  return {
    received,
    cuts,
    rows,
    slippageBps: SLIPPAGE_BPS,
    poolUsd: POOL_USD,
    orders: [],
    fills: filled.map(({ fill }) => fill),
    marks,
    quotes: [],
    books: [...books.values()],
  };
}

test('a replay of the received data prices everything by its own venue too', async () => {
  const filled = new Set<Venue>();
  let marks = 0;
  for (let seed = 1; seed <= 5; seed++) {
    const run = await replayed((await lifeOf(seed)).received);
    expect(foreignPrices(run), `seed ${seed}`).toEqual([]);
    for (const { instrument } of run.fills) filled.add(venueOf(instrument));
    marks += run.marks.length;
  }
  expect([...filled].sort()).toEqual(['evmvenue', 'spotchain', 'spotexchange']);
  expect(marks).toBeGreaterThan(30);
});

/** True if a book that already has bitcoin of one venue bought it on the other in the minute after a slot. */
function boughtBeside({ fills }: PricedRun, slot: EpochMs): boolean {
  return fills.some(({ at, bookId, instrument, side }) => {
    if (instrument !== 'evmvenue:BTC' || side !== 'buy' || at < slot || at >= slot + AGENT_TICK_MS) return false;
    const before = fills.filter((other) => other.bookId === bookId && other.at < slot);
    return before.some((other) => other.instrument === 'spotexchange:BTCUSDT') && before.every((other) => other.side === 'buy');
  });
}

// A replay's agents have made their first purchases by the slot at which live ones start.
test.each([
  { how: 'live', minute: 2, run: async (life: Outcome) => lived(life) },
  { how: 'in a replay', minute: 1, run: (life: Outcome) => replayed(life.received) },
])(
  '$how, a position whose venue fell silent after the decision has no other mark: decisions depending on it are not executed',
  async ({ minute, run }) => {
    const slot = START + minute * AGENT_TICK_MS;
    const silence: Fault = { at: slot + 50, kind: 'disconnect', venue: 'spotexchange', forMs: 20_000 };
    let cases = 0;
    for (let seed = 1; seed <= 8; seed++) {
      if (!boughtBeside(await run(await lifeOf(seed, [])), slot)) continue;
      cases++;
      expect(boughtBeside(await run(await lifeOf(seed, [silence])), slot), `seed ${seed}`).toBe(false);
    }
    expect(cases, 'seeds in which there is something to hold back').toBeGreaterThanOrEqual(2);
  },
);
