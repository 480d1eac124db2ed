/**
 * Trading in a replay: the proposals of the ticks live as actors in memory, are approved, executed on what the tape
 * quotes and booked, by the same machines and functions as live. Of agents whose books a live run noted on the tape the
 * notes hold, and nothing is computed.
 */

import { bookIdOf, untouchedBook } from '../../actors/agent/tick-risk.ts';
import { EXECUTE_ORDER, proposalContext, RECONCILE_ORDER, WITHDRAW_ORDER } from '../../actors/proposal/effects.ts';
import { executionWorkers } from '../../actors/proposal/execution.ts';
import { restMs, type ShownExecution, waitMs } from '../../actors/proposal/parts.ts';
import type { PresentVerdict, PreTrade } from '../../actors/proposal/pre-trade.ts';
import type { ProposalContext } from '../../actors/proposal/protocol.ts';
import { type ActivityWorker, TOLD } from '../../actors/runtime/activities.ts';
import type { MemoryStore } from '../../actors/runtime/memory-store.ts';
import { createRuntime } from '../../actors/runtime/runtime.ts';
import { type OrganizationRisk, type TickTrades } from '../../actors/ticking/tick-store.ts';
import { type TradingDuty } from '../../actors/ticking/trading-decisions.ts';
import type { MarketView } from '../../streams/market-view.ts';
import type { InstrumentRelations } from '../../streams/slot-cut.ts';
import type { ActorEvent } from '../domain/actor-step.ts';
import { applyFill, emptyBook, type Fill, markBook, type OpenProposal, type TradingBook } from '../domain/book.ts';
import type { Json } from '../domain/canonical-json.ts';
import { costModelOf } from '../domain/costs.ts';
import type { DecimalString } from '../domain/decimal.ts';
import { isOpenProposal, type ProposalState, STOP_LOSS, type SupersededReason, supersededBy } from '../domain/execution.ts';
import { type ExecutionMode, executionModeOf, type Order } from '../domain/order.ts';
import { atPresentPrice } from '../domain/present-order.ts';
import {
  ALL_ENABLED,
  assessOrder,
  DEFAULT_PREFERENCES,
  exposureTotals,
  haltOf,
  type OtherBooks,
  orderContext,
  presentMarket,
  type RiskPreferences,
} from '../domain/risk/index.ts';
import { readTickInputs, type TickInputs } from '../domain/tick-inputs.ts';
import type { EpochMs } from '../domain/time.ts';
import { midPrice } from '../domain/valuation.ts';
import type { InstrumentKey } from '../domain/venue.ts';
import { createRestingFlows } from './resting-flows.ts';

/** From a slot, or an approval, to the moment at which a punctual worker sends the order; the venue's latency comes on top. */
export const ORDER_AFTER_MS = 500;

/** What is to be carried out in each state of a proposal's chart. */
const ACTIVITY_IN: Readonly<Record<string, string>> = {
  approved: EXECUTE_ORDER,
  preparing: EXECUTE_ORDER,
  withdrawing: WITHDRAW_ORDER,
  unknown: RECONCILE_ORDER,
};

/** A proposal as its steps project it. */
interface ProjectedProposal {
  readonly id: string;
  readonly agentId: string;
  readonly state: ProposalState;
  readonly order: Order;
  /** What it reserves. */
  readonly notionalUsd: DecimalString;
  readonly execution: ShownExecution;
}

/** What of an agent decides whether and how it trades. */
export interface BrokeredAgent extends TradingDuty {
  readonly paused: boolean;
}

/** One fill of a replay, and the book that it led to. */
export interface ReplayedFill {
  readonly agentId: string;
  readonly proposalId: string;
  readonly fill: Fill;
  readonly book: TradingBook;
}

export interface BrokerCounts {
  readonly proposals: number;
  readonly fills: number;
  /** Proposals by the state that they have come to. */
  readonly states: Readonly<Partial<Record<ProposalState, number>>>;
}

