/**
 * Proposals, risk and paper fills of a seeded run in memory: the product's own actors and functions over a store with the database's
 * guarantees, permits and one start per proposal.
 */
import type { ActorState } from '../../domain/agents/actor-step.ts';
import { agentContext, agentKind, agentValue } from '../../../actors/agent/effects.ts';
import { untouchedBook } from '../../../actors/agent/tick-risk.ts';
import { createProposalHandler } from '../../../actors/proposal/commands.ts';
import type { ProposalView } from '../../../actors/proposal/resource.ts';
import { proposalContext, proposalKind, proposalRow, proposalState } from '../../../actors/proposal/effects.ts';
import { executionWorkers } from '../../../actors/proposal/execution.ts';
import type { PreTrade } from '../../../actors/proposal/present-verdict.ts';
import type { ProposalContext } from '../../../actors/proposal/protocol.ts';
import { startActivities } from '../../../actors/runtime/activities.ts';
import { createDirectory } from '../../../actors/runtime/directory.ts';
import type { MemoryStore } from '../../../actors/runtime/memory-store.ts';
import { createRuntime, type Runtime } from '../../../actors/runtime/runtime.ts';
import type { TickTrades } from '../../../actors/ticking/tick-store.ts';
import { createFreshness } from '../../../streams/quality/freshness.ts';
import type { VirtualClock } from '../../../streams/clock/virtual-clock.ts';
import { applyFill, type Fill, type MarkedBook, markBook, type TradingBook } from '../../domain/books/book.ts';
import { type ExecutionPermit, isOpenProposal, PermitLost, STOP_LOSS, supersededBy } from '../../domain/orders/execution.ts';
import type { Manifest } from '../../domain/manifest/manifest.ts';
import type { Order } from '../../domain/orders/order.ts';
import type { Quote } from '../../domain/market/quote.ts';
import { ALL_ENABLED, assessOrder, DEFAULT_PREFERENCES, decideHalt, NO_OTHER_BOOKS, orderContext } from '../../domain/risk/index.ts';
import { type ExecutableVenue, type InstrumentKey, instrumentKey, splitInstrumentKey } from '../../domain/market/venue.ts';
import { agedQuote, createLiveMarks } from '../../trading/live-marks.ts';
import { POOL_USD } from './feeds.ts';
import { eachRow } from '../../../actors/runtime/containment.ts';

/** Risk assessment at an approval or an execution. */
interface Assessed {
  readonly order: Order;
  readonly quote: Quote | null;
  readonly book: MarkedBook;
}

export interface Trading {
  readonly fills: readonly { readonly fill: Fill; readonly quote: Quote }[];
  readonly states: readonly string[];
  /** Final state of every proposal. */
  readonly proposals: readonly ProposalContext[];
  readonly books: ReadonlyMap<string, TradingBook>;
  readonly assessed: readonly Assessed[];
  /** Number of executions that began in an epoch after a halt ended it. */
  readonly begunAfterHalt: number;
  readonly halts: number;
  readonly cancelledByHalts: number;
}

interface TradingFloorDeps {
  readonly memory: MemoryStore;
  readonly clock: VirtualClock;
  readonly orgId: string;
  readonly manifestOf: (hash: string) => Manifest;
  /** Collects thrown errors. */
  readonly failures: unknown[];
}

export type TradingFloor = ReturnType<typeof createTradingFloor>;

interface Kept extends TradingFloorDeps {
  readonly quotes: Map<InstrumentKey, Quote>;
  /** Live quotes of the time in which an order may have rested. */
  readonly tops: Map<InstrumentKey, readonly Quote[]>;
  readonly books: Map<string, TradingBook>;
  readonly fills: { fill: Fill; quote: Quote }[];
  readonly assessed: Assessed[];
  epoch: number;
  halts: number;
  cancelledByHalts: number;
  begunAfterHalt: number;
  recordsRead: number;
  workerDies: boolean;
  deaths: number;
}

/** Time for which quotes are kept, longer than any order rests. */
const KEPT_TOPS_MS = 120_000;

const DIED = 'the worker of an activity died';

