/** Commands of an agent: the protocol between the API, the command line and the agent's actor. */
import type { ActorRecord } from '../../src/domain/agents/actor-step.ts';
import type { Autonomy, Permission } from '../../src/domain/agents/agent.ts';
import type { DecimalString } from '../../src/domain/values/decimal.ts';
import type { Manifest } from '../../src/domain/manifest/manifest.ts';
import type { Outcome } from '../../src/domain/values/refusal.ts';
import type { InstrumentKey } from '../../src/domain/market/venue.ts';
import type { AgentView } from './resource.ts';

/** Caller of a command, for the audit row and the permission rules, and the key to remember the answer under. */
export interface CommandContext {
  readonly orgId: string;
  readonly subject: string;
  readonly permissions: readonly Permission[];
  readonly requestId: string;
  /** Present if the request carries an Idempotency-Key: the answer is stored in the same transaction as the effect. */
  readonly remember?: {
    readonly route: string;
    readonly key: string;
    readonly requestHash: string;
    readonly answer: (view: object) => { readonly status: number; readonly body: string };
  };
}

export interface HaltView {
  /** Ids of the agents that this halt has paused by now, and of the Takes that it has disarmed. */
  readonly paused: readonly string[];
  /** Number of agents that are still being paused in the background. None of them may begin anything meanwhile. */
  readonly pausing: number;
  /** Pending proposals cancelled so far. */
  readonly cancelledProposals: number;
  /** The organization's control epoch after the halt. */
  readonly epoch: number;
}

/** Every command answers after its transaction is committed. A foreign agent answers exactly as a missing one: `not_found`. */
export interface AgentCommands {
  /** `also`: further rows of the new agent, written with it. */
  create(context: CommandContext, manifest: Manifest, also?: (agentId: string) => readonly ActorRecord[]): Promise<Outcome<AgentView>>;
  addVersion(context: CommandContext, agentId: string, manifest: Manifest): Promise<Outcome<AgentView>>;
  setAutonomy(context: CommandContext, agentId: string, autonomy: Autonomy): Promise<Outcome<AgentView>>;
  pause(context: CommandContext, agentId: string): Promise<Outcome<AgentView>>;
  resume(context: CommandContext, agentId: string): Promise<Outcome<AgentView>>;
  /**
   * Pauses the agent and sells its positions, in its live book and in the paper book of its active version, until it holds nothing or a
   * person resumes it. A null instrument closes all of them. A null limit sells at the market.
   */
  close(
    context: CommandContext,
    agentId: string,
    wish: { readonly instrument: InstrumentKey | null; readonly limitPrice: DecimalString | null },
  ): Promise<Outcome<AgentView>>;
  /** Releases the agent from quarantine. It is paused afterwards and must be resumed. */
  release(context: CommandContext, agentId: string): Promise<Outcome<AgentView>>;
  /** Pauses all of the organization's agents that are not paused, cancels their pending proposals and bumps the control epoch. */
  emergencyHalt(context: CommandContext, reason?: string | null): Promise<Outcome<HaltView>>;
}
