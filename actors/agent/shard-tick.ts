/**
 * The tick of one shard: every agent on duty decides on the slot's cut, and all their decisions are committed together.
 * Slots that were missed are written late. A tick that throws is contained to its agent; one that takes the whole
 * process down is found by going through the shard one agent at a time, and its agent is paused.
 */

import type { ActorStart, Announcement, Incident } from '../../src/domain/actor-step.ts';
import type { Autonomy, Stage } from '../../src/domain/agent.ts';
import type { MarkedBook, TradingBook } from '../../src/domain/book.ts';
import type { Cut } from '../../src/domain/cut.ts';
import { type CompiledManifest, compileManifest, type RiskAssessor } from '../../src/domain/decide.ts';
import { type DecisionRow, GENESIS_HASH, type RiskAttribution } from '../../src/domain/decision.ts';
import type { ExecutionPermit, SupersededReason } from '../../src/domain/execution.ts';
import type { Manifest } from '../../src/domain/manifest/manifest.ts';
import { executionModeOf } from '../../src/domain/order.ts';
import { NO_OTHER_BOOKS, type OtherBooks, otherBooksOf, type RiskPreferences } from '../../src/domain/risk/index.ts';
import { type BookDay, begunDay, summedExposures, type TickRiskInputs, tickInputsText } from '../../src/domain/tick-inputs.ts';
import type { EpochMs } from '../../src/domain/time.ts';
import type { Clock } from '../../streams/clock.ts';
import { recommendation, startedProposal } from '../proposal/initial-proposal.ts';
import { type ChainEnd, crashedTick, type HashedCut, hashCut, lateTick, observedHashOf, tickAgent } from './tick.ts';
import { assessorOf, bookIdOf, decidedOrder, markAt, type ReadBook, readBook, type TradingAgent, untouchedBook } from './tick-risk.ts';

/** A slot ticked later than this is written as late. */
export const LATE_AFTER_MS = 30_000;
/** After so many starts or throws in a row the agent is paused. */
const CRASH_LIMIT = 3;
/** How long a proposal waits for its approval unless told otherwise: prices of ten slots ago say little. */
export const APPROVAL_MS = 600_000;
/** Late rows are committed in batches of about so many. */
const LATE_BATCH_ROWS = 5_000;

/** An agent of a shard as the store knows it. */
export interface ShardAgent {
  readonly id: string;
  readonly version: number;
  /** Ticked in the slots from `tickFrom` on and before `tickUntil`, where that is set, but not during `rests`. */
  readonly tickFrom: EpochMs;
  readonly tickUntil: EpochMs | null;
  readonly rests: readonly Rest[];
}

/** Off duty in the slots from `from` on and before `until`. */
export interface Rest {
  readonly from: EpochMs;
  readonly until: EpochMs;
}

/** What of an agent changes only with its version. */
export interface AgentDuty {
  readonly id: string;
  readonly version: number;
  readonly orgId: string;
  readonly stage: Stage;
  readonly autonomy: Autonomy;
  readonly manifestVersion: number;
  readonly manifestHash: string;
  readonly manifest: Manifest;
}

export interface ShardProgress {
  readonly lastSlot: EpochMs;
  /** How often the shard was begun since its last slot that was decided, this time included: over slots, because a worker that dies takes long to replace. */
  readonly begunTimes: number;
  /** The agent that was being ticked alone when the process died, and how often. */
  readonly suspect: string | null;
  readonly suspectTimes: number;
}

/** What risk asks of an agent's organization at a tick. */
export interface OrganizationRisk {
  /** The control epoch: a halt ends it. */
  readonly epoch: number;
  readonly preferences: RiskPreferences;
  /** Every book of it that something has happened to, of both modes; not needed where `others` is known. */
  readonly books?: readonly TradingBook[];
  /** Its exposure of the agent's mode outside of the agent's book: a replay knows it as it was noted. */
  others?(agent: TradingAgent, cut: Cut): OtherBooks;
}

