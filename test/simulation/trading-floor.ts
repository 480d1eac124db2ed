// Proposals, risk and paper fills of a simulated world, in memory: the product's own actors and functions over a store
// that keeps what the database keeps: licences, and one start per proposal.
import { agentContext, agentValue } from '../../actors/agent/effects.ts';
import { untouchedBook } from '../../actors/agent/tick-risk.ts';
import { createProposalHandler } from '../../actors/proposal/command-handler.ts';
import type { ProposalView } from '../../actors/proposal/commands.ts';
import { proposalContext, proposalState } from '../../actors/proposal/effects.ts';
import { executionWorkers } from '../../actors/proposal/execution.ts';
import type { PreTrade } from '../../actors/proposal/pre-trade.ts';
import type { ProposalContext } from '../../actors/proposal/protocol.ts';
import { startActivities } from '../../actors/runtime/activities.ts';
import { createDirectory } from '../../actors/runtime/directory.ts';
import type { MemoryStore } from '../../actors/runtime/memory-store.ts';
import { createRuntime } from '../../actors/runtime/runtime.ts';
import { type TickTrades } from '../../actors/ticking/tick-store.ts';
import type { TradingTickStore } from '../../actors/ticking/trading-ticker.ts';
import { ACTOR_KINDS } from '../../src/boot/capabilities/index.ts';
import { applyFill, type Fill, type MarkedBook, markBook, type TradingBook } from '../../src/domain/book.ts';
import { costModelOf } from '../../src/domain/costs.ts';
import { type ExecutionPermit, isOpenProposal, PermitLost, supersededBy } from '../../src/domain/execution.ts';
import type { Manifest } from '../../src/domain/manifest/manifest.ts';
import type { Order } from '../../src/domain/order.ts';
import type { Quote } from '../../src/domain/quote.ts';
import { assessOrder, DEFAULT_PREFERENCES, mandateOf, otherBooksOf } from '../../src/domain/risk/index.ts';
import { type InstrumentKey, instrumentKey } from '../../src/domain/venue.ts';
import { agedQuote, createLiveMarks } from '../../src/trading/live-marks.ts';
import { createFreshness } from '../../streams/freshness.ts';
import type { VirtualClock } from '../../streams/virtual-clock.ts';

/** What risk was asked at an approval or an execution. */
export interface Assessed {
  readonly order: Order;
  readonly quote: Quote | null;
  readonly book: MarkedBook;
}

/** What the trading of a run came to. */
export interface Trading {
  readonly fills: readonly { readonly fill: Fill; readonly quote: Quote }[];
  readonly states: readonly string[];
  /** Every proposal as it came to stand. */
  readonly proposals: readonly ProposalContext[];
  readonly books: ReadonlyMap<string, TradingBook>;
  readonly assessed: readonly Assessed[];
  /** Executions that began in an epoch that a halt had ended. */
  readonly begunAfterHalt: number;
  readonly halts: number;
  readonly cancelledByHalts: number;
}

