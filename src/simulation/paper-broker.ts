/**
 * Trading in a replay. Proposals of the ticks live as actors in memory, are approved, executed on the tape's quotes and booked, by the
 * same machines and functions as in live trading. If a live run noted an agent's books on the tape, those are used and nothing is
 * computed.
 */

import { toBookId, markInstruments } from '../../actors/agent/tick-risk.ts';
import { EXECUTE_ORDER, proposalContext, RECONCILE_ORDER, WITHDRAW_ORDER } from '../../actors/proposal/effects.ts';
import { executionWorkers } from '../../actors/proposal/execution.ts';
import { restMs, waitMs } from '../../actors/proposal/parts.ts';
import type { PresentVerdict, PreTrade } from '../../actors/proposal/present-verdict.ts';
import type { ProposalContext } from '../../actors/proposal/protocol.ts';
import { type ActivityWorker, TOLD } from '../../actors/runtime/activities.ts';
import type { MemoryStore } from '../../actors/runtime/memory-store.ts';
import { createRuntime } from '../../actors/runtime/runtime.ts';
import { type OrganizationRisk, type TickTrades } from '../../actors/ticking/tick-store.ts';
import type { TradingDuty } from '../../actors/ticking/trading-decisions.ts';
import type { MarketView } from '../../streams/market-view.ts';
import type { InstrumentRelations } from '../../streams/slot-cut.ts';
import type { ActorEvent, ActorRecord } from '../domain/agents/actor-step.ts';
import { emptyBook, type Fill, type TradingBook } from '../domain/books/book.ts';
import type { Json } from '../domain/values/canonical-json.ts';
import type { Cut } from '../domain/market/cut.ts';
import { findCostModel } from '../domain/orders/costs.ts';
import { type ProposalState, STOP_LOSS, type SupersededReason, supersededBy } from '../domain/orders/execution.ts';
import { type ExecutionMode, toExecutionMode } from '../domain/orders/order.ts';
import { type HourlyTerms, lastHour } from '../domain/orders/funding.ts';
import { isPerpetual } from '../domain/orders/margin.ts';
import type { OutsideProposal } from '../domain/outside/outside-proposal.ts';
import { combineMandate } from '../domain/risk/mandate.ts';
import { DEFAULT_PREFERENCES, computeExposure, type OtherBooks, type RiskPreferences } from '../domain/risk/index.ts';
import { readTickInputs, type TickInputs } from '../domain/tape/tick-inputs.ts';
import { AGENT_TICK_MS, type EpochMs, HOUR_MS } from '../domain/values/time.ts';
import type { TokenMultiplier } from '../domain/market/quote.ts';
import { type InstrumentKey, instrumentKey } from '../domain/market/venue.ts';
import { findLiquidation } from '../trading/liquidations.ts';
import { type BrokeredAgent, type ProjectedProposal, ReplayBooks, type ReplayedFill } from './replay/replay-books.ts';
import { assessOnTape, createMarks, type Marks } from './replay/risk.ts';
import { createRestingFlows, type FollowDigits } from './resting-flows.ts';

/** Time from a slot or an approval until a punctual worker sends the order, in milliseconds. The venue's latency is added. */
export const ORDER_AFTER_MS = 500;

/** Activity of each proposal state. */
const ACTIVITY_IN: Readonly<Record<string, string>> = {
  approved: EXECUTE_ORDER,
  preparing: EXECUTE_ORDER,
  withdrawing: WITHDRAW_ORDER,
  unknown: RECONCILE_ORDER,
};

export interface BrokerCounts {
  readonly proposals: number;
  readonly fills: number;
  /** Number of proposals by their current state. */
  readonly states: Readonly<Partial<Record<ProposalState, number>>>;
  /** Hours of held perpetuals, counted per position: paid at the tape's rate, or unpaid because the tape has none. */
  readonly funding: { readonly paid: number; readonly unknown: number };
  /** Number of positions liquidated at the maintenance margin. */
  readonly liquidations: number;
}

