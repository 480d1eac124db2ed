/** Access ports of the API: verified tokens, grants, rate limits. */

import type { SignalHook } from '../actors/agent/signal-hooks.ts';
import type { Permission } from '../src/domain/agents/agent.ts';
import type { TokenClaims, TokenRevocation } from '../src/domain/identity/member.ts';
import type { Outcome } from '../src/domain/values/refusal.ts';
import type { EpochMs } from '../src/domain/values/time.ts';

/** Claims of a verified token: subject and expiry. Nothing else in a token counts. */
export interface VerifiedToken extends TokenClaims {
  readonly subject: string;
  readonly expiresAt: EpochMs;
  /** True if the token was checked against keys that may be outdated: its bearer may read, and stop agents, but lead to no trade. */
  readonly readOnly?: boolean;
}

/** A subject's grants as the database holds them at this moment. */
export interface Member {
  readonly orgId: string;
  readonly name: string;
  readonly permissions: readonly Permission[];
  /** The role that was granted last; null if permissions were named one by one. */
  readonly role?: string | null;
  /** Tokens of the subject that were taken back. */
  readonly revocations?: readonly TokenRevocation[];
}

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

/** A token of an agent that nobody has revoked. */
interface AgentTokenHolder {
  readonly id: string;
  readonly orgId: string;
  readonly agentId: string;
  readonly name: string;
}

export interface AgentTokenReads {
  /** Finds the holder of a token by the SHA-256 of its text; null if it has none, or was revoked. */
  find(digest: string): Promise<AgentTokenHolder | null>;
}

/** A signal hook that nobody has revoked, with what its deliveries may be signed with. */
export interface FoundHook extends SignalHook {
  readonly orgId: string;
  /** SHA-256 of each secret that counts now, in hexadecimal. */
  readonly digests: readonly string[];
}

export interface SignalReads {
  /** Finds a hook by its id, or by the SHA-256 of a secret that counts at an instant. */
  find(key: { readonly id: string } | { readonly digest: string }, at: EpochMs): Promise<FoundHook | null>;
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