export function createTradingFloor(deps: {
  readonly memory: MemoryStore;
  readonly clock: VirtualClock;
  readonly orgId: string;
  readonly manifestOf: (hash: string) => Manifest;
  readonly failures: unknown[];
}) {
  const { memory, clock, orgId } = deps;
  const quotes = new Map<InstrumentKey, Quote>();
  const books = new Map<string, TradingBook>();
  const fills: { fill: Fill; quote: Quote }[] = [];
  const assessed: Assessed[] = [];
  let epoch = 0;
  let halts = 0;
  let cancelledByHalts = 0;
  let begunAfterHalt = 0;
  let workerDies = false;
  let recordsRead = 0;

  const contextOf = (agentId: string) => agentContext(memory.actors.get(agentId)?.state as never);
  function lost(agentId: string, permit: ExecutionPermit) {
    const state = memory.actors.get(agentId)?.state as never;
    const { manifestHash, autonomy } = agentContext(state);
    const { duty, stage } = agentValue(state);
    return supersededBy(permit, { epoch, manifestHash, paused: duty === 'paused', stage: stage as never, autonomy });
  }

  // The database's part: a step whose permit is lost is not written; fills are booked with their step.
  const store: MemoryStore = {
    ...memory,
    async commit(commits) {
      for (const { plan } of commits) {
        for (const record of plan.records) {
          if (record.type !== 'execution_licence') continue;
          const reason = lost(record['agentId'] as string, record as unknown as ExecutionPermit);
          if (reason !== null) throw new PermitLost(reason);
        }
      }
      const stale = await memory.commit(commits);
      for (const commit of commits) {
        if (stale.has(commit.row.id) || commit.event.type !== 'execution.begun') continue;
        if (proposalContext(commit.plan.state).epoch !== epoch) begunAfterHalt++;
      }
      book();
      return stale;
    },
  };
  const runtime = createRuntime({ store, directory: createDirectory(ACTOR_KINDS), clock });

  function book(): void {
    for (; recordsRead < memory.records.length; recordsRead++) {
      const record = memory.records[recordsRead];
      if (record?.type !== 'fill') continue;
      const fill = record['fill'] as Fill;
      const { agentId } = proposalContext(memory.actors.get(fill.orderId)?.state as never);
      books.set(fill.bookId, applyFill(books.get(fill.bookId) ?? fresh(agentId), fill));
      fills.push({ fill, quote: quotes.get(fill.instrument) as Quote });
    }
  }

  function fresh(agentId: string): TradingBook {
    const { manifestHash, manifestVersion } = contextOf(agentId);
    return untouchedBook({ id: agentId, stage: 'draft', manifest: deps.manifestOf(manifestHash), manifestVersion });
  }

  function proposals() {
    return [...memory.actors.values()].filter(({ kind }) => kind === 'proposal');
  }

  /** The agent's book with what is open on it; null where nothing has happened to it. */
  function bookOf(agentId: string): TradingBook | null {
    const open = proposals()
      .filter(({ state }) => isOpenProposal(proposalState(state)) && proposalContext(state).agentId === agentId)
      .map(({ id, state }) => {
        const { instrument, side, quantity, notionalUsd } = proposalContext(state).order;
        return { id, instrument, side, quantity, notionalUsd };
      });
    const empty = fresh(agentId);
    const kept = books.get(empty.id);
    return kept === undefined && open.length === 0 ? null : { ...(kept ?? empty), openProposals: open };
  }

  const freshness = createFreshness();
  const marks = createLiveMarks({ latest: (key) => quotes.get(key) ?? null }, clock);

  function present(instrument: InstrumentKey): Quote | null {
    const quote = quotes.get(instrument);
    return quote === undefined ? null : agedQuote(quote, freshness, clock.now());
  }

  const preTrade: PreTrade = {
    async assess(_, { agentId, order, readsReference }) {
      const { manifestHash, autonomy } = contextOf(agentId);
      const quote = present(order.instrument);
      const state = bookOf(agentId) ?? fresh(agentId);
      const book = markBook(state, marks(state.holdings.map(({ instrument }) => instrument)), clock.now());
      assessed.push({ order, quote, book });
      const verdict = assessOrder(order, {
        at: clock.now(),
        quote,
        reference: { required: readsReference, observed: { quality: 'live', flags: [], ageMs: 0 } },
        liquidityUsd: '1000000',
        mandate: mandateOf(deps.manifestOf(manifestHash), DEFAULT_PREFERENCES, 'draft', autonomy),
        book,
        others: otherBooksOf([], 'paper', order.bookId),
        halt: 'none',
        disabledFeature: null,
        feeBps: costModelOf(order.instrument).takerFeeBps,
      });
      return verdict.ok
        ? { ok: true, approved: verdict.approved, risk: verdict.attribution, market: { quote, depth: null, liquidityUsd: null } }
        : { ok: false, risk: verdict.attribution };
    },
  };

  const handler = createProposalHandler({ runtime, preTrade, proposals: { find: async (_, id) => viewOf(id) } });
  function viewOf(id: string): ProposalView | null {
    const row = memory.actors.get(id);
    if (row === undefined) return null;
    return { ...proposalContext(row.state), id, state: proposalState(row.state), fills: [], changedAt: clock.now() };
  }

  const workers = executionWorkers({
    runtime,
    load: store.load,
    preTrade,
    clients: {},
    leaseIsHeld: async (id) => clock.now() < (proposalContext(memory.actors.get(id)?.state as never).leaseUntil ?? 0),
    clock,
  });
  const activities = startActivities({
    store,
    runtime,
    clock,
    onError: (error) => {
      if ((error as Error).message !== 'the carrier died') deps.failures.push(error);
    },
    workers: Object.fromEntries(
      Object.entries(workers).map(([kind, carry]) => [
        kind,
        async (payload: Parameters<typeof carry>[0], key: string) => {
          const answer = await carry(payload, key);
          if (!workerDies) return answer;
          workerDies = false;
          throw new Error('the carrier died');
        },
      ]),
    ),
  });

  return {
    store,
    runtime,
    heard(quote: Quote): void {
      quotes.set(instrumentKey(quote.venue, quote.instrument), quote);
    },
    books: (async (agentIds) => {
      const found = new Map<string, TradingBook>();
      for (const id of agentIds) {
        const state = bookOf(id);
        if (state !== null) found.set(state.id, state);
      }
      return found;
    }) satisfies TradingTickStore['books'],
    organizations: (async (ids) =>
      new Map(
        ids.map((id) => [id, { epoch, preferences: DEFAULT_PREFERENCES, books: [...books.values()] }] as const),
      )) satisfies TradingTickStore['organizations'],
    async begin(trades: TickTrades): Promise<void> {
      for (const { agentId, permit, start, superseded } of trades.proposals) {
        const reason = lost(agentId, permit);
        await store.start(reason === null ? start : superseded(reason));
      }
    },
    async approveAll(): Promise<void> {
      const pending = proposals().filter(({ state }) => proposalState(state) === 'pending_approval');
      for (const { id } of pending) await handler.approve({ orgId, subject: 'ann', permissions: [], requestId: 'r' }, id);
    },
    /** The halt as the command handler makes it: epoch, proposals, agents. */
    async halt(agentIds: readonly string[]): Promise<void> {
      epoch++;
      halts++;
      const open = proposals().filter(({ state }) => ['pending_approval', 'approved'].includes(proposalState(state)));
      const ids = open.map(({ id }) => id);
      const outcomes = await runtime.deliverMany(ids, { type: 'cancel', reason: 'halted' }, { cause: 'test' });
      for (const outcome of outcomes.values()) if (outcome.ok) cancelledByHalts++;
      await runtime.deliverMany(agentIds, { type: 'pause', cause: 'emergency_halt' }, { cause: 'test' });
    },
    /** The next execution is carried out, but whoever did so dies before its answer is kept. */
    killNextWorker(): void {
      workerDies = true;
    },
    async stop(): Promise<void> {
      await activities.stop();
    },
    outcome: (): Trading => ({
      fills,
      states: proposals().map(({ state }) => proposalState(state)),
      proposals: proposals().map(({ state }) => proposalContext(state)),
      books,
      assessed,
      begunAfterHalt,
      halts,
      cancelledByHalts,
    }),
  };
}