export interface PaperBroker {
  /** Records the inputs of an agent's live ticks from this slot on. @throws SyntaxError if the text is not a valid note */
  note(agentId: string, text: string): void;
  /** Returns the outside proposals that a live run noted for the current slot, by agent. */
  outsideProposals(agentIds: readonly string[]): ReadonlyMap<string, OutsideProposal>;
  /** Returns the books that ticks read, by id. Untouched books are omitted. */
  books(agentIds: readonly string[]): ReadonlyMap<string, TradingBook>;
  /**
   * Returns the organizations' state. @param asking agent that is ticked alone, whose notes apply, or null if several are ticked together
   */
  organizations(ids: readonly string[], asking: string | null): ReadonlyMap<string, OrganizationRisk>;
  /** True if any agent's inputs are noted. Each agent is then ticked alone. */
  readonly hasNotes: boolean;
  /** Starts the proposals and days that a tick leads to. */
  begin(trades: TickTrades): Promise<void>;
  /** Does everything due by now: executions, and expiry of proposals that nobody approved. */
  wake(): Promise<void>;
  /** Changes what the books hold of a token to units of its new multiplier. */
  rescale(message: TokenMultiplier): void;
  /** True if an actor is a proposal of this broker. */
  isProposal(actorId: string): boolean;
  /** Delivers a proposal's event from the tape: approved, declined or cancelled. False if it was refused. */
  tell(proposalId: string, event: ActorEvent, cause: string): Promise<boolean>;
  /** Receives the record of a step. It is processed after the step. */
  record(record: ActorRecord): void;
  /** Processes what agents' steps wrote about proposals, such as cancellations. */
  sync(): Promise<void>;
  readonly counts: BrokerCounts;
}

interface PaperBrokerDeps {
  readonly store: MemoryStore;
  readonly runtime: ReturnType<typeof createRuntime>;
  readonly view: MarketView;
  readonly now: () => EpochMs;
  /** Requests a wake at a time. */
  readonly wakeAt: (at: EpochMs) => void;
  readonly follow: FollowDigits;
  readonly agent: (id: string) => BrokeredAgent;
  readonly relations: (key: InstrumentKey) => InstrumentRelations | undefined;
  /** Risk preferences of organizations without a note. */
  readonly preferences?: RiskPreferences;
  readonly onFill?: (fill: ReplayedFill) => void;
}

export function createPaperBroker(deps: PaperBrokerDeps): PaperBroker {
  return new TapeBroker(deps);
}

class TapeBroker implements PaperBroker {
  readonly #deps: PaperBrokerDeps;
  readonly #store: PaperBrokerDeps['store'];
  readonly #runtime: PaperBrokerDeps['runtime'];
  readonly #view: PaperBrokerDeps['view'];
  readonly #now: PaperBrokerDeps['now'];
  readonly #preferences: NonNullable<PaperBrokerDeps['preferences']>;
  readonly #books: ReplayBooks;
  readonly #notes = new Map<string, TickInputs>();
  /** Activities of proposals to execute, by key. */
  readonly #executions = new Map<string, { readonly id: string; readonly at: EpochMs }>();
  readonly #flows: ReturnType<typeof createRestingFlows>;
  readonly #records: ActorRecord[] = [];
  /** End of the next hour at which perpetuals pay, or null if none is held. */
  #fundingAt: EpochMs | null = null;
  readonly #funding = { paid: 0, unknown: 0 };
  /** Time of the next margin check, or null if no perpetual is held. */
  #marginsAt: EpochMs | null = null;
  #liquidations = 0;
  /** Book values while several orders execute at one moment. */
  #marks: Marks | null = null;
  readonly #workers: Readonly<Record<string, ActivityWorker>>;

  constructor(deps: PaperBrokerDeps) {
    this.#deps = deps;
    this.#store = deps.store;
    this.#runtime = deps.runtime;
    this.#view = deps.view;
    this.#now = deps.now;
    this.#preferences = deps.preferences ?? DEFAULT_PREFERENCES;
    this.#books = new ReplayBooks(deps.agent, () => this.#store.changes);
    this.#flows = createRestingFlows(this.#view, deps.follow);
    this.#workers = executionWorkers({
      runtime: this.#runtime,
      load: this.#store.load,
      preTrade: { assess: async (orgId, proposal) => this.#assess(orgId, proposal) },
      clients: {},
      leaseIsHeld: async () => false,
      flows: this.#flows,
      clock: { now: this.#now, elapsed: this.#now },
    });
  }

