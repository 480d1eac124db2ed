/** Commands of an agent, as the API and the command line call them. */
import type { ActorRecord } from '../../src/domain/agents/actor-step.ts';
import type { Autonomy, Permission } from '../../src/domain/agents/agent.ts';
import type { DecimalString } from '../../src/domain/values/decimal.ts';
import type { Manifest } from '../../src/domain/manifest/manifest.ts';
import type { Outcome } from '../../src/domain/values/refusal.ts';
import type { InstrumentKey } from '../../src/domain/market/venue.ts';
import type { AgentView } from './resource.ts';

/** Caller of a command, for the audit row and the permission rules, and the key that remembers the answer. */
export interface CommandContext {
  readonly orgId: string;
  readonly subject: string;
  readonly permissions: readonly Permission[];
  readonly requestId: string;
  /** Present if the request carries an Idempotency-Key. The answer is then stored in the transaction of the effect. */
  readonly remember?: {
    readonly route: string;
    readonly key: string;
    readonly requestHash: string;
    readonly answer: (view: object) => { readonly status: number; readonly body: string };
  };
}

export interface HaltView {
  /** Ids of the agents paused and Takes disarmed by this halt so far. */
  readonly paused: readonly string[];
  /** Number of agents still being paused in the background. None of them can begin anything meanwhile. */
  readonly pausing: number;
  /** Pending proposals cancelled so far. */
  readonly cancelledProposals: number;
  /** The organization's control epoch after the halt. */
  readonly epoch: number;
}

/** Commands of agents. Each answers after its transaction has committed. Agents of another organization are `not_found`. */
export interface AgentCommands {
  /** Creates a draft agent. `also` returns further rows to write in the same transaction. */
  create(context: CommandContext, manifest: Manifest, also?: (agentId: string) => readonly ActorRecord[]): Promise<Outcome<AgentView>>;
  addVersion(context: CommandContext, agentId: string, manifest: Manifest): Promise<Outcome<AgentView>>;
  setAutonomy(context: CommandContext, agentId: string, autonomy: Autonomy): Promise<Outcome<AgentView>>;
  pause(context: CommandContext, agentId: string): Promise<Outcome<AgentView>>;
  resume(context: CommandContext, agentId: string): Promise<Outcome<AgentView>>;
  /**
   * Pauses the agent and sells its positions, in its live book and in the paper book of its active version, until it holds nothing or a
   * person resumes it. A null instrument closes all positions. A null limit sells at the market.
   */
  close(
    context: CommandContext,
    agentId: string,
    wish: { readonly instrument: InstrumentKey | null; readonly limitPrice: DecimalString | null },
  ): Promise<Outcome<AgentView>>;
  /** Releases the agent from quarantine. It is paused afterwards and must be resumed. */
  release(context: CommandContext, agentId: string): Promise<Outcome<AgentView>>;
  /** Pauses all running agents of the organization, cancels their pending proposals and raises the control epoch. */
  emergencyHalt(context: CommandContext, reason?: string | null): Promise<Outcome<HaltView>>;
}
