// Redis dies, forgets everything or stops answering: the schedule is rebuilt from PostgreSQL, and no slot is missed.
import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { afterAll, describe, expect, test } from 'vitest';
import { findRedisServer, startEmbeddedRedis } from '../../src/adapters/queue/embedded-redis.ts';
import { until } from '../../src/adapters/server-process.ts';
import { testDatabase } from '../harness/postgres.ts';
import { waitFor } from '../harness/wait-for.ts';
import { measured, onStage, type Stage, type WorkerProcess } from './crash-stage.ts';

const found = findRedisServer(process.env['PATH'] ?? '');
if (!found) console.warn('skipped what needs Redis: no redis-server or valkey-server (6.2 or later) on the PATH');
const TIME_LIMIT_MS = 120_000;
/** How long a fault lasts. */
const FAULT_MS = 3_000;
/** reliability G10. */
const REBUILT_LIMIT_MS = 30_000;
const folders: string[] = [];
afterAll(() => folders.forEach((folder) => rmSync(folder, { recursive: true, force: true })));

/** A Redis whose process the test may do anything to. */
async function ownRedis() {
  if (!found) throw new Error('no redis-server');
  const home = mkdtempSync(join(tmpdir(), 'crash-redis-'));
  chmodSync(home, 0o711);
  folders.push(home);
  const server = await startEmbeddedRedis({ home, server: found, log: () => {} });
  let again: ChildProcess | null = null;
  const pid = (): number => again?.pid ?? server.pid;
  const ask = async <T>(question: (redis: Redis) => Promise<T>): Promise<T> => {
    const redis = new Redis(server.url, { lazyConnect: true, retryStrategy: () => null, maxRetriesPerRequest: 0 });
    redis.on('error', () => {});
    try {
      await redis.connect();
      return await question(redis);
    } finally {
      redis.disconnect();
    }
  };
  return {
    url: server.url,
    ask,
    signal: (name: NodeJS.Signals) => process.kill(pid(), name),
    /** On the same port, with the same password, from what it had written to disk. */
    async startAgain() {
      again = spawn(found.path, [join(home, 'redis', 'redis.conf')], { stdio: 'ignore' });
      await until('Redis to be back', 10_000, () => ask((redis) => redis.ping()).catch(() => null));
    },
    async stop() {
      again?.kill('SIGKILL');
      if (!again) await server.stop();
    },
  };
}

async function withRedis(
  fault: (stage: Stage & { readonly workers: readonly WorkerProcess[] }, redis: Awaited<ReturnType<typeof ownRedis>>) => Promise<void>,
): Promise<void> {
  const redis = await ownRedis();
  try {
    await onStage({ databaseUrl: await testDatabase(), queue: { kind: 'redis', url: redis.url } }, async (stage) => {
      const workers = await Promise.all([stage.startWorker(), stage.startWorker()]);
      await stage.decidedAgain();
      await fault({ ...stage, workers }, redis);
      await stage.allGreen();
    });
  } finally {
    await redis.stop();
  }
}

async function faultLasts(ms: number): Promise<void> {
  const end = Date.now() + ms;
  await waitFor(() => Date.now() >= end, { what: 'the fault to last', deadlineMs: ms + 5_000 });
}

describe.skipIf(!found).concurrent('Redis', () => {
  test(
    'is killed and comes back: ticks go on by themselves, commands never waited for it, and a worker can stop without it',
    async () => {
      await withRedis(async (stage, redis) => {
        for (let round = 0; round < 2; round++) {
          await stage.midTick();
          redis.signal('SIGKILL');
          const asked = Date.now();
          const agentId = stage.agents[2] as string;
          const outcome = await (round === 0
            ? stage.commands.setAutonomy(stage.context, agentId, 'suggest')
            : stage.commands.setAutonomy(stage.context, agentId, 'research'));
          expect(outcome.ok).toBe(true);
          expect(Date.now() - asked).toBeLessThan(1_000);
          await faultLasts(FAULT_MS);
          await (round === 0 ? stage.workers[0] : undefined)?.stop();
          await redis.startAgain();
          const took = await stage.decidedAgain();
          measured('Redis back after a kill, next decisions', took);
          expect(took).toBeLessThan(REBUILT_LIMIT_MS);
        }
      });
    },
    TIME_LIMIT_MS,
  );

  test(
    'forgets everything in the middle of a tick, again and again: the schedule is rebuilt',
    async () => {
      await withRedis(async (stage, redis) => {
        for (let round = 0; round < 3; round++) {
          await stage.midTick();
          expect(await redis.ask((client) => client.flushall())).toBe('OK');
          const took = await stage.decidedAgain();
          measured('FLUSHALL, next decisions', took);
          expect(took).toBeLessThan(REBUILT_LIMIT_MS);
        }
      });
    },
    TIME_LIMIT_MS,
  );

  test(
    'stops answering for a while without closing a connection: ticks go on once it answers',
    async () => {
      await withRedis(async (stage, redis) => {
        for (const lastsMs of [FAULT_MS, 2 * FAULT_MS]) {
          await stage.midTick();
          redis.signal('SIGSTOP');
          await faultLasts(lastsMs);
          redis.signal('SIGCONT');
          const took = await stage.decidedAgain();
          measured(`Redis answers again after ${lastsMs / 1_000} s of silence, next decisions`, took);
          expect(took).toBeLessThan(REBUILT_LIMIT_MS);
        }
      });
    },
    TIME_LIMIT_MS,
  );
});
