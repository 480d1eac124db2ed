// The private Redis loses nothing acknowledged more than a second ago, and a foreign one that might is refused.
import { chmodSync, existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { afterEach, expect, test } from 'vitest';
import { type EmbeddedRedis, findRedisServer, refusalOfRedis, startEmbeddedRedis } from '../../../src/adapters/queue/embedded-redis.ts';
import { commandLine, processStartedAt } from '../../../src/adapters/process/server-process.ts';
import { startOwner } from '../../harness/owner.ts';
import { REFUSING_PORT } from '../../harness/ports.ts';

const server = findRedisServer(process.env['PATH'] ?? '');
if (!server) console.warn('skipped what needs Redis: no redis-server or valkey-server (6.2 or later) on the PATH');
const withRedis = test.runIf(server !== null);
const started: EmbeddedRedis[] = [];
const folders: string[] = [];

afterEach(async () => {
  for (const one of started.splice(0)) await one.stop();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'embedded-redis-'));
  folders.push(folder);
  return folder;
}
async function start(home: string): Promise<EmbeddedRedis> {
  if (!server) throw new Error('no redis-server');
  const one = await startEmbeddedRedis({ home, server, log: () => {} });
  started.push(one);
  return one;
}
async function ask<T>(url: string, question: (redis: Redis) => Promise<T>): Promise<T> {
  const redis = new Redis(url, { retryStrategy: () => null });
  redis.on('error', () => {});
  try {
    return await question(redis);
  } finally {
    redis.disconnect();
  }
}

test('a program that is too old, broken or no Redis is skipped', () => {
  const folder = newFolder();
  const program = (name: string, script: string) => writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  expect(findRedisServer(folder)).toBeNull();
  program('redis-server', 'echo "Redis server v=6.0.16 sha=00000000:0 malloc=jemalloc-5.2.1 bits=64 build=1"');
  expect(findRedisServer(folder)).toBeNull();
  program('redis-server', 'echo "version GLIBC_2.38 not found" >&2; exit 1');
  expect(findRedisServer(folder)).toBeNull();
  program('valkey-server', 'echo "Valkey server v=8.0.1 sha=00000000:0 malloc=jemalloc-5.3.0 bits=64 build=1"');
  expect(findRedisServer(folder)).toEqual({ path: join(folder, 'valkey-server'), version: '8.0' });
  program('redis-server', 'echo "Redis server v=6.2.0 sha=00000000:0 malloc=libc bits=64 build=1"');
  expect(findRedisServer(`${newFolder()}::${folder}`)).toEqual({ path: join(folder, 'redis-server'), version: '6.2' });
  chmodSync(join(folder, 'redis-server'), 0o644);
  expect(findRedisServer(folder)?.version).toBe('8.0');
});

withRedis('it writes every change to disk, never evicts, listens on loopback and keeps its password to its owner', async () => {
  const home = newFolder();
  const { url, pid } = await start(home);
  const settings = await ask(url, async (redis) => {
    const pairs = (await redis.config('GET', 'append*', 'maxmemory-policy', 'bind')) as string[];
    return Object.fromEntries(pairs.flatMap((name, at) => (at % 2 === 0 ? [[name, pairs[at + 1]]] : [])));
  });
  expect(settings).toMatchObject({ appendonly: 'yes', appendfsync: 'everysec', 'maxmemory-policy': 'noeviction', bind: '127.0.0.1' });
  expect(statSync(join(home, 'redis')).mode & 0o777).toBe(0o700);
  expect(commandLine(pid)).not.toContain(new URL(url).password);
  await expect(ask(url.replace(/:[0-9a-f]+@/, ':wrong@'), (redis) => redis.ping())).rejects.toThrow();
  expect(await refusalOfRedis(url)).toBeNull();
});

withRedis('it keeps what it held over a stop and a start, and is gone after stop', async () => {
  const home = newFolder();
  const first = await start(home);
  await ask(first.url, (redis) => redis.set('kept', 'yes'));
  await first.stop();
  expect(processStartedAt(first.pid)).toBeNull();
  const second = await start(home);
  expect(second.adopted).toBe(false);
  expect(await ask(second.url, (redis) => redis.get('kept'))).toBe('yes');
});

withRedis('after kill -9 of its owner the running server is adopted', async () => {
  const home = newFolder();
  const owner = await startOwner('redis', home);
  await ask(owner.owned.url, (redis) => redis.set('before', 'the kill'));
  await owner.kill();
  const adopted = await start(home);
  expect(adopted).toMatchObject({ adopted: true, sharedWith: null, pid: owner.owned.pid, url: owner.owned.url });
  expect(await ask(adopted.url, (redis) => redis.get('before'))).toBe('the kill');
});

withRedis('a second process shares the server of a live one; on Ctrl-C the owner can still write, and then nothing is left', async () => {
  const home = newFolder();
  const owner = await startOwner('redis', home);
  const guest = await start(home);
  expect(guest).toMatchObject({ adopted: true, sharedWith: owner.pid });
  await guest.stop();
  owner.pressCtrlC();
  expect(await owner.nextLine()).toBe('stopped');
  expect(await owner.exit).toEqual([0, null]);
  expect(processStartedAt(owner.owned.pid)).toBeNull();
  expect(existsSync(join(home, 'redis.owner'))).toBe(false);
  expect(await ask((await start(home)).url, (redis) => redis.get('note'))).toBe('written after Ctrl-C');
});

withRedis('a foreign Redis that may evict queued work is refused in one sentence', async () => {
  const { url } = await start(newFolder());
  await ask(url, (redis) => redis.config('SET', 'maxmemory-policy', 'allkeys-lru'));
  expect(await refusalOfRedis(url)).toBe(
    'REDIS_URL: this Redis has maxmemory-policy allkeys-lru and would drop queued work under memory pressure; set it to noeviction',
  );
});

test('an address where no Redis answers is refused in one sentence', async () => {
  expect(await refusalOfRedis(`redis://127.0.0.1:${REFUSING_PORT}`)).toMatch(/^REDIS_URL: no Redis answers there \(.*ECONNREFUSED/);
});
