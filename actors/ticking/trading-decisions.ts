/**
 * Decides a slot for trading actors. The rules are evaluated once, on the cut and the actor's book. If they ask for a trade, risk assesses
 * it once its organization is loaded. A decision that passes risk becomes a proposal.
 */
import type { Autonomy, Stage } from '../../src/domain/agents/agent.ts';
import { beginsDay, type MarkedBook, type TradingBook } from '../../src/domain/books/book.ts';
import type { Cut } from '../../src/domain/market/cut.ts';
import { type CompiledManifest, compileManifest, needsRisk, type RiskAssessor, type RiskQuestion } from '../../src/domain/agents/decide.ts';
import type { DecisionRow, Verdict } from '../../src/domain/agents/decision.ts';
import { Decimal, plainDecimal } from '../../src/domain/values/decimal.ts';
import { planExecution } from '../../src/domain/orders/execution-plan.ts';
import { freeDollars } from '../../src/domain/books/free-dollars.ts';
import type { Manifest } from '../../src/domain/manifest/manifest.ts';
import type { CutHashes } from '../../src/domain/agents/observed-state.ts';
import type { OutsideProposal } from '../../src/domain/outside/outside-proposal.ts';
import { type ExecutionMode, toExecutionMode, type Order } from '../../src/domain/orders/order.ts';
import {
  ALL_ENABLED,
  type DisabledVenues,
  type ExposureTotals,
  exposureTotals,
  decideHalt,
  NO_OTHER_BOOKS,
  type OtherBooks,
  type TradingControl,
} from '../../src/domain/risk/index.ts';
import { type BookDay, begunDay, type TickRiskInputs, tickInputsText } from '../../src/domain/tape/tick-inputs.ts';
import type { EpochMs } from '../../src/domain/values/time.ts';
import { UnreadableRow } from '../../src/domain/values/value-text.ts';
import type { Clock } from '../../streams/clock/clock.ts';
import { createAssessor, toBookId, decidedOrder, markAt, type ReadBook, readBook, untouchedBook } from '../agent/tick-risk.ts';
import { recommendation, startedProposal } from '../proposal/initial-proposal.ts';
import { type ChainEnd, decisionRow } from './decision-chain.ts';
import {
  createShardTicker,
  type OpenDecision,
  type ShardTicker,
  type ShardTickerDeps,
  type SlotDecisions,
  type TickedKind,
} from './shard-ticker.ts';
import type { OrganizationRisk, ProposalStart, TickDuty, TickStore, TickTrades } from './tick-store.ts';

/** A trading actor with a manifest's rules: the part that changes only with its version. */
export interface TradingDuty extends TickDuty {
  readonly stage: Stage;
  readonly autonomy: Autonomy;
  readonly manifest: Manifest;
}

/** An actor's book at the prices of a slot, for its breakers. */
export interface MarkedAgent {
  readonly agentId: string;
  readonly stage: Stage;
  readonly manifest: Manifest;
  readonly manifestHash: string;
  readonly marked: MarkedBook;
}

/** Recorded inputs of an actor. */
interface Noted {
  readonly text: string;
  readonly risk: TickRiskInputs | null;
  /** True if a book or an outside proposal was recorded, so that the next tick records when it is gone. */
  readonly hasBook: boolean;
}

interface TradingKindDeps<Duty extends TradingDuty> {
  readonly store: Pick<TickStore<Duty>, 'books' | 'organizations' | 'outsideProposals'>;
  readonly clock: Pick<Clock, 'now'>;
  /** Maximum wait of a proposal for its approval, in milliseconds. */
  readonly approvalMs: number;
  /** Returns the venues on which an actor's live orders cannot be executed. Default: none. */
  readonly disabledVenues?: (autonomy: Autonomy, orgId: string) => DisabledVenues;
  /** True if a tick's inputs are recorded. Default true. */
  readonly notesInputs?: boolean;
  /** Receives the marked books of actors after the commit, for the circuit breakers. */
  readonly onMarked?: (marked: readonly MarkedAgent[], slot: EpochMs) => Promise<void>;
}

/** Default wait of a proposal for its approval, in milliseconds. Prices from ten slots ago say little. */
const APPROVAL_MS = 600_000;

/** Store of a ticker of trading actors. */
export type TradingTickStore = TickStore<TradingDuty>;

/** Creates the ticker of trading actors with a manifest's rules. `store` determines the period and the shards. */
export function createTradingTicker<Duty extends TradingDuty>(
  deps: Omit<ShardTickerDeps<Duty, Noted>, 'kind'> &
    Omit<TradingKindDeps<Duty>, 'approvalMs'> & { readonly store: TickStore<Duty>; readonly approvalMs?: number },
): ShardTicker {
  const approvalMs = deps.approvalMs ?? APPROVAL_MS;
  return createShardTicker({ ...deps, kind: createTradingKind({ ...deps, approvalMs }) });
}

