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
import type { UnreadableRow } from '../../src/domain/values/unreadable-row.ts';
import type { ShardActor } from './tick-window.ts';

/** Part of a ticked actor that changes only with its version. The manifest's version and hash go into every decision row. */
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
   * Number of times the shard was begun since its last decided slot, including this one. It counts across slots, because a dead worker
   * takes long to replace.
   */
  readonly begunTimes: number;
  /** The actor that was being ticked alone when the process died, and how often. */
  readonly suspect: string | null;
  readonly suspectTimes: number;
}

/** Risk inputs of an actor's organization at a tick. */
export interface OrganizationRisk {
  /** The control epoch: a halt ends it. */
  readonly epoch: number;
  readonly preferences: RiskPreferences;
  /** Books of the actor with any event, of both modes. Not needed if `others` is known. */
  readonly books?: readonly TradingBook[];
  /** Accounts of the organization, beside its live books. */
  readonly accounts?: AccountFacts;
  /** Books that cannot be read, by the actor that they belong to. */
  readonly unreadable?: ReadonlyMap<string, UnreadableRow>;
  /** Exposure of the actor's mode outside of the actor's own book. A replay takes it from the recording. */
  others?(actor: TickDuty, cut: Cut): OtherBooks;
  /** Queried actors that are paused now, though their tick has begun. */
  readonly paused?: ReadonlySet<string>;
  /** Recorded halts and switches; the live facts apply if this is absent. */
  readonly control?: TradingControl;
}

/** A proposal that a tick's decision makes: its actor, to be started with the decision or, superseded, as cancelled. */
export interface ProposalStart {
  readonly agentId: string;
  readonly orgId: string;
  readonly permit: ExecutionPermit;
  readonly start: ActorStart;
  readonly superseded: (reason: SupersededReason | 'proposal_pending') => ActorStart;
  /** Open entries of its instrument that a stop-loss ends: nothing further of them leaves. */
  readonly ends: readonly string[];
}

/** Writes of a tick besides its decisions. */
export interface TickTrades {
  readonly proposals: readonly ProposalStart[];
  /** Recommendations of actors that only suggest. */
  readonly announcements: readonly (Announcement & { readonly orgId: string; readonly agentId: string })[];
  /** Inputs besides the cut that have changed since they were last recorded. */
  readonly inputs: readonly { readonly agentId: string; readonly slot: EpochMs; readonly text: string }[];
  /** Days that began with this tick's marks. */
  readonly days: readonly BookDay[];
  /** Further rows of the kind's own, written in the same transaction by the writers of its capability. */
  readonly records: readonly ActorRecord[];
}

/** The decisions of a shard's slot, or of its late slots up to one. */
export interface TickCommit {
  readonly periodMs: number;
  readonly shard: number;
  readonly lastSlot: EpochMs;
  readonly slot: EpochMs;
  readonly rows: readonly DecisionRow[];
  readonly at: EpochMs;
  readonly trades?: TickTrades;
  /** The slot was ticked to its end, which clears what its starts were counted for; late rows prove nothing about who crashes. */
  readonly decided: boolean;
}

export interface TickStore<Duty extends TickDuty> {
  /** Counts the start. Null if the slot has been ticked already. */
  begin(periodMs: number, shard: number, slot: EpochMs): Promise<ShardProgress | null>;
  agents(periodMs: number, shard: number): Promise<readonly ShardActor[]>;
  duties(ids: readonly string[]): Promise<readonly Duty[]>;
  /** The hash of the last decision of each actor that has one at or before the shard's last slot. */
  heads(ids: readonly string[], lastSlot: EpochMs): Promise<ReadonlyMap<string, string>>;
  cut(slot: EpochMs): Promise<Cut | null>;
  /** The present books of those actors that something has happened to, with their open proposals, by book id; by actor id what cannot be read. */
  books(actorIds: readonly string[]): Promise<ReadonlyMap<string, TradingBook | UnreadableRow>>;
  /** The outside proposals that were received for this slot, by agent. Asked only of external agents. */
  outsideProposals(agentIds: readonly string[], slot: EpochMs): Promise<ReadonlyMap<string, OutsideProposal>>;
  /** Reads the risk of organizations if a rule of the slot's `actorIds` asks for a trade. An unreadable organization is missing. */
  organizations(ids: readonly string[], actorIds: readonly string[]): Promise<ReadonlyMap<string, OrganizationRisk>>;
  /** Notes who is ticked alone from now on, null for nobody. */
  suspect(periodMs: number, shard: number, actorId: string | null): Promise<void>;
  /** Commits the rows and moves the shard from `lastSlot` to `slot`; false, and nothing written, where another worker did. */
  commit(tick: TickCommit): Promise<boolean>;
  /** Returns the actors whose rows made the database refuse a commit, with what is wrong. Empty if it refused for another reason. */
  inTheWay(tick: TickCommit): Promise<ReadonlyMap<string, UnreadableRow>>;
  /** Actors of the shard that took their worker down as often as the limit allows, and have not been resumed between then and `slot`. */
  poisoned(periodMs: number, shard: number, slot: EpochMs): Promise<ReadonlySet<string>>;
  markPoisoned(actorId: string, slot: EpochMs): Promise<void>;
  /** Counts a crash of an actor's tick and answers how many there were in a row. */
  countCrash(actorId: string, slot: EpochMs): Promise<number>;
  clearCrashes(ids: readonly string[]): Promise<void>;
  incident(incident: Incident): Promise<void>;
}
