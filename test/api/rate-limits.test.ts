// Requests are counted across all processes that share a Redis, and per process if it does not answer.
import { expect, test } from 'vitest';
import { createRateLimits, DEFAULT_POLICIES } from '../../api/http/rate-limits.ts';
import { openSharedLimits } from '../../src/adapters/queue/redis-client.ts';
import { testRedis } from '../harness/redis.ts';

const redisUrl = await testRedis();
const policies = { ...DEFAULT_POLICIES, write: { limit: 3, windowSeconds: 60 }, read: { limit: 1, windowSeconds: 60 } };

async function connected(url: string) {
  const limits = openSharedLimits({ url, onError: () => {} });
  if (limits.store.status !== 'ready') await new Promise((ready) => limits.store.once('ready', ready));
  return limits;
}

test.skipIf(redisUrl === null)('two processes allow together what one would allow', async () => {
  const [one, other] = [await connected(redisUrl as string), await connected(redisUrl as string)];
  try {
    const processes = [createRateLimits(policies, one.store), createRateLimits(policies, other.store)] as const;
    const allowed: boolean[] = [];
    for (let i = 0; i < 6; i++) allowed.push((await processes[(i % 2) as 0 | 1].take('subject a', 'write')).allowed);
    expect(allowed).toEqual([true, true, true, false, false, false]);
    expect((await processes[0].take('subject b', 'write')).allowed).toBe(true);
    // Limits on reads protect the answering process, each by itself.
    expect([(await processes[0].take('subject a', 'read')).allowed, (await processes[1].take('subject a', 'read')).allowed]).toEqual([
      true,
      true,
    ]);
  } finally {
    one.close();
    other.close();
  }
});

test.skipIf(redisUrl === null)('without Redis a process counts for itself, at once', async () => {
  const shared = await connected(redisUrl as string);
  const limits = createRateLimits(policies, shared.store);
  expect((await limits.take('subject c', 'write')).remaining).toBe(2);
  shared.close();
  const began = performance.now();
  const allowed: boolean[] = [];
  for (let i = 0; i < 4; i++) allowed.push((await limits.take('subject c', 'write')).allowed);
  expect(allowed).toEqual([true, true, true, false]);
  expect(performance.now() - began).toBeLessThan(10_000);
});