/** An actor within a slot: what was read of it, and the inputs of risk once it was asked. */
interface Subject<Duty> {
  readonly duty: Duty;
  readonly book: TradingBook | null;
  readonly read: ReadBook;
  /** Outside proposal of the slot, or null. */
  readonly outside: OutsideProposal | null;
  /** Null if the book has not been valued. */
  marked: MarkedBook | null;
  readonly end: ChainEnd;
  risk: (TickRiskInputs & { readonly epoch: number }) | null;
  /** True if the last assessed proposal, which passed risk, uses the reference price. */
  readsReference: boolean;
}

/** Consequences of a slot's decisions. */
interface Consequences {
  readonly proposals: ProposalStart[];
  readonly announcements: TickTrades['announcements'][number][];
  readonly inputs: TickTrades['inputs'][number][];
  readonly days: BookDay[];
  readonly marked: MarkedAgent[];
  readonly noted: [actorId: string, noted: Noted][];
}

function createTradingKind<Duty extends TradingDuty>(deps: TradingKindDeps<Duty>): TickedKind<Duty, Noted> {
  const compiledByHash = new Map<string, CompiledManifest>();

  /** Compiles rules within the actor's own tick, so that a crash in the compiler is blamed on its actor. */
  function compiled(duty: Duty): CompiledManifest {
    const known = compiledByHash.get(duty.manifestHash);
    if (known) return known;
    const made = compileManifest(duty.manifest);
    compiledByHash.set(duty.manifestHash, made);
    return made;
  }

  return {
    async open({ cut, due, notes }) {
      const external = due.filter(isExternal).map(({ id }) => id);
      const [books, outside] = await Promise.all([
        deps.store.books(due.map(({ id }) => id)),
        external.length === 0 ? NO_PROPOSALS : deps.store.outsideProposals(external, cut.cut.slot),
      ]);
      return slotDecisions(deps, { cut, books, outside, notes, compiled, due });
    },
  };
}

const NO_PROPOSALS: ReadonlyMap<string, OutsideProposal> = new Map();

/** True for an agent that trades by outside proposals. An unreadable manifest is found in its agent's own tick. */
function isExternal(duty: TradingDuty): boolean {
  try {
    return duty.manifest.strategy !== undefined;
  } catch {
    return false;
  }
}

function slotDecisions<Duty extends TradingDuty>(
  deps: TradingKindDeps<Duty>,
  slot: {
    readonly cut: CutHashes;
    readonly books: ReadonlyMap<string, TradingBook | UnreadableRow>;
    readonly outside: ReadonlyMap<string, OutsideProposal>;
    readonly notes: Map<string, Noted>;
    readonly compiled: (duty: Duty) => CompiledManifest;
    readonly due: readonly Duty[];
  },
): SlotDecisions<Duty> {
  const { cut, notes } = slot;
  const evaluate = createEvaluation<Duty>(cut.cut);
  const organizations = new Map<string, OrganizationRisk>();
  const unreadable = new Map<string, UnreadableRow>();
  const consequences: Consequences = { proposals: [], announcements: [], inputs: [], days: [], marked: [], noted: [] };

  function settled(subject: Subject<Duty>, row: DecisionRow): DecisionRow {
    if (deps.notesInputs !== false) noteInputs(subject, row, notes, consequences);
    noteMarks(subject, consequences);
    propose(subject, row, { cut: cut.cut, rules: slot.compiled(subject.duty) }, deps, consequences);
    return row;
  }

  return {
    decide(duty, previousHash): DecisionRow | OpenDecision {
      const book = slot.books.size === 0 ? null : (slot.books.get(duty.id) ?? slot.books.get(toBookId(duty)) ?? null);
      if (book instanceof UnreadableRow) throw book;
      const subject = readSubject(duty, book, previousHash, slot.outside.get(duty.id) ?? null);
      if (deps.onMarked !== undefined || (book !== null && beginsDay(book, cut.cut.slot))) markBook(subject, cut.cut);
      const rules = slot.compiled(duty);
      const evaluated = evaluate(rules, subject);
      const seen = cut.observed(rules.reading);
      if (!needsRisk(evaluated)) return settled(subject, decisionRow(subject.end, cut.cut.slot, evaluated, seen));
      return {
        orgId: duty.orgId,
        close() {
          const risk = organizations.get(duty.orgId);
          if (risk === undefined) throw new Error(`organization ${duty.orgId} has no control row`);
          const verdict = evaluated.answeredBy(assessorFor(subject, risk, cut.cut, deps));
          return settled(subject, decisionRow(subject.end, cut.cut.slot, verdict, seen));
        },
      };
    },

    async load(orgIds) {
      const missing = orgIds.filter((id) => !organizations.has(id));
      if (missing.length === 0) return;
      const actorIds = slot.due.filter(({ orgId }) => missing.includes(orgId)).map(({ id }) => id);
      for (const [id, risk] of await deps.store.organizations(missing, actorIds)) {
        organizations.set(id, risk);
        for (const [actorId, row] of risk.unreadable ?? []) unreadable.set(actorId, row);
      }
    },

    unreadable: () => unreadable,

    trades() {
      const { proposals, announcements, inputs, days } = consequences;
      return proposals.length + announcements.length + inputs.length + days.length === 0
        ? null
        : { proposals, announcements, inputs, days, records: [] };
    },

    async committed() {
      for (const [id, noted] of consequences.noted) notes.set(id, noted);
      if (consequences.marked.length > 0) await deps.onMarked?.(consequences.marked, cut.cut.slot);
    },
  };
}

