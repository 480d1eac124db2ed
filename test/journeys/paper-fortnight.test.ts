// Fifteen days of paper trading under virtual time, minute by minute: proposals, fills, books, daily equity,
// and the verdicts of the paper and shadow gates.
import { beforeAll, describe, expect, test } from 'vitest';
import { agentBook, applyFill, bookIds, emptyBook, type Fill } from '../../src/domain/books/book.ts';
import { canonicalJson } from '../../src/domain/values/canonical-json.ts';
import type { Cut } from '../../src/domain/market/cut.ts';
import { Decimal } from '../../src/domain/values/decimal.ts';
import type { DecisionRow } from '../../src/domain/agents/decision.ts';
import { assessEvidence, evidenceMetrics } from '../../src/domain/agents/evidence.ts';
import { type Manifest, manifestHash } from '../../src/domain/manifest/manifest.ts';
import { computePaperSeries } from '../../src/domain/agents/paper-evaluation.ts';
import { NO_FLAGS } from '../../src/domain/market/quote.ts';
import { DEFAULT_PREFERENCES } from '../../src/domain/risk/index.ts';
import { measureShadow, computeFlowSpan } from '../../src/domain/shadow/measure.ts';
import { computeShadowSeries } from '../../src/domain/agents/shadow-evaluation.ts';
import type { TapeAgent, TapeEvent } from '../../src/domain/tape/tape.ts';
import { type TickInputs, tickInputsText } from '../../src/domain/tape/tick-inputs.ts';
import { type ReplayResult, type ReplayTape, replayTape } from '../../src/simulation/replay/replay.ts';
import { replayAgent } from '../../src/simulation/replay/replay-agent.ts';
import type { ReplayedFill } from '../../src/simulation/replay/replay-books.ts';
import { seededDraws } from '../../src/simulation/stress/seeded-draws.ts';
import { condition, sampleManifest } from '../actors/agent/sample.ts';

const MINUTE = 60_000;
const DAY = 86_400_000;
const START = Date.UTC(2026, 2, 2);
const DAYS = 15;
const KEY = 'spotexchange:BTCUSDT';

/** Returns one quote of the exchange around a price. */
function topOfBook(at: number, mid: number): TapeEvent {
  return {
    kind: 'quote',
    venue: 'spotexchange',
    instrument: 'BTCUSDT',
    source: 'test:top',
    observedAt: at,
    receivedAt: at,
    sourceTime: true,
    bid: (mid - 0.5).toFixed(2),
    ask: (mid + 0.5).toFixed(2),
    bidSize: '2',
    askSize: '2',
    sequence: null,
    quality: 'live',
    flags: NO_FLAGS,
  };
}

/** Yields a mean-reverting random price without memory beyond hours. */
function* prices(minutes: number): Generator<TapeEvent[]> {
  const draws = seededDraws('fortnight');
  let away = 0;
  let batch: TapeEvent[] = [];
  for (let minute = 0; minute < minutes; minute++) {
    away = away * 0.995 + 0.0011 * draws.normal();
    const mid = 95_000 * (1 + away);
    // A second before the slot, so that it is live at the slot and when orders arrive.
    const at = START + (minute + 1) * MINUTE - 1_000;
    batch.push(topOfBook(at, mid));
    if (batch.length === 512) {
      yield batch;
      batch = [];
    }
  }
  yield batch;
}

function tape(minutes: number): ReplayTape {
  return {
    file: 'made',
    header: { tape: 1 },
    cut: null,
    async *batches() {
      for (const events of prices(minutes)) yield { events };
    },
  };
}

const base = { universe: [{ key: KEY, kind: 'spot' }], maxOpenPositions: 1, stopLossPct: 8, takeProfitPct: 50 } as const;
/** Buys falls and sells rises of a mean-reverting price. */
const PATIENT = sampleManifest({
  ...base,
  name: 'patient',
  entry: [condition('price_below', { price: '94200' })],
  exit: [condition('price_above', { price: '95600' })],
});
/** The opposite strategy. */
const HASTY = sampleManifest({
  ...base,
  name: 'hasty',
  entry: [condition('price_above', { price: '95800' })],
  exit: [condition('price_below', { price: '94400' })],
});

