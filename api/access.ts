/** Access ports of the API: verified tokens, grants, rate limits. */

import type { AgentTokenReads } from '../src/adapters/store/agents/agent-tokens.ts';
import type { SignalReads } from '../src/adapters/store/agents/signal-hooks.ts';
import type { Member, VerifiedToken } from '../src/domain/identity/member.ts';
import type { Outcome } from '../src/domain/values/refusal.ts';

/** Cost class of a request. `emergency` is for pause and halt and has a limit of its own that nothing else uses up. */
export const COST_CLASSES = ['read', 'write', 'costly', 'emergency', 'failed_identity'] as const;

export type CostClass = (typeof COST_CLASSES)[number];

export interface Allowance {
  readonly allowed: boolean;
  /** Requests that are allowed in one window. */
  readonly limit: number;
  readonly remaining: number;
  /** Seconds until the window ends and all requests are allowed again. */
  readonly resetSeconds: number;
  /** Seconds until one more request is allowed; 0 if one is. */
  readonly retryAfterSeconds: number;
}

export interface RateLimits {
  /** Counts one request of the key. */
  take(key: string, cost: CostClass): Promise<Allowance>;
  /** Returns the number of requests allowed per window for a cost class. */
  policy(cost: CostClass): { readonly limit: number; readonly windowSeconds: number };
}

/** Ports that authenticate and admit callers. */
export interface AccessPorts {
  /** `toStop`: for a halt or a pause, which must work although the clock is wrong: `CLOCK_ERROR_MS` counts as no error then. */
  verifyToken(token: string, toStop?: boolean): Promise<Outcome<VerifiedToken>>;
  readonly members: { find(subject: string): Promise<Member | null> };
  readonly limits: RateLimits;
  /** Tokens of agents. Where it is missing, as beside the emergency halt, none is taken. */
  readonly agentTokens?: AgentTokenReads;
  /** Signal hooks, missing where agents' tokens are. */
  readonly signals?: SignalReads;
  /** Codes that the service printed for its owner at the start. */
  readonly signInLinks: {
    /** The token that a code stands for, once; null if it stands for none. */
    redeem(code: string): string | null;
  };
}