/** Evaluates rules on a cut. They are pure, so agents with equal rules and an untouched book share one evaluation. */
function createEvaluation<Duty extends TradingDuty>(cut: Cut): (rules: CompiledManifest, subject: Subject<Duty>) => Verdict | RiskQuestion {
  const untouched = new Map<CompiledManifest, Map<Autonomy, Verdict | RiskQuestion>>();
  return (rules, { duty, book, read, outside }) => {
    if (book !== null || outside !== null) return rules.evaluate(cut, read.book, duty.autonomy, read.pending, outside);
    const byAutonomy = untouched.get(rules) ?? new Map<Autonomy, Verdict | RiskQuestion>();
    untouched.set(rules, byAutonomy);
    const known = byAutonomy.get(duty.autonomy);
    if (known !== undefined) return known;
    const evaluated = rules.evaluate(cut, read.book, duty.autonomy, read.pending);
    byAutonomy.set(duty.autonomy, evaluated);
    return evaluated;
  };
}

/** Reads an actor of the slot. @throws UnreadableRow if the domain cannot have written the stored book. */
function readSubject<Duty extends TradingDuty>(
  duty: Duty,
  book: TradingBook | null,
  previousHash: string,
  outside: OutsideProposal | null,
): Subject<Duty> {
  const { id, manifestVersion, manifestHash } = duty;
  const read = readable(duty, book, () => readBook(book));
  return {
    duty,
    book,
    read,
    outside,
    marked: null,
    end: { id, manifestVersion, manifestHash, bookText: read.bookText, previousHash },
    risk: null,
    readsReference: false,
  };
}

/** Reads a book. @throws UnreadableRow if the domain cannot have written the stored book. */
function readable<Value>({ id }: TradingDuty, book: TradingBook | null, read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    throw new UnreadableRow(`the book ${book?.id} of ${id}`, error);
  }
}

/** Returns the book at the prices of the cut, computed once, or null for an untouched book. @throws UnreadableRow */
function markBook<Duty extends TradingDuty>(subject: Subject<Duty>, cut: Cut): MarkedBook | null {
  const { duty, book } = subject;
  if (book !== null) subject.marked ??= readable(duty, book, () => markAt(book, cut));
  return subject.marked;
}

/** Returns the risk function of the actor. Keeps its inputs with the subject. */
function assessorFor<Duty extends TradingDuty>(
  subject: Subject<Duty>,
  organization: OrganizationRisk,
  cut: Cut,
  deps: Pick<TradingKindDeps<Duty>, 'disabledVenues'>,
): RiskAssessor {
  const { duty } = subject;
  const { preferences, epoch } = organization;
  const control = organization.control ?? findControl(duty, organization, deps);
  const risk = { preferences, others: readOthers(organization, subject, cut), epoch, ...(control === null ? {} : { control }) };
  subject.risk = risk;
  const assess = createAssessor(duty, markBook(subject, cut) ?? markAt(untouchedBook(duty), cut), risk);
  return (proposal) => {
    subject.readsReference = proposal.readsReference;
    return assess(proposal);
  };
}

/** Returns why an actor may not order now, or null if it may. */
function findControl<Duty extends TradingDuty>(
  { id, orgId, stage, autonomy }: Duty,
  { epoch, paused }: OrganizationRisk,
  { disabledVenues }: Pick<TradingKindDeps<Duty>, 'disabledVenues'>,
): TradingControl | null {
  const halt = decideHalt({ decidedEpoch: epoch, epoch, paused: paused?.has(id) === true, closes: false });
  const disabled = toExecutionMode(stage) === 'live' ? (disabledVenues?.(autonomy, orgId) ?? ALL_ENABLED) : ALL_ENABLED;
  return halt === 'none' && Object.keys(disabled).length === 0 ? null : { halt, disabled };
}

/** Returns the risk inputs to record: all but the epoch. */
function notedRisk({ preferences, others, control }: TickRiskInputs): TickRiskInputs {
  return { preferences, others, ...(control === undefined ? {} : { control }) };
}

