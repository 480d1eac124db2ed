/** Commands of an agent, as the API and the command line call them. */
import type { Permission } from '../../src/domain/agents/agent.ts';

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
