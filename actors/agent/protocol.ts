/** What an agent remembers and what it hears. */
import type { Autonomy, PauseCause } from '../../src/domain/agent.ts';
import type { CompiledManifest } from '../../src/domain/decide.ts';
import type { AgentBook, Verdict } from '../../src/domain/decision.ts';
import type { Cut } from '../../src/domain/cut.ts';
import type { EpochMs } from '../../src/domain/time.ts';
import type { Venue } from '../../src/domain/venue.ts';

/** Plain JSON: it lies in the snapshot. */
export interface AgentContext {
  readonly autonomy: Autonomy;
  readonly manifestVersion: number;
  readonly manifestHash: string;
  /** Null while on duty. */
  readonly pauseCause: PauseCause | null;
  /** Venues of the universe whose feed is degraded, sorted. */
  readonly degradedVenues: readonly Venue[];
}

export interface AgentInput {
  readonly autonomy: Autonomy;
  readonly manifestVersion: number;
  readonly manifestHash: string;
}

/** The tick, spec 6.1: the slot's cut, the agent's compiled manifest and its book. The one event that is not JSON and not kept. */
export interface AgentTick {
  readonly type: 'tick';
  readonly slot: EpochMs;
  readonly cut: Cut;
  readonly compiled: CompiledManifest;
  readonly book: AgentBook;
}

export type AgentEvent =
  | AgentTick
  | { readonly type: 'manifest.changed'; readonly manifestVersion: number; readonly manifestHash: string }
  | { readonly type: 'gate.passed'; readonly evidenceId: string }
  /** `mayRaise` false: from somebody who may not raise it to where orders leave by themselves. */
  | { readonly type: 'autonomy.set'; readonly autonomy: Autonomy; readonly mayRaise?: false }
  | { readonly type: 'pause'; readonly cause: PauseCause }
  | { readonly type: 'resume'; readonly subject: string; readonly createdBy: string }
  | { readonly type: 'feed.degraded'; readonly venue: Venue }
  | { readonly type: 'feed.restored'; readonly venue: Venue }
  | { readonly type: 'feed.lost' };

/** The decision action's parameters: what a tick came to. */
export interface TickDecision {
  readonly slot: EpochMs;
  readonly verdict: Verdict;
}