  /** Assesses an order by the pre-trade risk function on the tape's current quotes. */
  #assess(orgId: string, proposal: Parameters<PreTrade['assess']>[1]): PresentVerdict {
    const marks = this.#marks ?? createMarks(this.#view, this.#now());
    const { view, now, agent, relations } = this.#deps;
    return assessOnTape({ books: this.#books, view, now, agent, relations, preferences: this.#preferences, marks }, orgId, proposal);
  }

  /** Returns the organization's exposure outside of an agent's book, at the prices of a cut. */
  #othersAt(orgId: string, agent: TradingDuty, cut: Cut): OtherBooks {
    const sums = this.#books.sumsWithout(orgId, toExecutionMode(agent.stage), toBookId(agent));
    return computeExposure(
      sums,
      markInstruments(
        sums.assets.map(({ instrument }) => instrument),
        cut,
      ),
    );
  }

  note(agentId: string, text: string): void {
    this.#notes.set(agentId, readTickInputs(text));
  }

  outsideProposals(agentIds: readonly string[]): ReadonlyMap<string, OutsideProposal> {
    return new Map(
      agentIds.flatMap((id): [string, OutsideProposal][] => {
        const outside = this.#notes.get(id)?.outside;
        return outside === undefined ? [] : [[id, outside]];
      }),
    );
  }

  books(agentIds: readonly string[]): ReadonlyMap<string, TradingBook> {
    const found = new Map<string, TradingBook>();
    for (const id of agentIds) {
      const noted = this.#notes.get(id);
      const book = noted === undefined ? this.#books.touched(id) : noted.book;
      if (book !== null) found.set(book.id, book);
    }
    return found;
  }

