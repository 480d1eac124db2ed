/** Store of a shard's tick: its reads and its commit. */
import type { ActorRecord, ActorStart, Announcement, Incident } from '../../src/domain/agents/actor-step.ts';
import type { TradingBook } from '../../src/domain/books/book.ts';
import type { Cut } from '../../src/domain/market/cut.ts';
import type { DecisionRow } from '../../src/domain/agents/decision.ts';
import type { ExecutionPermit, SupersededReason } from '../../src/domain/orders/execution.ts';
import type { AccountFacts } from '../../src/domain/books/free-dollars.ts';
import type { OutsideProposal } from '../../src/domain/outside/outside-proposal.ts';
import type { OtherBooks, RiskPreferences, TradingControl } from '../../src/domain/risk/index.ts';
import type { BookDay } from '../../src/domain/tape/tick-inputs.ts';
import type { EpochMs } from '../../src/domain/values/time.ts';
import type { UnreadableRow } from '../../src/domain/values/value-text.ts';
import type { ShardActor } from './tick-window.ts';

/** Part of a ticked actor that changes only with its version. Every decision row includes the manifest's version and hash. */
export interface TickDuty {
  readonly id: string;
  readonly version: number;
  readonly orgId: string;
  readonly manifestVersion: number;
  readonly manifestHash: string;
}

export interface ShardProgress {
  readonly lastSlot: EpochMs;
  /**
   * Number of times the shard was begun since its last decided slot, including this one. It counts across slots, because replacing a dead
   * worker takes long.
   */
  readonly begunTimes: number;
  /** Actor that was ticked alone when the process died, and how often, or null. */
  readonly suspect: string | null;
  readonly suspectTimes: number;
}

/** Risk inputs of an actor's organization at a tick. */
export interface OrganizationRisk {
  /** Control epoch. A halt ends it. */
  readonly epoch: number;
  readonly preferences: RiskPreferences;
  /** Books of the actor with any event, of both modes. Not needed if `others` is given. */
  readonly books?: readonly TradingBook[];
  /** Accounts of the organization, besides its live books. */
  readonly accounts?: AccountFacts;
  /** Unreadable books, by the actor they belong to. */
  readonly unreadable?: ReadonlyMap<string, UnreadableRow>;
  /** Returns the exposure of the actor's mode outside its own book. A replay takes it from the recording. */
  others?(actor: TickDuty, cut: Cut): OtherBooks;
  /** Queried actors that were paused after their tick began. */
  readonly paused?: ReadonlySet<string>;
  /** Recorded halts and switches. The live facts apply if absent. */
  readonly control?: TradingControl;
}

/** A proposal of a tick's decision: its actor, started with the decision or, if superseded, as cancelled. */
export interface ProposalStart {
  readonly agentId: string;
  readonly orgId: string;
  readonly permit: ExecutionPermit;
  readonly start: ActorStart;
  readonly superseded: (reason: SupersededReason | 'proposal_pending') => ActorStart;
  /** Ids of open entries of its instrument that a stop-loss ends. No further part of them is sent. */
  readonly ends: readonly string[];
}

/** Writes of a tick besides its decisions. */
export interface TickTrades {
  readonly proposals: readonly ProposalStart[];
  /** Recommendations of agents at autonomy `suggest`. */
  readonly announcements: readonly (Announcement & { readonly orgId: string; readonly agentId: string })[];
  /** Inputs besides the cut that changed since they were last recorded. */
  readonly inputs: readonly { readonly agentId: string; readonly slot: EpochMs; readonly text: string }[];
  /** Days that began with this tick's marks. */
  readonly days: readonly BookDay[];
  /** Further rows of the kind, written in the same transaction by its capability's writers. */
  readonly records: readonly ActorRecord[];
}

/** Decisions of a shard's slot, or of its late slots up to one. */
export interface TickCommit {
  readonly periodMs: number;
  readonly shard: number;
  readonly lastSlot: EpochMs;
  readonly slot: EpochMs;
  readonly rows: readonly DecisionRow[];
  readonly at: EpochMs;
  readonly trades?: TickTrades;
  /** True if the slot was ticked completely, which clears the count of its starts. Late rows prove nothing about crashes. */
  readonly decided: boolean;
}

export interface TickStore<Duty extends TickDuty> {
  /** Counts the start. Returns null if the slot has already been ticked. */
  begin(periodMs: number, shard: number, slot: EpochMs): Promise<ShardProgress | null>;
  agents(periodMs: number, shard: number): Promise<readonly ShardActor[]>;
  duties(ids: readonly string[]): Promise<readonly Duty[]>;
  /** Returns the hash of the last decision of each actor that has one at or before the shard's last slot. */
  heads(ids: readonly string[], lastSlot: EpochMs): Promise<ReadonlyMap<string, string>>;
  cut(slot: EpochMs): Promise<Cut | null>;
  /**
   * Returns the present books, with open proposals, by book id, or what is unreadable by actor id. Actors that have not traded are missing.
   */
  books(actorIds: readonly string[]): Promise<ReadonlyMap<string, TradingBook | UnreadableRow>>;
  /** Returns the outside proposals for this slot, by agent. Called only for external agents. */
  outsideProposals(agentIds: readonly string[], slot: EpochMs): Promise<ReadonlyMap<string, OutsideProposal>>;
  /** Reads the risk inputs of organizations if a rule of the slot's `actorIds` asks for a trade. Unreadable organizations are missing. */
  organizations(ids: readonly string[], actorIds: readonly string[]): Promise<ReadonlyMap<string, OrganizationRisk>>;
  /** Records who is ticked alone from now on, or null for nobody. */
  suspect(periodMs: number, shard: number, actorId: string | null): Promise<void>;
  /** Commits the rows and moves the shard from `lastSlot` to `slot`. Returns false and writes nothing if another worker did. */
  commit(tick: TickCommit): Promise<boolean>;
  /** Returns the actors whose rows made the database refuse a commit, and what is wrong. Empty if it refused for another reason. */
  inTheWay(tick: TickCommit): Promise<ReadonlyMap<string, UnreadableRow>>;
  /** Returns the shard's actors that killed their worker as often as the limit allows, and were not resumed between then and `slot`. */
  poisoned(periodMs: number, shard: number, slot: EpochMs): Promise<ReadonlySet<string>>;
  markPoisoned(actorId: string, slot: EpochMs): Promise<void>;
  /** Counts a crash of an actor's tick. Returns the number of crashes in a row. */
  countCrash(actorId: string, slot: EpochMs): Promise<number>;
  clearCrashes(ids: readonly string[]): Promise<void>;
  incident(incident: Incident): Promise<void>;
}
