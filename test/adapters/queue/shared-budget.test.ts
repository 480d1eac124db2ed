// Request budgets shared by several processes on a real Redis: together they stay within the limit, and continue alone without it.

import fc from 'fast-check';
import { Redis } from 'ioredis';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { openSharedBudgets, type SharedBudgets } from '../../../src/adapters/queue/request-budgets.ts';
import { createLiveClock } from '../../../streams/clock/live-clock.ts';
import { rounds } from '../../harness/rounds.ts';
import { testRedis } from '../../harness/redis.ts';
import { waitFor } from '../../harness/wait-for.ts';
import { redisProxy } from './redis-proxy.ts';

const url = await testRedis();
const clock = createLiveClock();
const opened: SharedBudgets[] = [];
const errors: unknown[] = [];
let made = 0;

/** Opens the budgets like another process. */
function process(prefix: string, at = url as string): SharedBudgets {
  const budgets = openSharedBudgets({ url: at, clock, prefix, onError: (error) => errors.push(error) });
  opened.push(budgets);
  return budgets;
}

beforeAll(() => {
  errors.length = 0;
});
afterEach(() => {
  for (const budgets of opened.splice(0)) budgets.close();
});

describe.skipIf(url === null)('budgets of several processes', () => {
  test('allow together what one limit allows, whoever asks', async () => {
    const prefix = `t${++made}`;
    const clients = [process(prefix), process(prefix), process(prefix)];
    const budgets = clients.map((client) => client.budget('exchange', 50));
    const waits = await Promise.all(
      Array.from({ length: 150 }, (_, n) => Promise.resolve((budgets[n % 3] as (typeof budgets)[number]).take(1, clock.now()))),
    );
    const passed = waits.filter((wait) => wait === 0).length;
    for (const wait of waits) expect(wait).toBeLessThanOrEqual(62_000);
    // A process that Redis answers late spends a quarter of its own, without knowing of the others' requests in flight.
    if (errors.length > 0) return expect(passed).toBeLessThanOrEqual(50 + 3 * 12);
    expect(passed).toBe(50);
    expect(budgets[0]?.state(clock.now())).toMatchObject({ limit: 50, windowMs: 60_000, left: 0, blockedUntil: null });
  });

  // The second window does not divide evenly: its cells must still cover it.
  test.each([120, 179])('never allow more than the limit in any %i ms, whatever the order and the weights', async (windowMs) => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 50 }), async (weights) => {
        const prefix = `t${++made}`;
        const budgets = [process(prefix), process(prefix)].map((each) => each.budget('venue', 20, windowMs));
        const passed: { readonly before: number; readonly after: number; readonly weight: number }[] = [];
        const total = () => passed.reduce((sum, { weight }) => sum + weight, 0);
        // Repeats until several windows have passed and more than one was used, on fast and slow machines.
        const began = performance.now();
        for (let n = 0; performance.now() - began < 4 * windowMs || total() <= 20; n++) {
          const weight = weights[n % weights.length] as number;
          const before = performance.now();
          const wait = await budgets[n % 2]?.take(weight, clock.now());
          if (wait === 0) passed.push({ before, after: performance.now(), weight });
        }
        for (const [n, first] of passed.entries()) {
          // The exact counting time is unknown; these were certainly within the window.
          const within = passed.slice(n).filter(({ after }) => after < first.before + windowMs);
          expect(within.reduce((sum, { weight }) => sum + weight, 0)).toBeLessThanOrEqual(20);
        }
        for (const each of opened.splice(0)) each.close();
      }),
      { numRuns: rounds({ suite: 2, proof: 12 }) },
    );
  });

  test('a Retry-After of one process holds all of them', async () => {
    const prefix = `t${++made}`;
    const [one, other] = [process(prefix), process(prefix)] as const;
    const [mine, theirs] = [one.budget('venue', 100), other.budget('venue', 100)];
    const until = clock.now() + 60_000;
    mine.block(until);
    const wait = await waitFor(async () => (await theirs.take(1, clock.now())) || null, { what: 'the other process is told of it' });
    expect(wait).toBeGreaterThanOrEqual(until - clock.now());
    expect(wait).toBeLessThanOrEqual(60_000);
    expect(theirs.state(clock.now()).left).toBe(0);
  });

  test('a process that loses Redis remembers what all have spent, and a Retry-After of another', async () => {
    const prefix = `t${++made}`;
    const through = await redisProxy(url as string);
    const [one, other] = [process(prefix), process(prefix, through.url)] as const;
    const [spent, blocked] = [other.budget('spent', 40), other.budget('blocked', 40)];
    const first = one.budget('spent', 40);
    for (let n = 0; n < 40; n++) await first.take(1, clock.now());
    one.budget('blocked', 40).block(clock.now() + 60_000);
    for (const budget of [spent, blocked])
      await waitFor(async () => (await budget.take(1, clock.now())) > 0, { what: 'the other is told' });
    through.freeze();
    for (const budget of [spent, blocked]) expect(await budget.take(1, clock.now())).toBeGreaterThan(0);
    await through.close();
  });

  test('background work is shed first, then what pages ask, while needed work still passes', async () => {
    const budget = process(`t${++made}`).budget('venue', 100);
    for (let n = 0; n < 40; n++) expect(await budget.take(1, clock.now(), 'background')).toBe(0);
    expect(await budget.take(1, clock.now(), 'background')).toBeGreaterThan(0);
    for (let n = 0; n < 30; n++) expect(await budget.take(1, clock.now(), 'optional')).toBe(0);
    expect(await budget.take(1, clock.now(), 'optional')).toBeGreaterThan(0);
    for (let n = 0; n < 30; n++) expect(await budget.take(1, clock.now())).toBe(0);
    expect(await budget.take(1, clock.now())).toBeGreaterThan(0);
  });

  test('the venue’s higher count is adopted by all', async () => {
    const prefix = `t${++made}`;
    const [one, other] = [process(prefix), process(prefix)] as const;
    one.budget('venue', 100).observeUsed(95, clock.now());
    const theirs = other.budget('venue', 100);
    const spent = await waitFor(
      async () => {
        await theirs.take(1, clock.now());
        return theirs.state(clock.now()).left < 5;
      },
      { what: 'the other process is told of it' },
    );
    expect(spent).toBe(true);
  });

  test('keys expire by themselves', async () => {
    const prefix = `t${++made}`;
    await process(prefix).budget('venue', 100, 60_000).take(1, clock.now());
    const redis = new Redis(url as string, { protocol: 2 });
    const keys = await redis.keys(`*${prefix}:venue*`);
    expect(keys).toHaveLength(1);
    const left = await redis.pttl(keys[0] as string);
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThanOrEqual(120_000);
    redis.disconnect();
  });
});

test('without Redis a process continues alone with a quarter of the budget, at once', async () => {
  const budget = process('nobody', 'redis://127.0.0.1:1').budget('venue', 40);
  const began = performance.now();
  const waits = await Promise.all(Array.from({ length: 40 }, async () => budget.take(1, clock.now())));
  expect(waits.filter((wait) => wait === 0)).toHaveLength(10);
  expect(performance.now() - began).toBeLessThan(20_000);
  expect(errors.length).toBeGreaterThan(0);
});