/** Creates an agent at the paper stage. */
function onPaper(manifest: Manifest, place: number, autonomy: TapeAgent['autonomy']): TapeAgent {
  const agent = replayAgent(manifest, place, autonomy);
  return {
    ...agent,
    stage: 'paper',
    tickFrom: START + MINUTE,
    snapshot: {
      value: { stage: 'paper', duty: 'active', feed: 'live' },
      context: {
        autonomy,
        manifestVersion: 1,
        manifestHash: manifestHash(manifest),
        pauseCause: null,
        degradedVenues: [],
      },
      status: 'active',
    } as never,
  };
}

const UNTOUCHED = { fills: 0, realizedPnlUsd: '0', positions: [] as readonly unknown[] };

interface Life {
  readonly result: ReplayResult;
  readonly fills: readonly ReplayedFill[];
  readonly rows: readonly DecisionRow[];
  readonly bids: ReadonlyMap<number, { readonly bid: string; readonly ask: string }>;
}

async function live(minutes: number, agents: readonly TapeAgent[], commands: readonly TapeEvent[] = []): Promise<Life> {
  const fills: ReplayedFill[] = [];
  const rows: DecisionRow[] = [];
  const bids = new Map<number, { bid: string; ask: string }>();
  const one = tape(minutes);
  const result = await replayTape({
    tapes: [
      {
        ...one,
        async *batches() {
          for await (const { events } of one.batches()) {
            const [from, to] = [events[0]?.receivedAt ?? 0, events.at(-1)?.receivedAt ?? 0];
            const told = commands.filter(({ receivedAt }) => receivedAt > from - MINUTE && receivedAt <= to);
            yield { events: [...events, ...told].sort((a, b) => a.receivedAt - b.receivedAt) };
          }
        },
      },
    ],
    agents,
    onFill: (fill) => fills.push(fill),
    onDecisions: (made, cut: Cut) => {
      rows.push(...made);
      const quote = cut.observations.get(KEY)?.quote;
      if (quote?.quality === 'live' && quote.bid !== null && quote.ask !== null) bids.set(cut.slot, { bid: quote.bid, ask: quote.ask });
    },
  });
  return { result, fills, rows, bids };
}

