/**
 * Ticks one shard: every running actor decides on the slot's cut, and all their decisions are committed together. Missed slots are written
 * late. A tick that throws is contained to its actor. One that kills the process is found by ticking the shard one actor at a time, and its
 * actor is paused. The kind (`TickedKind`) determines how a decision is made. Slots, chains, containment and commit are the same for every
 * kind.
 */
import { type DecisionRow, GENESIS_HASH } from '../../src/domain/agents/decision.ts';
import type { CutHashes } from '../../src/domain/agents/observed-state.ts';
import type { EpochMs } from '../../src/domain/values/time.ts';
import type { UnreadableRow } from '../../src/domain/values/value-text.ts';
import type { Clock } from '../../streams/clock/clock.ts';
import { type ChainEnd, crashedTick, lateTick } from './decision-chain.ts';
import { ShardMemory, type WarmShard } from './shard-memory.ts';
import { CRASH_LIMIT, TickIncidents } from './tick-incidents.ts';
import type { ShardProgress, TickCommit, TickDuty, TickStore, TickTrades } from './tick-store.ts';
import { dutyEnds, isDue, LATE_AFTER_MS, type ShardActor } from './tick-window.ts';

/** Approximate number of late rows per commit. */
const LATE_BATCH_ROWS = 5_000;
/** Maximum attempts of a commit, each without the actors whose rows the database refused. */
const COMMIT_ATTEMPTS = 3;

/** A decision that waits for data of its organization. */
export interface OpenDecision {
  readonly orgId: string;
  /** Completes the decision. @throws what the actor's rules or its organization's rows throw. The tick contains it to the actor. */
  readonly close: () => DecisionRow;
}

/** Decisions of one slot of a shard. */
export interface SlotDecisions<Duty extends TickDuty> {
  /**
   * Decides one actor, once. Returns a row, or an open decision until its organization is loaded. @throws what its rules and rows throw.
   * The tick contains it to the actor.
   */
  decide(duty: Duty, previousHash: string): DecisionRow | OpenDecision;
  /** Loads the data that open decisions of these organizations need. */
  load(orgIds: readonly string[]): Promise<void>;
  /** Returns other actors whose rows cannot be read. They are quarantined as well. */
  unreadable(): ReadonlyMap<string, UnreadableRow>;
  /** Returns what is committed beside the rows, or null if there is nothing. */
  trades(): TickTrades | null;
  /** Runs after the commit. */
  committed(): Promise<void>;
}

/** Decisions of the actors of one kind on a slot. */
export interface TickedKind<Duty extends TickDuty, Note> {
  /** Begins a slot. `notes` outlives the slot, and is empty if another process may have ticked the shard since. */
  open(slot: { readonly cut: CutHashes; readonly due: readonly Duty[]; readonly notes: Map<string, Note> }): Promise<SlotDecisions<Duty>>;
}

interface ShardTickResult {
  readonly decisions: number;
  readonly late: number;
  readonly crashed: readonly string[];
}

export interface ShardTicker {
  /** Ticks the shard up to and including `slot`. Idempotent: ticked slots are left alone. */
  tick(periodMs: number, shard: number, slot: EpochMs): Promise<ShardTickResult>;
}

/** Runs work one piece after the other. The tickers of a process share one, so that only one actor is ticked alone at a time. */
export type Turns = <Value>(work: () => Promise<Value>) => Promise<Value>;

export function createTurns(): Turns {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const turn = last.then(work);
    last = turn.catch(() => {});
    return turn;
  };
}

export interface ShardTickerDeps<Duty extends TickDuty, Note> {
  readonly store: TickStore<Duty>;
  readonly kind: TickedKind<Duty, Note>;
  /** Returns the time of record: PostgreSQL's. */
  readonly now: () => Promise<EpochMs>;
  readonly clock: Pick<Clock, 'now'>;
  /** Pauses an actor whose ticks keep crashing. */
  readonly pause: (actorId: string) => Promise<void>;
  /** Queue shared by the tickers of a process. Default: its own. */
  readonly alone?: Turns;
}