/** A proposal that a tick's decision makes: its actor, to be started with the decision or, overtaken, as cancelled. */
export interface ProposalStart {
  readonly agentId: string;
  readonly orgId: string;
  readonly permit: ExecutionPermit;
  readonly start: ActorStart;
  readonly overtaken: (reason: SupersededReason | 'proposal_pending') => ActorStart;
}

/** What a tick writes beside its decisions. */
export interface TickTrades {
  readonly proposals: readonly ProposalStart[];
  /** Recommendations of agents that only suggest. */
  readonly announcements: readonly (Announcement & { readonly orgId: string; readonly agentId: string })[];
  /** What was read besides the cut, where it has changed since it was noted last. */
  readonly inputs: readonly { readonly agentId: string; readonly slot: EpochMs; readonly text: string }[];
  /** Days that began with this tick's marks. */
  readonly days: readonly BookDay[];
}

/** An agent's book at the prices of a slot: what its breakers look at. */
export interface MarkedAgent {
  readonly agentId: string;
  readonly stage: Stage;
  readonly manifest: Manifest;
  readonly manifestHash: string;
  readonly marked: MarkedBook;
}

/** What a shard's tick asks of the store. */
export interface TickStore {
  /** Counts the start; null where the slot has been ticked already. */
  begin(periodMs: number, shard: number, slot: EpochMs): Promise<ShardProgress | null>;
  agents(periodMs: number, shard: number): Promise<readonly ShardAgent[]>;
  duties(ids: readonly string[]): Promise<readonly AgentDuty[]>;
  /** The hash of the last decision of each agent that has one. */
  heads(ids: readonly string[]): Promise<ReadonlyMap<string, string>>;
  cut(slot: EpochMs): Promise<Cut | null>;
  /** The present books of those agents that something has happened to, with their open proposals; by book id. */
  books(agentIds: readonly string[]): Promise<ReadonlyMap<string, TradingBook>>;
  /** Asked only where some agent's rules ask for a trade. */
  organizations(ids: readonly string[]): Promise<ReadonlyMap<string, OrganizationRisk>>;
  /** Remembers who is ticked alone from now on; null once nobody is. */
  suspect(periodMs: number, shard: number, agentId: string | null): Promise<void>;
  /** Commits the rows and moves the shard from `lastSlot` to `slot`; false, and nothing written, where another worker did. */
  commit(tick: {
    readonly periodMs: number;
    readonly shard: number;
    readonly lastSlot: EpochMs;
    readonly slot: EpochMs;
    readonly rows: readonly DecisionRow[];
    readonly at: EpochMs;
    readonly trades?: TickTrades;
    /** The slot was ticked to its end, which clears what its starts were counted for; late rows prove nothing about who crashes. */
    readonly decided: boolean;
  }): Promise<boolean>;
  /** Agents of the shard that took their worker down as often as the limit allows, and have not been resumed between then and `slot`. */
  poisoned(periodMs: number, shard: number, slot: EpochMs): Promise<ReadonlySet<string>>;
  markPoisoned(agentId: string, slot: EpochMs): Promise<void>;
  /** Counts a crash of an agent's tick and answers how many there were in a row. */
  countCrash(agentId: string, slot: EpochMs): Promise<number>;
  clearCrashes(ids: readonly string[]): Promise<void>;
  incident(incident: Incident): Promise<void>;
}

export interface ShardTickResult {
  readonly decisions: number;
  readonly late: number;
  readonly crashed: readonly string[];
}

export interface ShardTicker {
  /** Ticks the shard up to and including `slot`. Idempotent: what is ticked already is left alone. */
  tick(periodMs: number, shard: number, slot: EpochMs): Promise<ShardTickResult>;
}

interface Warm {
  readonly lastSlot: EpochMs;
  readonly duties: Map<string, AgentDuty>;
  readonly heads: Map<string, string>;
  /** What was noted last of each agent's inputs. */
  readonly noted: Map<string, Noted>;
}

const NOTHING: ShardTickResult = { decisions: 0, late: 0, crashed: [] };

