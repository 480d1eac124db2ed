/** Access ports of the API: verified tokens, grants, rate limits. */

import type { AgentTokenReads } from '../src/adapters/store/agents/agent-token-store.ts';
import type { SignalReads } from '../src/adapters/store/agents/signal-hook-store.ts';
import type { Member, VerifiedToken } from '../src/domain/identity/member.ts';
import type { Outcome } from '../src/domain/values/refusal.ts';
import type { RateLimits } from './http/rate-limits.ts';

/** Cost class of a request. `emergency` is for pauses and halts, whose limit nothing else uses up. */
const COST_CLASSES = ['read', 'write', 'costly', 'emergency', 'failed_identity'] as const;

export type CostClass = (typeof COST_CLASSES)[number];

export interface Allowance {
  readonly allowed: boolean;
  /** Requests allowed per window. */
  readonly limit: number;
  readonly remaining: number;
  /** Seconds until the window ends. */
  readonly resetSeconds: number;
  /** Seconds until another request is allowed, or 0. */
  readonly retryAfterSeconds: number;
}

/** Ports that authenticate and admit callers. */
export interface AccessPorts {
  /**
   * Verifies a token. `toStop` is for a halt or a pause, which must work although the clock is wrong: a difference of `CLOCK_ERROR_MS` is
   * then tolerated.
   */
  verifyToken(token: string, toStop?: boolean): Promise<Outcome<VerifiedToken>>;
  readonly members: { find(subject: string): Promise<Member | null> };
  readonly limits: RateLimits;
  /** Agent tokens. Missing for the emergency halt, which accepts none. */
  readonly agentTokens?: AgentTokenReads;
  /** Signal hooks. Missing if `agentTokens` is. */
  readonly signals?: SignalReads;
  /** Sign-in codes that the service printed at its start. */
  readonly signInLinks: {
    /** Returns the token of a code once, or null for an unknown code. */
    redeem(code: string): string | null;
  };
}
