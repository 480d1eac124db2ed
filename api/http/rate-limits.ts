/** Rate limits: requests of a class per window, per subject or address, counted in memory or shared through Redis. */
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import type { Allowance, CostClass } from '../access.ts';

/** Rate limit: requests per window of `windowSeconds`, which begins with its first request. */
interface LimitPolicy {
  readonly limit: number;
  readonly windowSeconds: number;
}

type LimitPolicies = Readonly<Record<CostClass, LimitPolicy>>;

/** Default limits per subject, or per address without an identity. Only pauses and halts use the emergency class. */
export const DEFAULT_POLICIES: LimitPolicies = {
  read: { limit: 20_000, windowSeconds: 2 },
  write: { limit: 1_000, windowSeconds: 100 },
  costly: { limit: 60, windowSeconds: 60 },
  emergency: { limit: 60, windowSeconds: 60 },
  failed_identity: { limit: 120, windowSeconds: 60 },
};

/** Minimum limit of pauses and halts per minute. */
const LEAST_EMERGENCY_PER_MINUTE = 10;

/** An ioredis connection to the Redis that all processes of the service share. */
export type SharedStore = object;

/**
 * Creates the limits of one process, or of all processes that share a Redis. Reads are counted in each process: their limit protects the
 * process, and a round trip to Redis would cost more than the read. While Redis does not answer, each process counts for itself. @throws
 * Error if the emergency class would allow fewer than ten a minute.
 */
export function createRateLimits(policies: LimitPolicies = DEFAULT_POLICIES, shared: SharedStore | null = null) {
  const perMinute = (policies.emergency.limit / policies.emergency.windowSeconds) * 60;
  if (policies.emergency.limit < LEAST_EMERGENCY_PER_MINUTE || perMinute < LEAST_EMERGENCY_PER_MINUTE)
    throw new Error(
      `the emergency class has to allow ${LEAST_EMERGENCY_PER_MINUTE} requests a minute, not ${Math.min(policies.emergency.limit, perMinute)}`,
    );
  const limiters = Object.fromEntries(
    (Object.entries(policies) as [CostClass, LimitPolicy][]).map(([cost, policy]) => [cost, createLimiter(cost, policy, shared)]),
  ) as Record<CostClass, RateLimiterMemory | RateLimiterRedis>;

  return {
    /** Counts one request of the key. */
    async take(key: string, cost: CostClass): Promise<Allowance> {
      try {
        return allowance(true, await limiters[cost].consume(key), policies[cost]);
      } catch (refused) {
        if (refused instanceof RateLimiterRes) return allowance(false, refused, policies[cost]);
        throw refused;
      }
    },
    /** Returns the limit of a cost class. */
    policy: (cost: CostClass): LimitPolicy => policies[cost],
  };
}

export type RateLimits = ReturnType<typeof createRateLimits>;

function createLimiter(
  cost: CostClass,
  { limit, windowSeconds }: LimitPolicy,
  shared: SharedStore | null,
): RateLimiterMemory | RateLimiterRedis {
  const options = { keyPrefix: `limit:${cost}`, points: limit, duration: windowSeconds };
  const own = new RateLimiterMemory(options);
  if (shared === null || cost === 'read') return own;
  return new RateLimiterRedis({ ...options, storeClient: shared, insuranceLimiter: own, rejectIfRedisNotReady: true });
}

function allowance(allowed: boolean, { remainingPoints, msBeforeNext }: RateLimiterRes, { limit }: LimitPolicy): Allowance {
  const resetSeconds = Math.ceil(msBeforeNext / 1_000);
  return {
    allowed,
    limit,
    remaining: Math.max(0, remainingPoints),
    resetSeconds,
    retryAfterSeconds: allowed ? 0 : Math.max(1, resetSeconds),
  };
}

/** Returns the rate-limit key of an address: the IPv4 address, or the IPv6 /64 network, which one sender has. */
export function addressKey(address: string): string {
  if (!address.includes(':') || address.startsWith('::ffff:')) return `address ${address}`;
  const [head = '', tail] = address.split('::');
  const groups = head.split(':');
  const missing = tail === undefined ? 0 : 8 - groups.length - (tail === '' ? 0 : tail.split(':').length);
  return `address ${[...groups, ...Array<string>(Math.max(0, missing)).fill('0')].slice(0, 4).join(':')}::/64`;
}