export function createTradingFloor(deps: TradingFloorDeps) {
  const kept: Kept = {
    ...deps,
    quotes: new Map(),
    tops: new Map(),
    books: new Map(),
    fills: [],
    assessed: [],
    epoch: 0,
    halts: 0,
    cancelledByHalts: 0,
    begunAfterHalt: 0,
    recordsRead: 0,
    workerDies: false,
    deaths: 0,
  };
  const { memory, clock, orgId } = deps;
  const store = storeWithPermits(kept);
  const runtime = createRuntime({ store, directory: createDirectory([agentKind, proposalKind]), clock });
  const preTrade = preTradeOn(kept);
  const handler = createProposalHandler({ runtime, preTrade, clock, proposals: { find: async (_, id) => readView(kept, id) } });
  const activities = activitiesOn(kept, store, runtime, preTrade);
  const allProposals = () => [...memory.actors.values()].filter(({ kind }) => kind === 'proposal');
  const idsIn = (...states: readonly string[]) =>
    allProposals().flatMap(({ id, state }) => (states.includes(proposalState(state)) ? [id] : []));

  return {
    store,
    runtime,
    received: (quote: Quote) => receive(kept, quote),
    books: async (agentIds: readonly string[]) =>
      new Map(agentIds.flatMap((id) => readBook(kept, id) ?? []).map((state): [string, TradingBook] => [state.id, state])),
    organizations: async (ids: readonly string[]) =>
      new Map(ids.map((id) => [id, { epoch: kept.epoch, preferences: DEFAULT_PREFERENCES, books: [...kept.books.values()] }] as const)),
    /** Starts the proposals and days that a tick leads to. */
    async begin(trades: TickTrades) {
      for (const { agentId, permit, start, superseded, ends } of trades.proposals) {
        const reason = lostBecause(kept, agentId, permit);
        if (reason === null && ends.length > 0)
          await runtime.deliverMany([...ends], { type: 'cancel', reason: STOP_LOSS }, { cause: 'tick' });
        await store.start(reason === null ? start : superseded(reason));
      }
    },
    async approveAll() {
      for (const id of idsIn('pending_approval')) await handler.approve({ orgId, subject: 'ann', permissions: [], requestId: 'r' }, id);
    },
    /** Halts like the command handler: epoch, proposals, agents. */
    async halt(agentIds: readonly string[]) {
      kept.epoch++;
      kept.halts++;
      const cancelled = await runtime.deliverMany(
        idsIn('pending_approval', 'approved', 'executing'),
        { type: 'cancel', reason: 'halted' },
        { cause: 'test' },
      );
      for (const outcome of cancelled.values()) if (outcome.ok) kept.cancelledByHalts++;
      await runtime.deliverMany(agentIds, { type: 'pause', cause: 'emergency_halt' }, { cause: 'test' });
    },
    /** Kills the worker of the next execution, before or right after its outcome is stored. */
    killNextWorker: () => void (kept.workerDies = true),
    stop: async () => activities.stop(),
    outcome(): Trading {
      const { fills, books, assessed, begunAfterHalt, halts, cancelledByHalts } = kept;
      const states = allProposals().map(({ state }) => proposalState(state));
      const proposals = allProposals().map(({ state }) => proposalContext(state));
      return { fills, states, proposals, books, assessed, begunAfterHalt, halts, cancelledByHalts };
    },
  };
}

/** Stores the newest quote, and the live quotes of the time in which an order may have rested. */
function receive({ quotes, tops }: Kept, quote: Quote): void {
  const key = instrumentKey(quote.venue, quote.instrument);
  quotes.set(key, quote);
  if (quote.quality !== 'live') return;
  const recent = (tops.get(key) ?? []).filter(({ receivedAt }) => receivedAt > quote.receivedAt - KEPT_TOPS_MS);
  tops.set(key, [...recent, quote]);
}

function readAgent({ memory, manifestOf }: Kept, agentId: string) {
  const state = memory.actors.get(agentId)?.state as ActorState;
  const { manifestHash, manifestVersion, autonomy } = agentContext(state);
  const { duty, stage } = agentValue(state);
  return { id: agentId, manifestHash, manifestVersion, autonomy, stage, paused: duty === 'paused', manifest: manifestOf(manifestHash) };
}

function lostBecause(kept: Kept, agentId: string, permit: ExecutionPermit) {
  const { manifestHash, autonomy, paused, stage } = readAgent(kept, agentId);
  return supersededBy(permit, { epoch: kept.epoch, manifestHash, paused, stage, autonomy });
}

/** Creates a store with the database's guarantees: a step that lost its permit is not written, and fills are booked with their step. */
function storeWithPermits(kept: Kept): MemoryStore {
  const { memory } = kept;
  return {
    ...memory,
    async commit(commits) {
      for (const { plan } of commits) {
        for (const record of plan.records) {
          if (record.type !== 'execution_permit') continue;
          const reason = lostBecause(kept, record['agentId'] as string, record as unknown as ExecutionPermit);
          if (reason !== null) throw new PermitLost(reason);
        }
      }
      const stale = await memory.commit(commits);
      for (const commit of commits) {
        if (stale.has(commit.row.id) || commit.event.type !== 'execution.begun') continue;
        if (proposalContext(commit.plan.state).epoch !== kept.epoch) kept.begunAfterHalt++;
      }
      bookFills(kept);
      return stale;
    },
  };
}

/** Books the fills of new records. */
function bookFills(kept: Kept): void {
  const { memory, books, fills, quotes } = kept;
  for (; kept.recordsRead < memory.records.length; kept.recordsRead++) {
    const record = memory.records[kept.recordsRead];
    if (record?.type !== 'fill') continue;
    const fill = record['fill'] as Fill;
    const { agentId } = proposalContext(memory.actors.get(fill.orderId)?.state as ActorState);
    books.set(fill.bookId, applyFill(books.get(fill.bookId) ?? freshBook(kept, agentId), fill));
    fills.push({ fill, quote: filledOn(kept, fill) ?? (quotes.get(fill.instrument) as Quote) });
  }
}