/** A slot of a shard being ticked. */
interface Slot<Duty, Note> {
  readonly key: string;
  readonly periodMs: number;
  readonly shard: number;
  readonly slot: EpochMs;
  readonly lastSlot: EpochMs;
  readonly actors: readonly ShardActor[];
  readonly state: WarmShard<Duty, Note>;
  readonly progress: ShardProgress;
  /** True to tick one actor at a time, each recorded before its tick. */
  readonly careful: boolean;
}

/** Rows of a slot, and the actors that crashed. */
interface Decided {
  readonly rows: DecisionRow[];
  /** Actors that were already paused. */
  readonly crashed: string[];
  /** Actors to pause after the commit. */
  readonly throwing: string[];
}

const NOTHING: ShardTickResult = { decisions: 0, late: 0, crashed: [] };
const NOBODY: ReadonlySet<string> = new Set();

export function createShardTicker<Duty extends TickDuty, Note>(deps: ShardTickerDeps<Duty, Note>): ShardTicker {
  return new Ticker(deps);
}

class Ticker<Duty extends TickDuty, Note> implements ShardTicker {
  readonly #deps: ShardTickerDeps<Duty, Note>;
  readonly #store: TickStore<Duty>;
  readonly #alone: Turns;
  readonly #memory: ShardMemory<Duty, Note>;
  readonly #incidents: TickIncidents;
  /** Last tick of each shard in this process. */
  readonly #ticking = new Map<string, Promise<unknown>>();

  constructor(deps: ShardTickerDeps<Duty, Note>) {
    this.#deps = deps;
    this.#store = deps.store;
    this.#alone = deps.alone ?? createTurns();
    this.#memory = new ShardMemory(deps.store);
    this.#incidents = new TickIncidents(deps);
  }

  async tick(periodMs: number, shard: number, slot: EpochMs): Promise<ShardTickResult> {
    const key = `${periodMs}:${shard}`;
    // One after the other: overlapping ticks of one shard would look like starts that died.
    const turn = (this.#ticking.get(key) ?? Promise.resolve()).then(() => this.#tickShard(key, periodMs, shard, slot));
    this.#ticking.set(
      key,
      turn.catch(() => {}),
    );
    return turn;
  }