  organizations(ids: readonly string[], asking: string | null): ReadonlyMap<string, OrganizationRisk> {
    const noted = asking === null ? null : (this.#notes.get(asking)?.risk ?? null);
    return new Map(
      ids.map((orgId): [string, OrganizationRisk] => [
        orgId,
        noted === null || asking === null
          ? {
              epoch: 0,
              preferences: this.#preferences,
              others: (agent, cut) => this.#othersAt(orgId, agent as TradingDuty, cut),
            }
          : {
              epoch: 0,
              preferences: noted.preferences,
              books: [combinedBook(noted.others, this.#bookModeOf(asking))],
              ...(noted.control === undefined ? {} : { control: noted.control }),
            },
      ]),
    );
  }

  async begin(trades: TickTrades): Promise<void> {
    for (const { agentId, start, ends } of trades.proposals) {
      if (this.#notes.has(agentId)) continue;
      for (const id of ends) await this.#runtime.deliver(id, { type: 'cancel', reason: STOP_LOSS }, { cause: 'replay' });
      await this.#store.start(start);
    }
    for (const day of trades.days) this.#books.beginDay(day);
    await this.#follow();
  }

  async wake(): Promise<void> {
    const at = this.#now();
    this.#payFunding(at);
    this.#liquidate(at);
    const due = [...this.#executions].filter(([, execution]) => execution.at <= at);
    // Prices do not change meanwhile.
    this.#marks = createMarks(this.#view, at);
    for (const [key, { id }] of due) {
      this.#executions.delete(key);
      await this.#carry(id, key);
    }
    this.#marks = null;
    if (this.#books.hasOpen) {
      for (const timer of await this.#store.dueTimers(at, 500)) {
        if (!this.#books.isOpen(timer.actorId)) continue;
        await this.#runtime.deliver(timer.actorId, timer.event, { cause: 'timer', firedTimer: { timerId: timer.timerId, dueBy: at } });
      }
    }
    await this.#follow();
  }

  rescale({ venue, instrument, previous, multiplier, observedAt: at }: TokenMultiplier): void {
    if (previous !== null) this.#books.rescale({ instrument: instrumentKey(venue, instrument), at, before: previous, after: multiplier });
  }

  isProposal(actorId: string): boolean {
    return this.#books.states.has(actorId);
  }

  async tell(proposalId: string, event: ActorEvent, cause: string): Promise<boolean> {
    let told = event;
    if (event.type === 'approve') {
      const row = this.#store.actors.get(proposalId);
      if (row === undefined) return false;
      const verdict = this.#assess(row.orgId, proposalContext(row.state));
      told = verdict.ok ? { ...event, risk: verdict.risk as unknown as Json } : { type: 'block', risk: verdict.risk as unknown as Json };
    }
    const outcome = await this.#runtime.deliver(proposalId, told, { cause });
    await this.#follow();
    return outcome.ok && told.type === event.type;
  }

  record(record: ActorRecord): void {
    this.#records.push(record);
  }

  sync(): Promise<void> {
    return this.#follow();
  }

  get hasNotes(): boolean {
    return this.#notes.size > 0;
  }

  get counts(): BrokerCounts {
    const tally: Partial<Record<ProposalState, number>> = {};
    for (const state of this.#books.states.values()) tally[state] = (tally[state] ?? 0) + 1;
    return {
      proposals: this.#books.states.size,
      fills: this.#books.fills,
      states: tally,
      funding: { ...this.#funding },
      liquidations: this.#liquidations,
    };
  }

  #bookModeOf(agentId: string): ExecutionMode {
    return toExecutionMode(this.#deps.agent(agentId).stage);
  }

  /** Processes the records written since the last call, and starts what follows from them. */
  async #follow(): Promise<void> {
    for (let record = this.#records.shift(); record !== undefined; record = this.#records.shift()) {
      if (record.type === 'proposal') this.#projected(record as unknown as ProjectedProposal);
      else if (record.type === 'fill') this.#booked(record['proposalId'] as string, record['fill'] as Fill);
      else if (record.type === 'proposals_cancelled') await this.#cancelled(record['agentId'] as string, record['reason'] as string);
    }
  }

  #projected(row: ProjectedProposal): void {
    this.#books.project(row);
    const { instrument } = row.order;
    if (row.execution.phase === 'resting') this.#flows.begin(row.id, instrument);
    else if (row.execution.phase !== 'withdrawing') this.#flows.end(row.id, instrument);
    this.#schedule(row.id);
  }

  /** Requests a wake for the newest step of a proposal: an activity after its latency, or the end of a wait. */
  #schedule(id: string): void {
    const row = this.#store.actors.get(id);
    if (row === undefined || row.state.status === 'done') return;
    const context = proposalContext(row.state);
    const { value } = row.state;
    if (value === 'resting') this.#deps.wakeAt(this.#now() + restMs(context));
    if (value === 'waiting') this.#deps.wakeAt(this.#now() + waitMs(context));
    const key = `${id}:${row.version}:0`;
    if (this.#store.activities.get(key)?.state !== 'pending' || this.#executions.has(key)) return;
    const { latencyMs } = findCostModel(context.order.instrument);
    const at = this.#now() + latencyMs + (value === 'approved' ? ORDER_AFTER_MS : 0);
    this.#executions.set(key, { id, at });
    this.#deps.wakeAt(at);
  }

  #booked(proposalId: string, fill: Fill): void {
    const row = this.#store.actors.get(proposalId);
    if (row === undefined) throw new Error(`fill ${fill.id} belongs to no proposal of this replay`);
    const { agentId } = proposalContext(row.state);
    const filled = this.#books.book(agentId, proposalId, fill);
    if (isPerpetual(fill.instrument)) {
      this.#awaitFunding();
      this.#awaitMargins();
    }
    this.#deps.onFill?.(filled);
  }

  /** Requests a wake at the end of the hour. */
  #awaitFunding(): void {
    if (this.#fundingAt !== null) return;
    this.#fundingAt = lastHour(this.#now()) + HOUR_MS;
    this.#deps.wakeAt(this.#fundingAt);
  }

  /** Pays the funding of the past hour before any fill at its very end, as in paper trading. */
  #payFunding(at: EpochMs): void {
    const hour = this.#fundingAt;
    if (hour === null || at < hour) return;
    const { paid, unknown } = this.#books.payFunding(hour, (instrument) => this.#fundingTerms(instrument, hour));
    this.#funding.paid += paid;
    this.#funding.unknown += unknown;
    this.#fundingAt = null;
    if (this.#books.holdsPerpetuals) this.#awaitFunding();
  }

  /** Requests a margin check every minute, at the slot and thus before its tick. */
  #awaitMargins(): void {
    if (this.#marginsAt !== null) return;
    this.#marginsAt = (Math.floor(this.#now() / AGENT_TICK_MS) + 1) * AGENT_TICK_MS;
    this.#deps.wakeAt(this.#marginsAt);
  }

  /** Liquidates the positions whose equity is at the maintenance margin, at the live bid. */
  #liquidate(at: EpochMs): void {
    if (this.#marginsAt === null || at < this.#marginsAt) return;
    const bid = (instrument: InstrumentKey) => {
      const quote = this.#view.quoteAt(instrument, at);
      return quote?.quality === 'live' ? quote.bid : null;
    };
    for (const { agent, book, funding, fills } of this.#books.margined()) {
      const limits = combineMandate(agent.manifest, this.#preferences, null);
      const dueIn = (now: TradingBook) => findLiquidation({ ...now, limits, funding, fills }, bid, at);
      for (let fill = dueIn(book); fill !== null; ) {
        const filled = this.#books.book(agent.id, fill.orderId, fill);
        this.#liquidations++;
        this.#deps.onFill?.(filled);
        fill = dueIn(filled.book);
      }
    }
    this.#marginsAt = null;
    if (this.#books.holdsPerpetuals) this.#awaitMargins();
  }

  /** Returns the venue's last rate and mark price within an hour, or null if there was none. */
  #fundingTerms(instrument: InstrumentKey, hour: EpochMs): HourlyTerms | null {
    const told = this.#view.instrument(instrument)?.perpContext ?? null;
    if (told === null || told.receivedAt < hour - HOUR_MS) return null;
    return { hourlyRate: told.hourlyFunding, price: told.markPrice };
  }

  async #cancelled(agentId: string, reason: string): Promise<void> {
    for (const id of this.#books.openOf(agentId)) {
      const state = this.#books.states.get(id);
      if (state !== 'pending_approval' && state !== 'approved' && state !== 'executing') continue;
      await this.#runtime.deliver(id, { type: 'cancel', reason }, { cause: 'replay' });
    }
  }

  /** Executes an activity of a proposal, unless the proposal has moved on. */
  async #carry(id: string, key: string): Promise<void> {
    const row = this.#store.actors.get(id);
    const kind = ACTIVITY_IN[(row?.state.value ?? '') as string];
    if (row === undefined || kind === undefined || !key.startsWith(`${id}:${row.version}:`)) return;
    const superseded = kind === EXECUTE_ORDER ? supersededNow(proposalContext(row.state), this.#deps.agent) : null;
    if (superseded !== null) {
      await this.#runtime.deliver(id, { type: 'cancel', reason: superseded }, { cause: 'replay' });
      return;
    }
    const answer = await (this.#workers[kind] as ActivityWorker)({ proposalId: id }, key);
    if (answer === TOLD) return;
    await this.#runtime.deliver(id, { type: 'activity.done', key, kind, answer }, { cause: 'activity', answeredActivity: { key, answer } });
  }
}

/** Returns why an order may no longer be sent, or null if it may. */
function supersededNow(context: ProposalContext, agentOf: (id: string) => BrokeredAgent): SupersededReason | null {
  const { manifestHash, paused, stage, autonomy } = agentOf(context.agentId);
  const { mode, reduceOnly } = context.order;
  return supersededBy(
    { epoch: 0, manifestHash: context.manifestHash, mode, reduceOnly, byItself: context.begins === 'approved' },
    { epoch: 0, manifestHash, paused, stage, autonomy },
  );
}

/** Returns a book equivalent to an organization's other books as noted by a live run: equity as cash, exposure as pending buys. */
function combinedBook(others: OtherBooks, mode: ExecutionMode): TradingBook {
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