export interface PaperBroker {
  /** What a live run noted that an agent's tick read, from this slot on. @throws SyntaxError where it is no such note. */
  note(agentId: string, text: string): void;
  /** The books that the ticks read, by their ids; what nothing has happened to is left out. */
  books(agentIds: readonly string[]): ReadonlyMap<string, TradingBook>;
  /** @param asking the agent that is ticked alone: its own notes hold; null where several are ticked together. */
  organizations(ids: readonly string[], asking: string | null): ReadonlyMap<string, OrganizationRisk>;
  /** Whether any agent's inputs are noted: then each is ticked alone. */
  readonly hasNotes: boolean;
  /** Takes in what a tick leads to: proposals begin, days begin. */
  begin(trades: TickTrades): Promise<void>;
  /** Does what is due by now: executions, and proposals that nobody approved in time. */
  wake(): Promise<void>;
  /** Whether an actor is a proposal of this broker's. */
  isProposal(actorId: string): boolean;
  /** Delivers what a proposal was told on the tape: approved, declined, cancelled. False where it was refused. */
  tell(proposalId: string, event: ActorEvent, cause: string): Promise<boolean>;
  /** Takes in what steps of agents wrote about proposals: those that are cancelled. */
  sync(): Promise<void>;
  readonly counts: BrokerCounts;
}