  async #tickShard(key: string, periodMs: number, shard: number, slot: EpochMs): Promise<ShardTickResult> {
    const store = this.#store;
    const progress = await store.begin(periodMs, shard, slot);
    if (!progress) return NOTHING;
    const actors = await store.agents(periodMs, shard);
    const state = await this.#memory.take(key, actors, progress.lastSlot);
    const tooLate = (await this.#deps.now()) > slot + LATE_AFTER_MS;
    const shared = { key, periodMs, shard, lastSlot: progress.lastSlot, actors, state, progress };
    const late = await this.#writeLate(shared, tooLate ? slot : slot - periodMs);
    if (!late) return NOTHING;
    if (tooLate) {
      this.#memory.keep(key, state, slot);
      return { decisions: late.rows, late: late.rows, crashed: [] };
    }
    // The first start ticked all actors together. From now on the store records who is ticked alone, the last suspect first. Also alone in
    // the process, because otherwise an actor of another shard would be blamed for the same crash.
    const careful = progress.begunTimes > 1;
    const decide = () => this.#decideSlot({ ...shared, slot, lastSlot: late.lastSlot, careful });
    const done = await (careful ? this.#alone(decide) : decide());
    return done ? { decisions: done.decisions + late.rows, late: late.rows, crashed: done.crashed } : NOTHING;
  }

  /** Writes the slots between the last one and `to` as held. Returns null if another worker moved the shard. */
  async #writeLate(tick: Omit<Slot<Duty, Note>, 'careful' | 'slot'>, to: EpochMs): Promise<{ lastSlot: EpochMs; rows: number } | null> {
    const { periodMs, shard, actors, state } = tick;
    let { lastSlot } = tick;
    let written = 0;
    let rows: DecisionRow[] = [];
    for (let slot = lastSlot + periodMs; slot <= to; slot += periodMs) {
      for (const actor of actors) {
        const duty = isDue(actor, slot) ? state.duties.get(actor.id) : undefined;
        if (duty === undefined) continue;
        const row = lateTick(chainEnd(duty, state), slot);
        state.heads.set(actor.id, row.hash);
        rows.push(row);
      }
      if (rows.length >= LATE_BATCH_ROWS || slot === to) {
        if (!(await this.#commit({ periodMs, shard, lastSlot, slot, rows, at: this.#deps.clock.now(), decided: false }))) return null;
        lastSlot = slot;
        written += rows.length;
        rows = [];
      }
    }
    return { lastSlot, rows: written };
  }

  /** Commits. If the database refuses, commits without the actors whose rows are at fault and quarantines them. */
  async #commit(wanted: TickCommit): Promise<boolean> {
    for (let tick = wanted, attempt = 1; ; attempt++) {
      try {
        return await this.#store.commit(tick);
      } catch (error) {
        const inTheWay = attempt > COMMIT_ATTEMPTS ? new Map<string, UnreadableRow>() : await this.#store.inTheWay(tick);
        if (inTheWay.size === 0) throw error;
        for (const [actorId, row] of inTheWay) await this.#incidents.quarantine(actorId, tick.slot, row);
        tick = withoutActors(tick, inTheWay);
      }
    }
  }

  /** Returns the row of a tick that threw, and records an incident of its actor. */
  async #contained(duty: Duty, { slot, state }: Slot<Duty, Note>, error: unknown, throwing: string[]): Promise<DecisionRow> {
    if (await this.#incidents.threw(duty.id, slot, error)) throwing.push(duty.id);
    return crashedTick(chainEnd(duty, state), slot);
  }

  /** Returns the row of an actor that killed its worker as often as the limit allows. It is not tried again. */
  async #setAside(actor: ShardActor, duty: Duty, { slot, state }: Slot<Duty, Note>): Promise<DecisionRow> {
    if (!dutyEnds(actor, slot)) {
      await this.#store.markPoisoned(actor.id, slot);
      // Paused at once: if another actor kills the process before the commit, the next start skips this one.
      await this.#incidents.takeOffDuty(actor.id, slot);
    }
    return crashedTick(chainEnd(duty, state), slot);
  }