export function createShardTicker(deps: {
  readonly store: TickStore;
  /** The time of record: PostgreSQL's. */
  readonly now: () => Promise<EpochMs>;
  readonly clock: Pick<Clock, 'now'>;
  /** Takes an agent off duty whose ticks keep crashing. */
  readonly pause: (agentId: string) => Promise<void>;
  /** Hears, after the commit, how the books of agents stand that have one: for the circuit breakers (spec 3.1: on every tick). */
  readonly onMarked?: (marked: readonly MarkedAgent[], slot: EpochMs) => Promise<void>;
  /** How long a proposal waits for its approval; `APPROVAL_MS` unless told. */
  readonly approvalMs?: number;
}): ShardTicker {
  const { store } = deps;
  const approvalMs = deps.approvalMs ?? APPROVAL_MS;
  /** What the last tick of each shard left behind; valid only while nobody else ticked the shard since. */
  const warm = new Map<string, Warm>();
  const compiledByHash = new Map<string, CompiledManifest>();
  const cuts = new Map<EpochMs, HashedCut>();
  /** Agents whose crash count is not zero. */
  const crashing = new Set<string>();

  async function hashedCut(slot: EpochMs): Promise<HashedCut | null> {
    const known = cuts.get(slot);
    if (known) return known;
    const cut = await store.cut(slot);
    if (!cut) return null;
    const hashed = hashCut(cut);
    cuts.set(slot, hashed);
    for (const old of cuts.keys()) if (cuts.size > 4) cuts.delete(old);
    return hashed;
  }

  /** Within the agent's own tick, so that rules that crash when they are compiled are blamed on their agent as well. */
  function compiled(duty: AgentDuty): CompiledManifest {
    const known = compiledByHash.get(duty.manifestHash);
    if (known) return known;
    const made = compileManifest(duty.manifest);
    compiledByHash.set(duty.manifestHash, made);
    return made;
  }

  async function warmUp(key: string, agents: readonly ShardAgent[], lastSlot: EpochMs): Promise<Warm> {
    const before = warm.get(key);
    const state: Warm =
      before && before.lastSlot === lastSlot
        ? before
        : { lastSlot, duties: before?.duties ?? new Map(), heads: new Map(), noted: new Map() };
    const changed = agents.filter(({ id, version }) => state.duties.get(id)?.version !== version).map(({ id }) => id);
    if (changed.length > 0) for (const duty of await store.duties(changed)) state.duties.set(duty.id, duty);
    const headless = agents.filter(({ id }) => !state.heads.has(id)).map(({ id }) => id);
    if (headless.length > 0) {
      const heads = await store.heads(headless);
      for (const id of headless) state.heads.set(id, heads.get(id) ?? GENESIS_HASH);
    }
    return state;
  }

  function chainEnd(duty: AgentDuty, state: Warm, bookText: string | null): ChainEnd {
    return {
      id: duty.id,
      manifestVersion: duty.manifestVersion,
      manifestHash: duty.manifestHash,
      bookText,
      previousHash: state.heads.get(duty.id) ?? GENESIS_HASH,
    };
  }

  /**
   * Decides as far as the book and the cut alone lead. Null where the rules ask for a trade: then risk has to be asked,
   * with what is loaded only then.
   * @throws what the agent's rules throw.
   */
  function decided(
    one: Ticked,
    cut: HashedCut,
    observed: Map<CompiledManifest, string>,
    risk: OrganizationRisk | null,
  ): DecisionRow | null {
    const { duty, end, read } = one;
    const rules = compiled(duty);
    let observedHash = observed.get(rules);
    if (observedHash === undefined) {
      observedHash = observedHashOf(rules.instruments, cut);
      observed.set(rules, observedHash);
    }
    let asked = false;
    const assess =
      risk === null
        ? (): RiskAttribution => {
            asked = true;
            return UNANSWERED;
          }
        : remembering(one, assessorOf(duty, one.marked ?? markAt(untouchedBook(duty), cut.cut), riskInputs(one, risk, cut.cut)));
    const row = tickAgent(
      {
        id: end.id,
        manifestVersion: end.manifestVersion,
        manifestHash: end.manifestHash,
        bookText: end.bookText,
        previousHash: end.previousHash,
        autonomy: duty.autonomy,
        compiled: rules,
        book: read.book,
        assess,
        pending: read.pending,
      },
      cut,
      observedHash,
    );
    return asked ? null : row;
  }

  function riskInputs(one: Ticked, risk: OrganizationRisk, cut: Cut): NonNullable<Ticked['risk']> {
    one.risk = { preferences: risk.preferences, others: othersOf(risk, one, cut), epoch: risk.epoch };
    return one.risk;
  }

  /** What a decided row leads to besides itself. */
  function traded(one: Ticked, row: DecisionRow, cut: Cut, state: Warm, trades: Trades): void {
    const { duty, book, risk } = one;
    if (book !== null || risk !== null) {
      const before = state.noted.get(duty.id);
      // Where risk was not asked, what it was asked with before stays noted.
      const asked = risk === null ? (before?.risk ?? null) : { preferences: risk.preferences, others: risk.others };
      const text = tickInputsText({ book, risk: asked });
      if (before?.text !== text) {
        trades.inputs.push({ agentId: duty.id, slot: row.slot, text });
        trades.noted.push([duty.id, { text, risk: asked }]);
      }
    }
    if (one.marked !== null) {
      trades.marked.push({
        agentId: duty.id,
        stage: duty.stage,
        manifest: duty.manifest,
        manifestHash: duty.manifestHash,
        marked: one.marked,
      });
      const day = book === null ? null : begunDay(book, one.marked);
      if (day !== null) trades.days.push(day);
    }
    const order = risk === null || !isProposal(row) ? null : decidedOrder(duty, row, row.slot);
    if (order === null || risk === null) return;
    const born = { duty, row, order, cut, readsReference: one.readsReference, epoch: risk.epoch, approvalMs, at: deps.clock.now() };
    if (duty.autonomy === 'suggest') trades.announcements.push(recommendation(born));
    else trades.proposals.push(startedProposal(born));
  }

  function tickedOf(duty: AgentDuty, book: TradingBook | null, state: Warm, cut: Cut): Ticked {
    const read = readBook(book);
    return {
      duty,
      book,
      read,
      marked: book === null ? null : markAt(book, cut),
      end: chainEnd(duty, state, read.bookText),
      risk: null,
      readsReference: false,
    };
  }

  /** Writes the slots that lie between the last one and the one that is due. */
  async function writeLate(
    periodMs: number,
    shard: number,
    from: EpochMs,
    to: EpochMs,
    agents: readonly ShardAgent[],
    state: Warm,
  ): Promise<{ lastSlot: EpochMs; rows: number } | null> {
    let lastSlot = from;
    let written = 0;
    let rows: DecisionRow[] = [];
    for (let slot = from + periodMs; slot <= to; slot += periodMs) {
      for (const agent of agents) {
        if (!isDue(agent, slot)) continue;
        const duty = state.duties.get(agent.id);
        if (!duty) continue;
        const row = lateTick(chainEnd(duty, state, null), slot);
        state.heads.set(agent.id, row.hash);
        rows.push(row);
      }
      if (rows.length >= LATE_BATCH_ROWS || slot === to) {
        if (!(await store.commit({ periodMs, shard, lastSlot, slot, rows, at: deps.clock.now(), decided: false }))) return null;
        lastSlot = slot;
        written += rows.length;
        rows = [];
      }
    }
    return { lastSlot, rows: written };
  }

  async function takeOffDuty(agentId: string, slot: EpochMs): Promise<void> {
    await store.incident({
      actorId: agentId,
      at: deps.clock.now(),
      kind: 'tick_crash',
      detail: `${CRASH_LIMIT} ticks in a row did not complete; the agent is paused`,
      event: { type: 'tick', slot },
      quarantine: false,
    });
    await deps.pause(agentId);
  }

  /** The careful tick under way. */
  let alone: Promise<unknown> = Promise.resolve();

  async function tickShard(key: string, periodMs: number, shard: number, slot: EpochMs): Promise<ShardTickResult> {
    const progress = await store.begin(periodMs, shard, slot);
    if (!progress) return NOTHING;
    const agents = await store.agents(periodMs, shard);
    const state = await warmUp(key, agents, progress.lastSlot);
    warm.delete(key);
    const tooLate = (await deps.now()) > slot + LATE_AFTER_MS;
    const late = await writeLate(periodMs, shard, progress.lastSlot, tooLate ? slot : slot - periodMs, agents, state);
    if (!late) return NOTHING;
    if (tooLate) {
      warm.set(key, { lastSlot: slot, duties: state.duties, heads: state.heads, noted: state.noted });
      return { decisions: late.rows, late: late.rows, crashed: [] };
    }
    // The batch was the first start of every agent; since then the store marks who is ticked alone, the last suspect first.
    // Alone in the whole process, too: else whoever another shard is just ticking would be blamed for the same death.
    const careful = progress.begunTimes > 1;
    const decide = () => decideSlot({ key, periodMs, shard, slot, lastSlot: late.lastSlot, agents, state, progress, careful });
    const deciding = careful ? alone.then(decide) : decide();
    if (careful) alone = deciding.catch(() => {});
    const done = await deciding;
    return done ? { decisions: done.decisions + late.rows, late: late.rows, crashed: done.crashed } : NOTHING;
  }

  async function decideSlot(tick: {
    readonly key: string;
    readonly periodMs: number;
    readonly shard: number;
    readonly slot: EpochMs;
    readonly lastSlot: EpochMs;
    readonly agents: readonly ShardAgent[];
    readonly state: Warm;
    readonly progress: ShardProgress;
    readonly careful: boolean;
  }): Promise<{ readonly decisions: number; readonly crashed: readonly string[] } | null> {
    const { key, periodMs, shard, slot, lastSlot, agents, state, progress, careful } = tick;
    const cut = (await hashedCut(slot)) ?? { cut: { slot, observations: new Map() }, hashes: new Map() };
    // One that was taken off duty only after this slot had begun still has a row to its name in it, but does not decide.
    const leaving = agents.some((agent) => isDue(agent, slot) && dutyEnds(agent, slot));
    const poisoned = careful || leaving ? await store.poisoned(periodMs, shard, slot) : NOBODY;
    const ordered = careful ? suspectFirst(agents, progress.suspect) : agents;
    const rows: DecisionRow[] = [];
    const crashed: string[] = [];
    const throwing: string[] = [];
    const observed = new Map<CompiledManifest, string>();
    const due = ordered.flatMap((agent) => {
      const duty = isDue(agent, slot) ? state.duties.get(agent.id) : undefined;
      return duty === undefined ? [] : [{ agent, duty }];
    });
    const books = await store.books(due.map(({ agent }) => agent.id));
    const trades = noTrades();
    const organizations = new Map<string, OrganizationRisk>();
    const asking: { readonly one: Ticked; readonly index: number }[] = [];
    const loadOrganizations = async (ids: readonly string[]): Promise<void> => {
      const missing = [...new Set(ids)].filter((id) => !organizations.has(id));
      if (missing.length > 0) for (const [id, risk] of await store.organizations(missing)) organizations.set(id, risk);
    };
    /** @throws what the agent's rules throw. */
    const withRisk = (one: Ticked): DecisionRow => {
      const risk = organizations.get(one.duty.orgId);
      if (risk === undefined) throw new Error(`organization ${one.duty.orgId} has no control row`);
      const row = decided(one, cut, observed, risk) as DecisionRow;
      traded(one, row, cut.cut, state, trades);
      return row;
    };
    const contained = async (one: Ticked, error: unknown): Promise<DecisionRow> => {
      const { id } = one.duty;
      crashing.add(id);
      await store.incident({
        actorId: id,
        at: deps.clock.now(),
        kind: 'tick_threw',
        detail: error instanceof Error ? (error.stack ?? error.message) : String(error),
        event: { type: 'tick', slot },
        quarantine: false,
      });
      if ((await store.countCrash(id, slot)) >= CRASH_LIMIT) throwing.push(id);
      return crashedTick(one.end, slot);
    };
    const keep = (row: DecisionRow, index: number): void => {
      state.heads.set(row.agentId, row.hash);
      rows[index] = row;
    };
    for (const { agent, duty } of due) {
      const one = tickedOf(duty, books.get(bookIdOf(duty)) ?? null, state, cut.cut);
      if (poisoned.has(agent.id) || (agent.id === progress.suspect && progress.suspectTimes + 1 >= CRASH_LIMIT)) {
        if (!dutyEnds(agent, slot)) {
          await store.markPoisoned(agent.id, slot);
          // At once: should another agent take the process down before the commit, the next start does not try this one again.
          await takeOffDuty(agent.id, slot);
        }
        crashed.push(agent.id);
        keep(crashedTick(one.end, slot), rows.length);
        continue;
      }
      if (careful) await store.suspect(periodMs, shard, agent.id);
      const index = rows.length;
      let row: DecisionRow;
      try {
        const undisputed = decided(one, cut, observed, null);
        if (undisputed !== null) {
          traded(one, undisputed, cut.cut, state, trades);
          row = undisputed;
        } else if (careful) {
          await loadOrganizations([duty.orgId]);
          row = withRisk(one);
        } else {
          // Its organization is loaded together with those of the others that ask; the place in the order stays.
          asking.push({ one, index });
          row = crashedTick(one.end, slot);
        }
      } catch (error) {
        row = await contained(one, error);
      }
      keep(row, index);
    }
    await loadOrganizations(asking.map(({ one }) => one.duty.orgId));
    for (const { one, index } of asking) {
      let row: DecisionRow;
      try {
        row = withRisk(one);
      } catch (error) {
        row = await contained(one, error);
      }
      keep(row, index);
    }
    if (careful) await store.suspect(periodMs, shard, null);
    if (
      !(await store.commit({
        periodMs,
        shard,
        lastSlot,
        slot,
        rows,
        at: deps.clock.now(),
        decided: true,
        ...(isNothing(trades) ? {} : { trades }),
      }))
    )
      return null;
    for (const [id, noted] of trades.noted) state.noted.set(id, noted);
    warm.set(key, { lastSlot: slot, duties: state.duties, heads: state.heads, noted: state.noted });
    const recovered = rows.filter((row) => row.reason !== 'tick_crash' && crashing.has(row.agentId)).map(({ agentId }) => agentId);
    if (recovered.length > 0) {
      await store.clearCrashes(recovered);
      for (const id of recovered) crashing.delete(id);
    }
    for (const id of throwing) await takeOffDuty(id, slot);
    if (trades.marked.length > 0) await deps.onMarked?.(trades.marked, slot);
    return { decisions: rows.length, crashed: [...crashed, ...throwing] };
  }

  /** The last tick of each shard that this process took on. */
  const ticking = new Map<string, Promise<unknown>>();

  return {
    async tick(periodMs, shard, slot) {
      const key = `${periodMs}:${shard}`;
      // One after the other: ticks of one shard that overlap would look to each other like starts that died.
      const turn = (ticking.get(key) ?? Promise.resolve()).then(() => tickShard(key, periodMs, shard, slot));
      ticking.set(
        key,
        turn.catch(() => {}),
      );
      return turn;
    },
  };
}