export function createPaperBroker(deps: {
  readonly store: MemoryStore;
  readonly runtime: ReturnType<typeof createRuntime>;
  readonly view: MarketView;
  readonly now: () => EpochMs;
  /** Asks to be woken at a time. */
  readonly wakeAt: (at: EpochMs) => void;
  readonly agent: (id: string) => BrokeredAgent;
  readonly agentIds: () => Iterable<string>;
  readonly relations: (key: InstrumentKey) => InstrumentRelations | undefined;
  /** The organizations' preferences where no note says otherwise. */
  readonly preferences?: RiskPreferences;
  readonly onFill?: (fill: ReplayedFill) => void;
}): PaperBroker {
  const { store, runtime, view, now, preferences = DEFAULT_PREFERENCES } = deps;
  const books = new Map<string, TradingBook>();
  /** Whose book it is. */
  const owners = new Map<string, string>();
  const notes = new Map<string, TickInputs>();
  /** Whose each open proposal is, in the order of their creation; and what they reserve, by book. */
  const open = new Map<string, string>();
  const openByBook = new Map<string, Map<string, OpenProposal>>();
  const states = new Map<string, ProposalState>();
  /** Activities of proposals that are to be carried out, by their keys. */
  const executions = new Map<string, { readonly id: string; readonly at: EpochMs }>();
  const flows = createRestingFlows(view);
  let recordsSeen = 0;
  let fills = 0;

  /** A book with what is open of it. */
  function withOpen(book: TradingBook): TradingBook {
    const waiting = openByBook.get(book.id);
    return waiting === undefined || waiting.size === 0 ? book : { ...book, openProposals: [...waiting.values()] };
  }

  /** The book that an agent trades on now; null where nothing has happened to it. */
  function touchedBook(agent: BrokeredAgent): TradingBook | null {
    const id = bookIdOf(agent);
    const book = withOpen(books.get(id) ?? untouchedBook(agent));
    return books.has(id) || book.openProposals.length > 0 ? book : null;
  }

  /** Every book of an organization that something has happened to. */
  function booksOf(orgId: string): TradingBook[] {
    const found: TradingBook[] = [];
    for (const [id, book] of books) if (deps.agent(owners.get(id) as string).orgId === orgId) found.push(withOpen(book));
    for (const id of deps.agentIds()) {
      const agent = deps.agent(id);
      const book = agent.orgId === orgId && !books.has(bookIdOf(agent)) ? touchedBook(agent) : null;
      if (book !== null) found.push(book);
    }
    return found;
  }

  function bookModeOf(agentId: string): ExecutionMode {
    return executionModeOf(deps.agent(agentId).stage);
  }

  /** Folds what the steps since the last time wrote, and begins what follows from it. */
  async function follow(): Promise<void> {
    for (; recordsSeen < store.records.length; recordsSeen++) {
      const record = store.records[recordsSeen] as { readonly type: string; readonly [field: string]: unknown };
      if (record.type === 'proposal') projected(record as never);
      else if (record.type === 'fill') booked(record['proposalId'] as string, record['fill'] as Fill);
      else if (record.type === 'proposals_cancelled') await cancelled(record['agentId'] as string, record['reason'] as string);
    }
  }

  function projected(row: ProjectedProposal): void {
    states.set(row.id, row.state);
    const { bookId, instrument, side } = row.order;
    const waiting = openByBook.get(bookId) ?? new Map<string, OpenProposal>();
    openByBook.set(bookId, waiting);
    if (isOpenProposal(row.state)) {
      open.set(row.id, row.agentId);
      waiting.set(row.id, { id: row.id, instrument, side, quantity: row.execution.left, notionalUsd: row.notionalUsd });
    } else {
      open.delete(row.id);
      waiting.delete(row.id);
    }
    if (row.execution.phase === 'resting') flows.begin(row.id, instrument);
    else if (row.execution.phase !== 'withdrawing') flows.end(row.id, instrument);
    schedule(row.id);
  }

  /** Asks to be woken for what the newest step of a proposal leads to: an activity after its latency, or the end of a wait. */
  function schedule(id: string): void {
    const row = store.actors.get(id);
    if (row === undefined || row.state.status === 'done') return;
    const context = proposalContext(row.state);
    const { value } = row.state;
    if (value === 'resting') deps.wakeAt(now() + restMs(context));
    if (value === 'waiting') deps.wakeAt(now() + waitMs(context));
    const key = `${id}:${row.version}:0`;
    if (store.activities.get(key)?.state !== 'pending' || executions.has(key)) return;
    const { latencyMs } = costModelOf(context.order.instrument);
    const at = now() + latencyMs + (value === 'approved' ? ORDER_AFTER_MS : 0);
    executions.set(key, { id, at });
    deps.wakeAt(at);
  }

  function booked(proposalId: string, fill: Fill): void {
    const row = store.actors.get(proposalId);
    if (row === undefined) throw new Error(`fill ${fill.id} belongs to no proposal of this replay`);
    const { agentId } = proposalContext(row.state);
    const book = applyFill(books.get(fill.bookId) ?? untouchedBook(deps.agent(agentId)), fill);
    books.set(fill.bookId, book);
    owners.set(fill.bookId, agentId);
    fills++;
    deps.onFill?.({ agentId, proposalId, fill, book });
  }

  async function cancelled(agentId: string, reason: string): Promise<void> {
    const own = [...open].filter(([, owner]) => owner === agentId);
    for (const [id] of own) {
      const state = states.get(id);
      if (state !== 'pending_approval' && state !== 'approved' && state !== 'executing') continue;
      await runtime.deliver(id, { type: 'cancel', reason }, { cause: 'replay' });
    }
  }

  /** Middles of what is quoted live now. */
  function marksNow(book: TradingBook): ReturnType<typeof markBook> {
    const at = now();
    const marks = new Map<InstrumentKey, DecimalString>();
    for (const { instrument } of book.holdings) {
      const quote = view.quoteAt(instrument, at);
      const mid = quote === null || quote.quality !== 'live' ? null : midPrice(quote.bid, quote.ask);
      if (mid !== null) marks.set(instrument, mid);
    }
    return markBook(book, marks, at);
  }

  /** The pre-trade risk function on what the tape quotes at this moment. */
  function assess(orgId: string, { agentId, order, readsReference }: Parameters<PreTrade['assess']>[1]): PresentVerdict {
    const at = now();
    const agent = deps.agent(agentId);
    const relations = deps.relations(order.instrument);
    const quote = view.quoteAt(order.instrument, at);
    const reference = relations === undefined || relations.benchmark === null ? null : view.referenceAt(relations.benchmark, at);
    const market = presentMarket({ at, quote, reference, liquidity: view.instrument(order.instrument)?.liquidity ?? null });
    const context = orderContext(order, {
      market,
      readsReference,
      agent,
      preferences,
      book: marksNow(touchedBook(agent) ?? untouchedBook(agent)),
      others: exposureTotals(booksOf(orgId).map(marksNow), order.mode).without(order.bookId),
      // An epoch of a live run is not on its tape: a halt reaches the agents as their pause.
      control: { halt: haltOf({ decidedEpoch: 0, epoch: 0, paused: agent.paused, closes: false }), disabled: ALL_ENABLED },
    });
    const verdict = assessOrder(atPresentPrice(order, quote), context);
    if (!verdict.ok) return { ok: false, risk: verdict.attribution };
    const { liquidityUsd } = market;
    return { ok: true, approved: verdict.approved, risk: verdict.attribution, market: { quote, depth: null, liquidityUsd } };
  }

  const workers = executionWorkers({
    runtime,
    load: store.load,
    preTrade: { assess: async (orgId, proposal) => assess(orgId, proposal) },
    clients: {},
    leaseIsHeld: async () => false,
    flows,
    clock: { now },
  });

  /** Carries out an activity of a proposal, unless the proposal has gone on without it. */
  async function carry(id: string, key: string): Promise<void> {
    const row = store.actors.get(id);
    const kind = ACTIVITY_IN[(row?.state.value ?? '') as string];
    if (row === undefined || kind === undefined || !key.startsWith(`${id}:${row.version}:`)) return;
    const superseded = kind === EXECUTE_ORDER ? supersededNow(proposalContext(row.state), deps.agent) : null;
    if (superseded !== null) {
      await runtime.deliver(id, { type: 'cancel', reason: superseded }, { cause: 'replay' });
      return;
    }
    const answer = await (workers[kind] as ActivityWorker)({ proposalId: id }, key);
    if (answer === TOLD) return;
    await runtime.deliver(id, { type: 'activity.done', key, kind, answer }, { cause: 'activity', answeredActivity: { key, answer } });
  }

  return {
    note(agentId, text) {
      notes.set(agentId, readTickInputs(text));
    },

    books(agentIds) {
      const found = new Map<string, TradingBook>();
      for (const id of agentIds) {
        const noted = notes.get(id);
        const book = noted === undefined ? touchedBook(deps.agent(id)) : noted.book;
        if (book !== null) found.set(book.id, book);
      }
      return found;
    },

    organizations(ids, asking) {
      const noted = asking === null ? null : (notes.get(asking)?.risk ?? null);
      return new Map(
        ids.map((orgId): [string, OrganizationRisk] => [
          orgId,
          noted === null || asking === null
            ? { epoch: 0, preferences, books: booksOf(orgId) }
            : {
                epoch: 0,
                preferences: noted.preferences,
                books: [standingFor(noted.others, bookModeOf(asking))],
                ...(noted.control === undefined ? {} : { control: noted.control }),
              },
        ]),
      );
    },

    async begin(trades) {
      for (const { agentId, start, ends } of trades.proposals) {
        if (notes.has(agentId)) continue;
        for (const id of ends) await runtime.deliver(id, { type: 'cancel', reason: STOP_LOSS }, { cause: 'replay' });
        await store.start(start);
      }
      for (const { bookId, day, dayStartEquityUsd } of trades.days) {
        const book = books.get(bookId);
        if (book !== undefined) books.set(bookId, { ...book, day, dayStartEquityUsd });
      }
      await follow();
    },

    async wake() {
      const at = now();
      const due = [...executions].filter(([, execution]) => execution.at <= at);
      for (const [key, { id }] of due) {
        executions.delete(key);
        await carry(id, key);
      }
      if (open.size > 0) {
        for (const timer of await store.dueTimers(at, 500)) {
          if (!open.has(timer.actorId)) continue;
          await runtime.deliver(timer.actorId, timer.event, { cause: 'timer', firedTimer: timer.timerId });
        }
      }
      await follow();
    },

    isProposal: (actorId) => states.has(actorId),

    async tell(proposalId, event, cause) {
      let told = event;
      if (event.type === 'approve') {
        const row = store.actors.get(proposalId);
        if (row === undefined) return false;
        const verdict = assess(row.orgId, proposalContext(row.state));
        told = verdict.ok ? { ...event, risk: verdict.risk as unknown as Json } : { type: 'block', risk: verdict.risk as unknown as Json };
      }
      const outcome = await runtime.deliver(proposalId, told, { cause });
      await follow();
      return outcome.ok && told.type === event.type;
    },

    sync: follow,

    get hasNotes() {
      return notes.size > 0;
    },

    get counts() {
      const tally: Partial<Record<ProposalState, number>> = {};
      for (const state of states.values()) tally[state] = (tally[state] ?? 0) + 1;
      return { proposals: states.size, fills, states: tally };
    },
  };
}

/** Why an order may not leave any more; null where it may. */
function supersededNow(context: ProposalContext, agentOf: (id: string) => BrokeredAgent): SupersededReason | null {
  const { manifestHash, paused, stage, autonomy } = agentOf(context.agentId);
  const { mode, reduceOnly } = context.order;
  return supersededBy(
    { epoch: 0, manifestHash: context.manifestHash, mode, reduceOnly, byItself: context.begins === 'approved' },
    { epoch: 0, manifestHash, paused, stage, autonomy },
  );
}

/** A book that counts as what an organization had at work outside of an agent's book when a live run noted it: equity as cash, exposure as pending buys. */
function standingFor(others: OtherBooks, mode: ExecutionMode): TradingBook {
  return {
    ...emptyBook('noted', mode, others.equityUsd),
    openProposals: others.exposures.map(({ instrument, valueUsd }) => ({
      id: `noted ${instrument}`,
      instrument,
      side: 'buy',
      quantity: '0',
      notionalUsd: valueUsd,
    })),
  };
}