  async #decideSlot(tick: Slot<Duty, Note>): Promise<{ readonly decisions: number; readonly crashed: readonly string[] } | null> {
    const { periodMs, shard, slot, lastSlot, actors, state, progress, careful } = tick;
    const cut = await this.#memory.cut(slot);
    // An actor that was paused after this slot had begun still gets a row, but does not decide.
    const leaving = actors.some((actor) => isDue(actor, slot) && dutyEnds(actor, slot));
    const poisoned = careful || leaving ? await this.#store.poisoned(periodMs, shard, slot) : NOBODY;
    const ordered = careful ? suspectFirst(actors, progress.suspect) : actors;
    const due = ordered.flatMap((actor) => {
      const duty = isDue(actor, slot) ? state.duties.get(actor.id) : undefined;
      return duty === undefined ? [] : [{ actor, duty }];
    });
    const decisions = await this.#deps.kind.open({ cut, due: due.map(({ duty }) => duty), notes: state.notes });
    const decided: Decided = { rows: [], crashed: [], throwing: [] };
    const able: Duty[] = [];
    for (const { actor, duty } of due) {
      if (!poisoned.has(actor.id) && !(actor.id === progress.suspect && progress.suspectTimes + 1 >= CRASH_LIMIT)) able.push(duty);
      else {
        decided.rows.push(await this.#setAside(actor, duty, tick));
        decided.crashed.push(actor.id);
      }
    }
    if (careful) await this.#decideAlone(tick, decisions, able, decided);
    else await this.#decideTogether(tick, decisions, able, decided);
    for (const row of decided.rows) state.heads.set(row.agentId, row.hash);
    const trades = decisions.trades();
    for (const [actorId, row] of decisions.unreadable()) await this.#incidents.quarantine(actorId, slot, row);
    const wanted = { periodMs, shard, lastSlot, slot, rows: decided.rows, at: this.#deps.clock.now(), decided: true };
    if (!(await this.#commit(trades === null ? wanted : { ...wanted, trades }))) return null;
    this.#memory.keep(tick.key, state, slot);
    await this.#incidents.settle(decided, slot);
    await decisions.committed();
    return { decisions: decided.rows.length, crashed: [...decided.crashed, ...decided.throwing] };
  }

  /** Decides these actors together. Loads the inputs of risk once for all of them. */
  async #decideTogether(tick: Slot<Duty, Note>, decisions: SlotDecisions<Duty>, duties: readonly Duty[], into: Decided): Promise<void> {
    const open: { readonly duty: Duty; readonly decision: OpenDecision }[] = [];
    for (const duty of duties) {
      try {
        const decision = decisions.decide(duty, previousHash(duty, tick.state));
        if ('close' in decision) open.push({ duty, decision });
        else into.rows.push(decision);
      } catch (error) {
        into.rows.push(await this.#contained(duty, tick, error, into.throwing));
      }
    }
    if (open.length === 0) return;
    await decisions.load([...new Set(open.map(({ decision }) => decision.orgId))]);
    for (const { duty, decision } of open) {
      try {
        into.rows.push(decision.close());
      } catch (error) {
        into.rows.push(await this.#contained(duty, tick, error, into.throwing));
      }
    }
  }

  /** Decides these actors one at a time, each recorded before, so that the store knows the culprit if the process dies. */
  async #decideAlone(tick: Slot<Duty, Note>, decisions: SlotDecisions<Duty>, duties: readonly Duty[], into: Decided): Promise<void> {
    for (const duty of duties) {
      await this.#store.suspect(tick.periodMs, tick.shard, duty.id);
      await this.#decideTogether(tick, decisions, [duty], into);
    }
    await this.#store.suspect(tick.periodMs, tick.shard, null);
  }
}

function previousHash({ id }: TickDuty, state: { readonly heads: ReadonlyMap<string, string> }): string {
  return state.heads.get(id) ?? GENESIS_HASH;
}

/** Returns the chain end of an actor whose book is not read. */
function chainEnd(duty: TickDuty, state: { readonly heads: ReadonlyMap<string, string> }): ChainEnd {
  const { id, manifestVersion, manifestHash } = duty;
  return { id, manifestVersion, manifestHash, bookText: null, previousHash: previousHash(duty, state) };
}

function suspectFirst(actors: readonly ShardActor[], suspect: string | null): readonly ShardActor[] {
  return [...actors.filter(({ id }) => id === suspect), ...actors.filter(({ id }) => id !== suspect)];
}

/** Returns the commit without rows and trades of some actors. */
function withoutActors(tick: TickCommit, left: ReadonlyMap<string, unknown>): TickCommit {
  const stays = ({ agentId }: { readonly agentId: string }): boolean => !left.has(agentId);
  const { trades, ...rest } = tick;
  const rows = tick.rows.filter(stays);
  if (trades === undefined) return { ...rest, rows };
  const days = trades.days.filter(({ bookId }) => ![...left.keys()].some((id) => bookId.includes(id)));
  const records = trades.records.filter((record) => !left.has(String(record['agentId'])));
  const { proposals, announcements, inputs } = trades;
  return {
    ...rest,
    rows,
    trades: { proposals: proposals.filter(stays), announcements: announcements.filter(stays), inputs: inputs.filter(stays), days, records },
  };
}