const NOBODY: ReadonlySet<string> = new Set();

/** What was noted of an agent's inputs. */
interface Noted {
  readonly text: string;
  readonly risk: TickRiskInputs | null;
}

/** An agent within a tick: what was read of it, and what risk was asked with, once it was. */
interface Ticked {
  readonly duty: AgentDuty;
  readonly book: TradingBook | null;
  readonly read: ReadBook;
  readonly marked: MarkedBook | null;
  readonly end: ChainEnd;
  risk: { readonly preferences: RiskPreferences; readonly others: OtherBooks; readonly epoch: number } | null;
  /** Of what risk was asked about last, which is what it let pass. */
  readsReference: boolean;
}

function remembering(one: Ticked, assess: RiskAssessor): RiskAssessor {
  return (proposal) => {
    one.readsReference = proposal.readsReference;
    return assess(proposal);
  };
}

/** What an organization has at work outside of a book; of a book that is not among them the same for everybody, and summed up once a slot. */
function othersOf(risk: OrganizationRisk, { duty, book }: Pick<Ticked, 'duty' | 'book'>, cut: Cut): OtherBooks {
  if (risk.others !== undefined) return risk.others(duty, cut);
  const { books = [] } = risk;
  if (books.length === 0) return NO_OTHER_BOOKS;
  const mode = executionModeOf(duty.stage);
  const sums = summed.get(risk) ?? { marked: books.map((state) => markAt(state, cut)), all: new Map() };
  summed.set(risk, sums);
  if (book !== null) return summedExposures(otherBooksOf(sums.marked, mode, book.id));
  let all = sums.all.get(mode);
  if (all === undefined) {
    all = summedExposures(otherBooksOf(sums.marked, mode, ''));
    sums.all.set(mode, all);
  }
  return all;
}

