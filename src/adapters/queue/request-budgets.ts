/** Request budgets of the providers, in one process or shared through Redis. */
import { type EpochMs, MINUTE_MS } from '../../domain/values/time.ts';
import { budgetFor, type BudgetPurpose, type RequestBudget, WeightBudget, mostFor } from '../venues/request-budget.ts';
import type { Redis } from 'ioredis';
import { connectRedis } from './redis-client.ts';

/** Creates the budget of one provider: the maximum weight in any window; default 60 s. */
export type MakeBudget = (name: string, limit: number, windowMs?: number) => RequestBudget;

export const aloneBudgets: MakeBudget = (_, limit, windowMs) => new WeightBudget(limit, windowMs);

/** Creates budgets that all processes on one Redis share; without Redis, budgets of this process. */
export function budgetsOn(
  redisUrl: string | null,
  clock: { now(): EpochMs },
  onError: (error: unknown) => void,
): { readonly make: MakeBudget; close(): void } {
  if (redisUrl === null) return { make: aloneBudgets, close: () => {} };
  const shared = openSharedBudgets({ url: redisUrl, clock, onError });
  return { make: shared.budget, close: shared.close };
}

/** Restricts budgets to the share of one purpose. */
export function budgetsFor<Budgets extends Readonly<Record<string, RequestBudget>>>(budgets: Budgets, purpose: BudgetPurpose): Budgets {
  return Object.fromEntries(Object.entries(budgets).map(([name, budget]) => [name, budgetFor(budget, purpose)])) as Budgets;
}

/** Number of cells of a window. A cell leaves the window when all of it is old enough. */
const CELLS = 60;
const TIMEOUT_MS = 1_000;
/** Share of a budget that each process uses while Redis does not answer. */
const ALONE_PART = 0.25;
const AWAY_MS = 2_000;

/**
 * KEYS[1] weight by cell number, KEYS[2] end of a block. ARGV: weight, limit, cell length, cells of a window, lifetime of the keys. Returns
 * [milliseconds to wait, used weight, end of the block].
 */
const TAKE = `
local now = redis.call('TIME')
local ms = now[1] * 1000 + math.floor(now[2] / 1000)
local weight, limit, cell_ms, cells = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local blocked = tonumber(redis.call('GET', KEYS[2]) or '0')
local cell = math.floor(ms / cell_ms)
local sum, kept = 0, {}
local all = redis.call('HGETALL', KEYS[1])
for i = 1, #all, 2 do
  local at = tonumber(all[i])
  if at < cell - cells then redis.call('HDEL', KEYS[1], all[i])
  else
    local spent = tonumber(all[i + 1])
    sum = sum + spent
    kept[#kept + 1] = { at, spent }
  end
end
if blocked > ms then return { blocked - ms, sum, blocked - ms } end
if sum + weight <= limit or sum == 0 then
  redis.call('HINCRBY', KEYS[1], cell, weight)
  redis.call('PEXPIRE', KEYS[1], ARGV[5])
  return { 0, sum + weight, 0 }
end
table.sort(kept, function(a, b) return a[1] < b[1] end)
local freed = 0
for _, entry in ipairs(kept) do
  freed = freed + entry[2]
  if sum - freed + weight <= limit then return { math.max(1, (entry[1] + cells + 1) * cell_ms - ms), sum, 0 } end
end
return { cell_ms * cells, sum, 0 }
`;

/** Adds the difference to the present cell if the provider counted more. ARGV: used weight, cell length, cells, lifetime. */
const OBSERVE = `
local now = redis.call('TIME')
local ms = now[1] * 1000 + math.floor(now[2] / 1000)
local cell = math.floor(ms / tonumber(ARGV[2]))
local sum = 0
local all = redis.call('HGETALL', KEYS[1])
for i = 1, #all, 2 do if tonumber(all[i]) >= cell - tonumber(ARGV[3]) then sum = sum + tonumber(all[i + 1]) end end
local more = tonumber(ARGV[1]) - sum
if more > 0 then
  redis.call('HINCRBY', KEYS[1], cell, more)
  redis.call('PEXPIRE', KEYS[1], ARGV[4])
end
return more
`;

/** Blocks requests for ARGV milliseconds. Never shortens a block. */
const BLOCK = `
local now = redis.call('TIME')
local until_ms = now[1] * 1000 + math.floor(now[2] / 1000) + tonumber(ARGV[1])
if until_ms > tonumber(redis.call('GET', KEYS[1]) or '0') then redis.call('SET', KEYS[1], until_ms, 'PX', ARGV[1]) end
return 0
`;