/** Returns the quote that a fill names, or undefined if it is not among those of the order's possible resting time. */
function filledOn({ tops }: Kept, { instrument, quotes: [on] }: Fill): Quote | undefined {
  return tops.get(instrument)?.find(({ observedAt, bid, ask }) => observedAt === on?.observedAt && bid === on.bid && ask === on.ask);
}

function freshBook(kept: Kept, agentId: string): TradingBook {
  const { manifest, manifestVersion } = readAgent(kept, agentId);
  return untouchedBook({ id: agentId, stage: 'draft', manifest, manifestVersion });
}

/** Returns the agent's book with its open proposals, or null if it is untouched. */
function readBook(kept: Kept, agentId: string): TradingBook | null {
  const open = [...kept.memory.actors.values()]
    .filter(({ kind, state }) => kind === 'proposal' && isOpenProposal(proposalState(state)) && proposalContext(state).agentId === agentId)
    .map(({ id, state }) => {
      const { instrument, side, quantity, notionalUsd } = proposalContext(state).order;
      return { id, instrument, side, quantity, notionalUsd };
    });
  const empty = freshBook(kept, agentId);
  const booked = kept.books.get(empty.id);
  return booked === undefined && open.length === 0 ? null : { ...(booked ?? empty), openProposals: open };
}

/** Creates the pre-trade risk on the last received data, with the product's only risk function. */
function preTradeOn(kept: Kept): PreTrade {
  const { clock, quotes } = kept;
  const freshness = createFreshness();
  const marks = createLiveMarks({ latest: (key) => quotes.get(key) ?? null }, clock);
  return {
    async assess(_, { agentId, order, readsReference, epoch, flattens }) {
      const at = clock.now();
      const received = quotes.get(order.instrument);
      const quote = received === undefined ? null : agedQuote(received, freshness, at);
      const agent = { ...readAgent(kept, agentId), stage: 'draft' as const };
      const state = readBook(kept, agentId) ?? freshBook(kept, agentId);
      const book = markBook(state, marks(state.holdings.map(({ instrument }) => instrument)), at);
      kept.assessed.push({ order, quote, book });
      const facts = { decidedEpoch: epoch ?? kept.epoch, epoch: kept.epoch, paused: agent.paused, closes: flattens === true };
      const context = orderContext(order, {
        market: { at, quote, reference: { quality: 'live', flags: [], ageMs: 0 }, liquidityUsd: POOL_USD },
        readsReference,
        agent,
        preferences: DEFAULT_PREFERENCES,
        book,
        others: NO_OTHER_BOOKS,
        control: { halt: decideHalt(facts), disabled: ALL_ENABLED },
      });
      const verdict = assessOrder(order, context);
      return verdict.ok
        ? { ok: true, approved: verdict.approved, risk: verdict.attribution, market: { quote, depth: null, liquidityUsd: null } }
        : { ok: false, risk: verdict.attribution };
    },
  };
}

function readView({ memory, clock }: Kept, id: string): ProposalView | null {
  const row = memory.actors.get(id);
  if (row === undefined) return null;
  return { ...proposalRow(id, row.state, clock.now()), fills: [], transaction: null };
}

/** Runs executions. A worker that is to die does so alternately before its outcome is stored and right after. */
function activitiesOn(kept: Kept, store: MemoryStore, runtime: Runtime, preTrade: PreTrade): { stop(): Promise<void> } {
  const { memory, clock, failures } = kept;
  const mortal: Runtime = {
    ...runtime,
    async deliverInTurn(...turn) {
      if (!kept.workerDies) return runtime.deliverInTurn(...turn);
      kept.workerDies = false;
      if (++kept.deaths % 2 === 0) await runtime.deliverInTurn(...turn);
      throw new Error(DIED);
    },
  };
  const onError = (error: unknown): void => {
    if ((error as Error).message !== DIED) failures.push(error);
  };
  return startActivities({
    store,
    runtime,
    clock,
    contained: eachRow(onError),
    onError,
    workers: executionWorkers({
      runtime: mortal,
      load: store.load,
      preTrade,
      clients: {},
      flows: {
        between: async (instrument, from, to) => ({
          venue: splitInstrumentKey(instrument).venue as ExecutableVenue,
          source: 'simulation',
          trades: [],
          tops: (kept.tops.get(instrument) ?? [])
            .filter(({ receivedAt: at }) => at > from && at <= to)
            .map((quote) => ({ ...quote, at: quote.receivedAt })),
        }),
      },
      leaseIsHeld: async (id) => clock.now() < (proposalContext(memory.actors.get(id)?.state as ActorState).leaseUntil ?? 0),
      clock,
    }),
  });
}