/** Made once for each slot's reading of an organization. */
const summed = new WeakMap<OrganizationRisk, { readonly marked: readonly MarkedBook[]; readonly all: Map<string, OtherBooks> }>();

interface Trades {
  readonly proposals: ProposalStart[];
  readonly announcements: TickTrades['announcements'][number][];
  readonly inputs: TickTrades['inputs'][number][];
  readonly days: BookDay[];
  readonly marked: MarkedAgent[];
  readonly noted: [agentId: string, noted: Noted][];
}

function noTrades(): Trades {
  return { proposals: [], announcements: [], inputs: [], days: [], marked: [], noted: [] };
}

function isNothing({ proposals, announcements, inputs, days }: Trades): boolean {
  return proposals.length + announcements.length + inputs.length + days.length === 0;
}

function isProposal({ disposition }: DecisionRow): boolean {
  return disposition === 'propose_entry' || disposition === 'propose_exit';
}

/** Stands for risk while it is only found out whether it is asked. */
const UNANSWERED: RiskAttribution = Object.freeze({ verdict: 'blocked', rejections: Object.freeze([]) as never });

function suspectFirst(agents: readonly ShardAgent[], suspect: string | null): readonly ShardAgent[] {
  return [...agents.filter(({ id }) => id === suspect), ...agents.filter(({ id }) => id !== suspect)];
}