interface BudgetCommands extends Redis {
  takeBudget(...parameters: (string | number)[]): Promise<[wait: number, spent: number, blockedFor: number]>;
  observeBudget(...parameters: (string | number)[]): Promise<number>;
  blockBudget(...parameters: (string | number)[]): Promise<number>;
}

/**
 * Opens the shared budgets. Every call has a deadline. While Redis does not answer, a process uses a quarter of each budget, and it returns
 * to the shared count by itself. `prefix` separates installations on one Redis.
 */
export function openSharedBudgets(options: {
  readonly url: string;
  readonly clock: { now(): EpochMs };
  readonly prefix?: string;
  readonly onError: (error: unknown) => void;
}) {
  const { clock, onError, prefix = 'sevengate:budget' } = options;
  const redis = connectRedis(options.url, {
    commandTimeout: TIMEOUT_MS,
    maxRetriesPerRequest: 0,
    retryStrategy: (times) => Math.min(100 * 2 ** times, 2_000),
  }) as BudgetCommands;
  redis.on('error', onError);
  redis.defineCommand('takeBudget', { numberOfKeys: 2, lua: TAKE });
  redis.defineCommand('observeBudget', { numberOfKeys: 1, lua: OBSERVE });
  redis.defineCommand('blockBudget', { numberOfKeys: 1, lua: BLOCK });

  return {
    budget: (name: string, limit: number, windowMs: number = MINUTE_MS): RequestBudget =>
      createSharedBudget({ redis, clock, onError, key: `${prefix}:${name}`, limit, windowMs }),
    close: (): void => redis.disconnect(),
  };
}

/** Factory of the budgets of one installation. */
export type SharedBudgets = ReturnType<typeof openSharedBudgets>;

function createSharedBudget(deps: {
  readonly redis: BudgetCommands;
  readonly clock: { now(): EpochMs };
  readonly onError: (error: unknown) => void;
  readonly key: string;
  readonly limit: number;
  readonly windowMs: number;
}): RequestBudget {
  const { redis, clock, onError, key, limit, windowMs } = deps;
  // Rounded up: cells that are shorter than the window would allow requests too early.
  const cellMs = Math.ceil(windowMs / CELLS);
  const lifetimeMs = (CELLS + 2) * cellMs;
  const cells = `{${key}}:spent`;
  const blocked = `{${key}}:blocked`;
  /** Budget of this process while Redis does not answer. */
  const alone = new WeightBudget(Math.max(1, Math.floor(limit * ALONE_PART)), windowMs);
  let awayUntil: EpochMs = 0;
  let left = limit;
  let blockedUntil: EpochMs = 0;

  function away(error: unknown): void {
    awayUntil = clock.now() + AWAY_MS;
    onError(error);
  }

  return {
    async take(weight, now, purpose: BudgetPurpose = 'needed') {
      if (now < awayUntil) return alone.take(weight, now, purpose);
      const most = mostFor(limit, purpose);
      try {
        const [waitMs, spent, blockedForMs] = await redis.takeBudget(cells, blocked, weight, most, cellMs, CELLS, lifetimeMs);
        left = Math.max(0, limit - spent);
        blockedUntil = blockedForMs > 0 ? now + blockedForMs : 0;
        if (waitMs === 0) alone.note(weight, now);
        // Once Redis is away, what all have spent counts for this process's part, and a block stays.
        alone.observeUsed(Math.floor(spent * ALONE_PART), now);
        alone.block(blockedUntil);
        return waitMs;
      } catch (error) {
        away(error);
        return alone.take(weight, now, purpose);
      }
    },

    observeUsed(used, now) {
      alone.observeUsed(Math.min(used, limit), now);
      redis.observeBudget(cells, used, cellMs, CELLS, lifetimeMs).catch(away);
    },

    block(until) {
      alone.block(until);
      blockedUntil = Math.max(blockedUntil, until);
      redis.blockBudget(blocked, Math.max(1, until - clock.now())).catch(away);
    },

    state(now) {
      if (now < awayUntil) return alone.state(now);
      const isBlocked = now < blockedUntil;
      return { limit, windowMs, left: isBlocked ? 0 : left, blockedUntil: isBlocked ? blockedUntil : null };
    },
  };
}