/** Adds inputs besides the cut that differ from the last recorded ones. If risk was not asked, its earlier inputs stay recorded. */
function noteInputs<Duty extends TradingDuty>(
  { duty, book, risk, outside }: Subject<Duty>,
  row: DecisionRow,
  notes: ReadonlyMap<string, Noted>,
  into: Consequences,
): void {
  const before = notes.get(duty.id);
  // No input was read, so the earlier inputs of risk stay recorded.
  if (book === null && risk === null && outside === null && before?.hasBook === false) return;
  const asked = risk === null ? (before?.risk ?? null) : notedRisk(risk);
  const text = tickInputsText({ book, risk: asked, ...(outside === null ? {} : { outside }) });
  if (before?.text === text) return;
  // A worker without notes does not know what the previous one recorded last. The store drops unchanged inputs.
  into.inputs.push({ agentId: duty.id, slot: row.slot, text });
  into.noted.push([duty.id, { text, risk: asked, hasBook: book !== null || outside !== null }]);
}

function noteMarks<Duty extends TradingDuty>({ duty, book, marked }: Subject<Duty>, into: Consequences): void {
  if (marked === null || book === null) return;
  const { id: agentId, stage, manifest, manifestHash } = duty;
  into.marked.push({ agentId, stage, manifest, manifestHash, marked });
  const day = begunDay(book, marked);
  if (day !== null) into.days.push(day);
}

/** Adds the result of a decision that passed risk: a proposal, or a recommendation at autonomy `suggest`. */
function propose<Duty extends TradingDuty>(
  { duty, risk, readsReference, book }: Subject<Duty>,
  row: DecisionRow,
  { cut, rules }: { readonly cut: Cut; readonly rules: CompiledManifest },
  { approvalMs, clock }: TradingKindDeps<Duty>,
  into: Consequences,
): void {
  const asksForTrade = row.disposition === 'propose_entry' || row.disposition === 'propose_exit';
  const order = risk === null || !asksForTrade ? null : decidedOrder(duty, row, row.slot, risk.preferences);
  if (order === null || risk === null) return;
  const isProtective = isStopLoss(rules, row, order);
  const execution = planExecution(duty.manifest, order, isProtective);
  const ends = isProtective ? openEntries(book, order) : [];
  const draft = { duty, row, order, execution, cut, readsReference, epoch: risk.epoch, approvalMs, ends, at: clock.now() };
  if (duty.autonomy === 'suggest') into.announcements.push(recommendation(draft));
  else into.proposals.push(startedProposal(draft));
}

/** Returns the open entries of an order's instrument. */
function openEntries(book: TradingBook | null, order: Order): readonly string[] {
  const open = book?.openProposals ?? [];
  return open.filter(({ instrument, side }) => instrument === order.instrument && side === 'buy').map(({ id }) => id);
}

/** True for an exit that a stop-loss asks for, alone or with other rules. */
function isStopLoss(rules: CompiledManifest, { outcome }: DecisionRow, { side, instrument }: Order): boolean {
  if (side === 'buy') return false;
  return rules.unpack(outcome).some((rule) => rule.instrument === instrument && rule.type === 'stop_loss' && rule.passed);
}

/** Exposure totals, computed once per slot and organization. */
const totals = new WeakMap<OrganizationRisk, Map<ExecutionMode, ExposureTotals>>();

/** Returns the organization's capital at work outside the actor's book. */
function readOthers<Duty extends TradingDuty>(risk: OrganizationRisk, { duty, book }: Subject<Duty>, cut: Cut): OtherBooks {
  if (risk.others !== undefined) return risk.others(duty, cut);
  const { books = [] } = risk;
  if (books.length === 0 && risk.accounts === undefined) return NO_OTHER_BOOKS;
  const mode = toExecutionMode(duty.stage);
  const byMode = totals.get(risk) ?? new Map<ExecutionMode, ExposureTotals>();
  totals.set(risk, byMode);
  let sums = byMode.get(mode);
  if (sums === undefined) {
    sums = exposureTotals(
      books.flatMap((state) => (state.mode === mode ? markedOrNone(state, cut) : [])),
      mode,
    );
    byMode.set(mode, sums);
  }
  const others = sums.without(book?.id ?? '');
  if (mode === 'paper' || risk.accounts === undefined) return others;
  const { usd } = freeDollars(risk.accounts, cut.slot, book?.id);
  return { ...others, equityUsd: plainDecimal(new Decimal(others.equityUsd).plus(usd)) };
}

/** Marks a book, or skips it if it cannot be marked. Its own actor's tick finds and quarantines it. */
function markedOrNone(state: TradingBook, cut: Cut): readonly MarkedBook[] {
  try {
    return [markAt(state, cut)];
  } catch {
    return [];
  }
}