function isDue(agent: ShardAgent, slot: EpochMs): boolean {
  if (slot < agent.tickFrom || (agent.tickUntil !== null && slot >= agent.tickUntil)) return false;
  for (const { from, until } of agent.rests) if (from <= slot && slot < until) return false;
  return true;
}

/** Whether the agent was taken off duty after `slot`, be it that it has been resumed since. */
function dutyEnds(agent: ShardAgent, slot: EpochMs): boolean {
  return agent.tickUntil !== null || agent.rests.some(({ from }) => from > slot);
}

/** From when to when an agent is ticked, as its steps tell it; `from` null: not at all yet. */
export interface TickWindow {
  readonly from: EpochMs | null;
  readonly until: EpochMs | null;
  readonly rests: readonly Rest[];
}

/** What a step's `tick_window` record makes of the window before: a new duty keeps what of the earlier one is still to be ticked. */
export function movedWindow(
  before: TickWindow | undefined,
  moved: { readonly from: EpochMs | null; readonly until: EpochMs | null },
): TickWindow {
  const { from = null, until = null, rests = [] } = before ?? {};
  if (moved.from === null) return { from, until: moved.until, rests };
  if (from === null || until === null || until <= from) return { from: moved.from, until: moved.until, rests: [] };
  return { from, until: moved.until, rests: until < moved.from ? [...rests, { from: until, until: moved.from }] : rests };
}
