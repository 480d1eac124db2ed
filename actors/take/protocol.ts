/** Context and events of a Take. */
import type { PauseCause } from '../../src/domain/agents/agent.ts';
import type { ProposalState } from '../../src/domain/orders/execution.ts';
import type { ExecutionMode } from '../../src/domain/orders/order.ts';
import type { EpochMs } from '../../src/domain/values/time.ts';
import type { BreakerTrip, BreakerTripped } from '../agent/protocol.ts';
import type { DegradedFeeds, FeedEvent } from '../ticking/feed-region.ts';
import type { TakeChanges } from './resource.ts';

/** Input of a compiled Take. Plain JSON. */
export interface TakeInput {
  readonly hash: string;
  readonly symbol: string;
  /** True if it has exit conditions, so that it watches its position once it is filled. */
  readonly hasExit: boolean;
  readonly expiresAt: EpochMs;
}

/** Context of a Take. Plain JSON, stored in the snapshot. */
export interface TakeContext extends TakeInput, Omit<TakeChanges, 'state' | 'onDuty' | 'changedAt'> {
  /** True once its live book has its allocation, which the first live arming deposits. */
  readonly funded: boolean;
  /** Time since which it waits for its entry. Its remaining life counts from here. */
  readonly waitsSince: EpochMs;
  readonly side: 'entry' | 'exit';
  /** Id of its last proposal, or null before the first. */
  readonly proposalId: string | null;
  readonly decisionId: string | null;
  /** True between the fill of its entry and of its exit. */
  readonly holdsPosition: boolean;
  readonly degradedVenues: DegradedFeeds;
  /** Breaker that disarmed it last, or null. */
  readonly breaker: BreakerTrip | null;
  /** Readings of its words that its author confirmed at the arming. */
  readonly confirmed?: readonly string[];
  /** Readings of its words that its author was asked about after it was armed under an older reading. */
  readonly asked?: readonly string[];
}

/** A proposal of the Take ended. */
export type ProposalEnded = {
  readonly type: 'proposal.ended';
  readonly proposalId: string;
  readonly decisionId: string | null;
  readonly side: 'entry' | 'exit';
  readonly state: ProposalState;
  readonly reason: string | null;
  readonly at: EpochMs;
};

export type TakeEvent =
  | { readonly type: 'arm'; readonly mode: ExecutionMode; readonly at: EpochMs; readonly confirmed?: readonly string[] }
  | { readonly type: 'disarm'; readonly subject: string }
  /** Sells what the Take holds on the operator's command, whatever its conditions. */
  | { readonly type: 'close'; readonly subject: string }
  /** A halt, or a tick that keeps crashing, disarms it. */
  | { readonly type: 'pause'; readonly cause: PauseCause }
  /** The thesis reads differently than at the arming, or leaves an unconfirmed question open. */
  | { readonly type: 'reading.open'; readonly questions: readonly string[] }
  | { readonly type: 'publish'; readonly at: EpochMs }
  /** A decision made a proposal. */
  | { readonly type: 'triggered'; readonly proposalId: string; readonly decisionId: string | null; readonly side: 'entry' | 'exit' }
  | ProposalEnded
  | BreakerTripped
  | FeedEvent;
