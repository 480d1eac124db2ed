/** Rate limits of one process: a token bucket per key and cost class, refilled by the injected clock. */
import type { Allowance, CostClass, RateLimits } from './access.ts';

/** A bucket's size, and how many tokens come back per second. */
export interface BucketPolicy {
  readonly capacity: number;
  readonly refillPerSecond: number;
}

export type BucketPolicies = Readonly<Record<CostClass, BucketPolicy>>;

/** Per subject (else per address). The emergency class allows 60 at once and 60 a minute, whatever else was asked before. */
export const DEFAULT_POLICIES: BucketPolicies = {
  read: { capacity: 20_000, refillPerSecond: 10_000 },
  write: { capacity: 1_000, refillPerSecond: 10 },
  costly: { capacity: 60, refillPerSecond: 1 },
  emergency: { capacity: 60, refillPerSecond: 1 },
  failed_identity: { capacity: 120, refillPerSecond: 2 },
};

/** Pausing and halting is never limited below ten a minute (reliability of the halt). */
const LEAST_EMERGENCY_PER_MINUTE = 10;
/** Keys remembered at once; beyond it the full buckets go, then the oldest. */
const MAX_KEYS = 100_000;

interface Bucket {
  tokens: number;
  at: number;
}

/**
 * In-process buckets. Several processes each allow this much; a limit shared between them takes the place of this door.
 * @throws Error where the emergency class would allow fewer than ten a minute.
 */
export function createTokenBuckets(clock: { now(): number }, policies: BucketPolicies = DEFAULT_POLICIES, maxKeys = MAX_KEYS): RateLimits {
  const { capacity, refillPerSecond } = policies.emergency;
  if (capacity < LEAST_EMERGENCY_PER_MINUTE || refillPerSecond * 60 < LEAST_EMERGENCY_PER_MINUTE) {
    throw new Error(
      `the emergency class has to allow ${LEAST_EMERGENCY_PER_MINUTE} requests a minute, not ${Math.min(capacity, refillPerSecond * 60)}`,
    );
  }
  const buckets = new Map<string, Bucket>();

  function bucketOf(name: string, policy: BucketPolicy, now: number): Bucket {
    const known = buckets.get(name);
    if (known !== undefined) {
      // A clock that stands still or was set back refills nothing.
      const elapsed = Math.max(0, now - known.at);
      known.tokens = Math.min(policy.capacity, known.tokens + (elapsed / 1000) * policy.refillPerSecond);
      known.at = Math.max(known.at, now);
      return known;
    }
    if (buckets.size >= maxKeys) makeRoom(now);
    const fresh = { tokens: policy.capacity, at: now };
    buckets.set(name, fresh);
    return fresh;
  }

  function makeRoom(now: number): void {
    for (const [name, bucket] of buckets) {
      const policy = policies[name.slice(0, name.indexOf(' ')) as CostClass];
      if (bucket.tokens + (Math.max(0, now - bucket.at) / 1000) * policy.refillPerSecond >= policy.capacity) buckets.delete(name);
    }
    const oldest = buckets.keys();
    for (let name = oldest.next(); buckets.size >= maxKeys && !name.done; name = oldest.next()) buckets.delete(name.value);
  }

  function allowance(allowed: boolean, bucket: Bucket, policy: BucketPolicy): Allowance {
    return {
      allowed,
      limit: policy.capacity,
      remaining: Math.floor(bucket.tokens),
      resetSeconds: Math.ceil((policy.capacity - bucket.tokens) / policy.refillPerSecond),
      retryAfterSeconds: bucket.tokens >= 1 ? 0 : Math.max(1, Math.ceil((1 - bucket.tokens) / policy.refillPerSecond)),
    };
  }

  return {
    take(key, cost) {
      const policy = policies[cost];
      const bucket = bucketOf(`${cost} ${key}`, policy, clock.now());
      const allowed = bucket.tokens >= 1;
      if (allowed) bucket.tokens -= 1;
      return allowance(allowed, bucket, policy);
    },
    exhausted(key, cost) {
      const policy = policies[cost];
      const name = `${cost} ${key}`;
      if (!buckets.has(name)) return null;
      const bucket = bucketOf(name, policy, clock.now());
      return bucket.tokens >= 1 ? null : allowance(false, bucket, policy);
    },
    policy(cost) {
      const { capacity: limit, refillPerSecond: perSecond } = policies[cost];
      return { limit, windowSeconds: Math.ceil(limit / perSecond) };
    },
  };
}