describe('fifteen days on paper', () => {
  const agents = [onPaper(PATIENT, 0, 'policy_auto'), onPaper(HASTY, 1, 'policy_auto')];
  let life: Life;
  beforeAll(async () => {
    life = await live(DAYS * 1_440, agents);
  });

  const fillsOf = (place: number): Fill[] => life.fills.filter(({ agentId }) => agentId === agents[place]?.id).map(({ fill }) => fill);

  function series(place: number) {
    const dayMarks = new Map<number, Map<typeof KEY, string>>();
    for (const [slot, { bid }] of life.bids) dayMarks.set(slot - (slot % DAY), new Map([[KEY, bid]]));
    return computePaperSeries({
      bookId: bookIds.paper(agents[place]?.id as string, 1),
      capitalUsd: PATIENT.maxCapitalUsd,
      enteredAt: START,
      evaluatedAt: START + DAYS * DAY,
      pausedMs: 0,
      pauses: [],
      promisedBps: 0,
      fills: fillsOf(place),
      funding: [],
      rescalings: [],
      entryMarks: new Map(),
      dayMarks: dayMarks as never,
    });
  }

  test('every minute has its decision, and trades alternate between entry and exit', () => {
    // The last slot is not over at the last price.
    expect(life.rows).toHaveLength(2 * (DAYS * 1_440 - 1));
    for (const place of [0, 1]) {
      const fills = fillsOf(place);
      expect(fills.length).toBeGreaterThan(20);
      expect(fills.every(({ side }, index) => side === (index % 2 === 0 ? 'buy' : 'sell'))).toBe(true);
    }
    const { trading } = life.result.counts;
    expect(trading.fills).toBe(life.fills.length);
    expect(trading.states.filled).toBe(life.fills.length);
  });

  test('every fill uses a quote that was live at that moment, shortly after its slot', () => {
    for (const { fill } of life.fills) {
      expect(fill.at % MINUTE).toBe(750);
      const quote = life.bids.get(fill.at - 750);
      expect(fill.quotes).toEqual([{ source: 'test:top', observedAt: fill.at - 1_750, bid: quote?.bid, ask: quote?.ask }]);
      expect(fill.fillPrice).toBe(new Decimal((fill.side === 'buy' ? quote?.ask : quote?.bid) as string).toFixed());
      // Fee of the venue: ten basis points.
      expect(Number(fill.feeUsd)).toBeCloseTo(Number(fill.notionalUsd) * 0.001, 5);
      if (fill.side === 'buy') expect(Number(fill.notionalUsd)).toBeLessThanOrEqual(1_000);
    }
  });

  test('a decision has the book that results from the fills before it', () => {
    const wrong: string[] = [];
    for (const [place, agent] of agents.entries()) {
      const rows = life.rows.filter(({ agentId }) => agentId === agent.id);
      let book = emptyBook(bookIds.paper(agent.id, 1), 'paper', PATIENT.maxCapitalUsd);
      let next = 0;
      const fills = fillsOf(place);
      for (const row of rows) {
        while (next < fills.length && (fills[next] as Fill).at < row.slot) book = applyFill(book, fills[next++] as Fill);
        const seen = row.book === null ? UNTOUCHED : (JSON.parse(row.book) as typeof UNTOUCHED);
        const same = seen.fills === next && seen.realizedPnlUsd === book.realizedPnlUsd && seen.positions.length === book.holdings.length;
        // One expectation for forty thousand rows.
        if (!same) wrong.push(`agent ${place} at ${row.slot} saw ${row.book}, its fills came to ${JSON.stringify(book)}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  test('the paper gate opens for the profitable agent and stays closed for the losing one', () => {
    const [patient, hasty] = [0, 1].map((place) => {
      const metrics = evidenceMetrics('paper', series(place));
      return { metrics, ...assessEvidence('paper', metrics) };
    });
    expect(patient?.metrics['expectancyUsd']).toBeGreaterThan(0);
    expect(patient?.passed).toBe(true);
    expect(hasty?.metrics['expectancyUsd']).toBeLessThan(0);
    expect(hasty?.passed).toBe(false);
    expect(hasty?.checks.filter(({ passed }) => !passed).map(({ name }) => name)).toEqual(['expectancy_usd', 'sharpe']);
    // Final equity from the fills alone: purchases, sales, fees, and positions at the last bid.
    for (const place of [0, 1]) {
      let cash = new Decimal(PATIENT.maxCapitalUsd);
      let held = new Decimal(0);
      for (const fill of fillsOf(place)) {
        const sign = fill.side === 'buy' ? 1 : -1;
        cash = cash.minus(new Decimal(fill.quantity).times(fill.fillPrice).times(sign)).minus(fill.feeUsd);
        held = held.plus(new Decimal(fill.quantity).times(sign));
      }
      const { days } = series(place);
      expect(days.length).toBeGreaterThanOrEqual(DAYS);
      const lastBid = [...life.bids.values()].at(-1)?.bid as string;
      expect(days.at(-1)?.[1]).toBe(cash.plus(held.times(lastBid)).toFixed());
    }
  });

  /** Computes the shadow gate's metrics if each order met the book of its minute, or of the next one. */
  function inShadow(isLate: boolean) {
    const fills = fillsOf(0);
    const measured = new Map(
      fills.map((fill) => {
        const { id, instrument, side, quantity, at } = fill;
        const limitPrice = new Decimal(fill.fillPrice).times(side === 'buy' ? 2 : '0.5').toFixed();
        const order = { id, instrument, side, quantity, limitPrice, sentAt: at, restedUntil: null };
        const span = computeFlowSpan(order);
        const { bid, ask } = life.bids.get(at - (at % MINUTE) + (isLate ? MINUTE : 0)) as { bid: string; ask: string };
        const [bids, asks] = [[{ price: bid, size: '1000' }], [{ price: ask, size: '1000' }]];
        const book = { source: 'test', at: span.arrival, bids, asks, liquidityUsd: null };
        return [id, measureShadow(order, { ...span, books: [book], trades: [], gaps: [] })] as const;
      }),
    );
    return evidenceMetrics(
      'shadow',
      computeShadowSeries({ enteredAt: START, evaluatedAt: START + DAYS * DAY, maxSlippageBps: PATIENT.maxSlippageBps, fills, measured }),
    );
  }

  test('the shadow gate compares the fills with the book that each order met on arrival', () => {
    // Decided and filled on the same quote. The market moves some eleven basis points a minute.
    const prompt = inShadow(false);
    expect(prompt).toMatchObject({ fills: fillsOf(0).length, unknownPct: 0, missedPct: 0, shortfallBps: 0, slippageErrorBps: 0 });
    expect(assessEvidence('shadow', prompt).passed).toBe(true);
    const late = inShadow(true);
    expect(late['paperShortfallBps']).toBe(0);
    expect(late['slippageErrorBps']).toBeGreaterThan(4);
    expect(late['slippageErrorBps']).toBeLessThan(20);
  });
});

describe('a day on paper', () => {
  test('has the same bytes again, decisions and fills', async () => {
    const agents = [onPaper(PATIENT, 0, 'autonomous'), onPaper(HASTY, 1, 'policy_auto')];
    const [one, two] = [await live(1_440, agents), await live(1_440, agents)];
    expect(JSON.stringify(two.fills)).toBe(JSON.stringify(one.fills));
    expect(JSON.stringify(two.result)).toBe(JSON.stringify(one.result));
    expect(one.fills.length).toBeGreaterThan(0);
  });

  test('at confirm nothing is filled without approval; a proposal approved on the tape is filled, and the others expire', async () => {
    const agent = onPaper(PATIENT, 0, 'confirm');
    const silent = await live(3 * 1_440, [agent]);
    expect(silent.fills).toEqual([]);
    const { states, proposals } = silent.result.counts.trading;
    expect(proposals).toBeGreaterThan(1);
    expect((states.expired ?? 0) + (states.pending_approval ?? 0)).toBe(proposals);
    // A proposal that is still pending a minute later.
    const asked = silent.rows.find(
      ({ disposition }, index) => disposition === 'propose_entry' && silent.rows[index + 1]?.reason === 'proposal_pending',
    ) as DecisionRow;
    const { decisionId, deriveProposalId } = await import('../../src/domain/agents/decision.ts');
    const at = asked.slot + 60_500;
    const approved = await live(
      3 * 1_440,
      [agent],
      [
        {
          kind: 'command',
          receivedAt: at,
          actorId: deriveProposalId(decisionId(agent.id, asked.slot)),
          event: { type: 'approve', subject: 'ann' },
        },
      ],
    );
    // While it was pending, its instrument was not proposed again.
    const waiting = approved.rows.filter(({ slot }) => slot > asked.slot && slot < at);
    expect(waiting.map(({ reason }) => reason)).toEqual(['proposal_pending']);
    expect(approved.fills.map(({ fill }) => [fill.side, fill.at])).toEqual([['buy', at + 750]]);
  });

  test('an agent that only suggests does not trade', async () => {
    const { result, rows } = await live(1_440, [onPaper(PATIENT, 0, 'suggest')]);
    expect(rows.some(({ disposition }) => disposition === 'propose_entry')).toBe(true);
    expect(result.counts.trading).toMatchObject({ proposals: 0, fills: 0 });
  });

  test('an order of an agent paused before it is sent is cancelled', async () => {
    const agent = onPaper(PATIENT, 0, 'policy_auto');
    const asked = (await live(1_440, [agent])).rows.find(({ disposition }) => disposition === 'propose_entry') as DecisionRow;
    const { result, fills } = await live(
      1_440,
      [agent],
      [{ kind: 'command', receivedAt: asked.slot + 300, actorId: agent.id, event: { type: 'pause', cause: 'operator' } }],
    );
    expect(fills).toEqual([]);
    expect(result.counts.trading.states).toEqual({ cancelled: 1 });
  });

  test('recorded inputs of an agent are used: its book and its preferences, with nothing computed', async () => {
    const agent = onPaper(PATIENT, 0, 'policy_auto');
    const asked = (await live(1_440, [agent])).rows.find(({ disposition }) => disposition === 'propose_entry') as DecisionRow;
    const note = (slot: number, inputs: TickInputs): TapeEvent => ({
      kind: 'inputs',
      receivedAt: slot,
      actorId: agent.id,
      inputs: tickInputsText(inputs),
    });
    const others = { equityUsd: '0', exposures: [] };
    const cautious = { preferences: { ...DEFAULT_PREFERENCES, reduceOnly: true }, others };
    const holding = { instrument: KEY, quantity: '0.01', costUsd: '950', openedAt: asked.slot + 750 } as const;
    const book = {
      ...emptyBook(bookIds.paper(agent.id, 1), 'paper', '10000'),
      cashUsd: '9050',
      fills: 1,
      turnoverUsd: '950',
      holdings: [holding],
    };
    const { rows, fills, result } = await live(
      1_440,
      [agent],
      [note(asked.slot, { book: null, risk: cautious }), note(asked.slot + MINUTE, { book, risk: null })],
    );
    expect(fills).toEqual([]);
    expect(result.counts.trading).toMatchObject({ proposals: 0, fills: 0 });
    const at = rows.findIndex(({ slot }) => slot === asked.slot);
    expect(rows[at]).toMatchObject({ disposition: 'blocked_by_risk', reason: 'reduce_only', book: null });
    expect(rows.slice(at + 1).every((row) => row.book === canonicalJson(agentBook(book) as never))).toBe(true);
  });
});

test('a stop-loss does not wait for the slices of its entry: unsent ones end, and the position is sold at once', async () => {
  const sliced = sampleManifest({
    ...base,
    name: 'sliced',
    algorithm: 'twap',
    urgency: 'low',
    stopLossPct: 2,
    entry: [condition('price_above', { price: '94000' })],
    exit: [],
  });
  const agent = onPaper(sliced, 0, 'policy_auto');
  // It buys ten slices in five minutes from the first slot on. In the third minute the price falls by four percent.
  const quotes = Array.from({ length: 450 }, (_, n): TapeEvent => {
    const at = START + MINUTE - 10_000 + n * 2_000;
    const mid = at < START + 3 * MINUTE + 10_000 ? 95_000 : 91_000;
    return topOfBook(at, mid);
  });
  const fills: ReplayedFill[] = [];
  const rows: DecisionRow[] = [];
  const { counts } = await replayTape({
    tapes: [
      {
        file: 'made',
        header: { tape: 1 },
        cut: null,
        async *batches() {
          yield { events: quotes };
        },
      },
    ],
    agents: [agent],
    onFill: (fill) => fills.push(fill),
    onDecisions: (made) => void rows.push(...made),
  });
  const exit = rows.find(({ disposition }) => disposition === 'propose_exit');
  expect(exit?.slot).toBe(START + 4 * MINUTE);
  const sold = fills.findIndex(({ fill }) => fill.side === 'sell');
  expect(fills[sold]?.fill.at).toBeLessThan(START + 4 * MINUTE + 2_000);
  // Some but not all slices were bought, none after the sale, and the position is closed.
  expect(sold).toBeGreaterThan(3);
  expect(sold).toBeLessThan(9);
  expect(fills).toHaveLength(sold + 1);
  expect(fills[sold]?.book.holdings).toEqual([]);
  expect(counts.trading.states).toEqual({ partially_filled: 1, filled: 1 });
});
