/** What the API asks about who calls: verified tokens, grants, rate limits. */

import type { Permission } from '../src/domain/agent.ts';
import type { Outcome } from '../src/domain/refusal.ts';
import type { EpochMs } from '../src/domain/time.ts';

/** What a verified token says: who, and until when. Nothing else of a token counts. */
export interface VerifiedToken {
  readonly subject: string;
  readonly expiresAt: EpochMs;
  /** True where the token was checked against keys that may be outdated: its bearer may read, and stop agents, but lead to no trade. */
  readonly readOnly?: boolean;
}

/** A subject's grants as the database holds them at this moment. */
export interface Member {
  readonly orgId: string;
  readonly name: string;
  readonly permissions: readonly Permission[];
}

/** What a request costs. `emergency` is the pause and the halt: a bucket of their own that nothing else empties. */
export const COST_CLASSES = ['read', 'write', 'costly', 'emergency', 'failed_identity'] as const;

export type CostClass = (typeof COST_CLASSES)[number];

export interface Allowance {
  readonly allowed: boolean;
  /** The most that the bucket holds. */
  readonly limit: number;
  readonly remaining: number;
  /** Seconds until the bucket is full again. */
  readonly resetSeconds: number;
  /** Seconds until one more request is allowed; 0 where one is. */
  readonly retryAfterSeconds: number;
}

export interface RateLimits {
  /** Takes one from the key's bucket. A limit shared between processes answers later. */
  take(key: string, cost: CostClass): Allowance | Promise<Allowance>;
  /** Whether the bucket is empty, without taking. */
  exhausted(key: string, cost: CostClass): Allowance | null | Promise<Allowance | null>;
  /** The most that a class's buckets hold, and in how many seconds an empty one is full again. */
  policy(cost: CostClass): { readonly limit: number; readonly windowSeconds: number };
}

/** Who may come in. */
export interface AccessPorts {
  verifyToken(token: string): Promise<Outcome<VerifiedToken>>;
  readonly members: { find(subject: string): Promise<Member | null> };
  readonly limits: RateLimits;
}
