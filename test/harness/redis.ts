/** Provides a real, private Redis for one test file, if this machine has one. */
import { inject } from 'vitest';

/**
 * Returns the address of a new Redis that nobody else uses, or null if neither `redis-server` nor `valkey-server` is installed.
 * Tests then skip: `test.skipIf(redisUrl === null)`.
 */
export async function testRedis(): Promise<string | null> {
  const answer = await fetch(`${inject('servers')}/redis`);
  if (!answer.ok) throw new Error(`no test Redis: ${await answer.text()}`);
  const url = (await answer.json()) as string | null;
  if (url === null) console.warn('skipped what needs Redis: no redis-server or valkey-server (6.2 or later) on the PATH');
  return url;
}
