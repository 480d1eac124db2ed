/** Context and events of an agent. */
import type { Autonomy, PauseCause, Stage } from '../../src/domain/agents/agent.ts';
import type { Breaker } from '../../src/domain/agents/breakers.ts';
import type { Cut } from '../../src/domain/market/cut.ts';
import type { CompiledManifest, RiskAssessor } from '../../src/domain/agents/decide.ts';
import type { AgentBook, Verdict } from '../../src/domain/agents/decision.ts';
import type { Closing } from '../../src/domain/orders/execution.ts';
import type { EpochMs } from '../../src/domain/values/time.ts';
import type { InstrumentKey } from '../../src/domain/market/venue.ts';
import type { DegradedFeeds, FeedEvent } from '../ticking/feed-region.ts';
import type { AgentChanges } from './resource.ts';

/** Context of an agent. Plain JSON, stored in the snapshot. */
export interface AgentContext extends Omit<AgentChanges, 'stage' | 'closing' | 'stageEvidence' | 'stageAskedBy'> {
  readonly degradedVenues: DegradedFeeds;
  /** Evidence or demotion that led to its present stage. Missing in snapshots from before gates existed. */
  readonly promotion?: Promotion | null;
  /** Breaker that tripped last. Missing if none has. */
  readonly breaker?: BreakerTrip | null;
  /** Positions that a person closed and that are not yet sold. Missing if there were none. */
  readonly closing?: readonly Closing[];
}

/** Reason of the agent's stage. `evidenceId` is null after a demotion and a change of the manifest. */
export interface Promotion {
  readonly evidenceId: string | null;
  /** The subject who asked, or the breaker that demoted it. */
  readonly askedBy: string | null;
}

export type BreakerTrip = {
  readonly breaker: Breaker;
  readonly at: EpochMs;
  readonly observed: number;
  readonly limit: number;
};

export interface AgentInput {
  readonly autonomy: Autonomy;
  readonly manifestVersion: number;
  readonly manifestHash: string;
}

/**
 * A tick: the slot's cut, the agent's compiled manifest, its book and its risk function. The only event that is neither JSON nor stored.
 */
type AgentTick = {
  readonly type: 'tick';
  readonly slot: EpochMs;
  readonly cut: Cut;
  readonly compiled: CompiledManifest;
  readonly book: AgentBook;
  readonly assess?: RiskAssessor;
  /** Instruments with an open proposal. */
  readonly pending?: ReadonlySet<InstrumentKey>;
};

/** A tripped circuit breaker. Degraded data is not one of them, because it is a timer of the chart. Takes receive the same event. */
export type BreakerTripped = BreakerTrip & { readonly type: 'breaker.tripped' };

export type AgentEvent =
  | AgentTick
  | { readonly type: 'manifest.changed'; readonly manifestVersion: number; readonly manifestHash: string }
  /** Opens the gate out of stage `gate` for this manifest. */
  | {
      readonly type: 'gate.passed';
      readonly gate: Stage;
      readonly manifestHash: string;
      readonly evidenceId: string;
      readonly askedBy: string;
    }
  | BreakerTripped
  /** Sets the autonomy. `mayRaise` is false if the caller may not raise it to a level that places orders without approval. */
  | { readonly type: 'autonomy.set'; readonly autonomy: Autonomy; readonly mayRaise?: false }
  | { readonly type: 'pause'; readonly cause: PauseCause }
  /** Closes positions on a person's command: pauses the agent and sells what it holds, whatever its rules say. */
  | { readonly type: 'positions.close'; readonly closing: Closing }
  /** Reports that the positions of this closing are sold. */
  | { readonly type: 'positions.closed'; readonly instrument: InstrumentKey | null; readonly at: EpochMs }
  /** Releases the agent from quarantine after its fault was fixed. The agent stays paused until it is resumed. */
  | { readonly type: 'quarantine.released' }
  | { readonly type: 'resume'; readonly subject: string; readonly createdBy: string; readonly at: EpochMs }
  | FeedEvent;

/** Result of a tick, as parameters of the decision action. */
export interface TickDecision {
  readonly slot: EpochMs;
  readonly verdict: Verdict;
}
