/** The database and the queue: the servers that the environment names, or private ones that this command starts and stops. */
import { mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { findRedisServer, refusalOfRedis, startEmbeddedRedis } from '../adapters/queue/embedded-redis.ts';
import type { QueuePlace } from '../adapters/queue/tick-queue.ts';
import { startEmbeddedPostgres } from '../adapters/store/embedded-postgres.ts';
import type { Config } from './config.ts';
import type { Logger } from './log.ts';

export interface Servers {
  readonly databaseUrl: string;
  readonly queue: QueuePlace;
  /** Null where there is no Redis: then quotes pass within this process only. */
  readonly redisUrl: string | null;
  /** Stops what was started here, in the opposite order. */
  stop(): Promise<void>;
}

/** Starts what the configuration does not name. @throws Error in one sentence. */
export async function startServers(config: Config, path: string, log: Logger): Promise<Servers> {
  const home = resolve(config.SEVENGATE_HOME);
  mkdirSync(home, { recursive: true, mode: 0o711 });
  const stops: (() => Promise<void>)[] = [];
  const stop = async (): Promise<void> => {
    for (const end of stops.reverse()) await end();
  };
  try {
    let databaseUrl: string;
    if (config.DATABASE_URL) {
      databaseUrl = config.DATABASE_URL.reveal();
      log.info('database: the one that DATABASE_URL names');
    } else {
      const server = await startEmbeddedPostgres({ home, log: (line) => log.debug(line) });
      stops.push(() => server.stop());
      databaseUrl = server.url;
      log.info({ adopted: server.adopted }, 'database: embedded PostgreSQL');
    }
    const redisUrl = await redis(config, home, path, log, stops);
    const queue: QueuePlace = redisUrl === null ? { kind: 'postgres', url: databaseUrl } : { kind: 'redis', url: redisUrl };
    return { databaseUrl, queue, redisUrl, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function redis(config: Config, home: string, path: string, log: Logger, stops: (() => Promise<void>)[]): Promise<string | null> {
  if (config.REDIS_URL) {
    const url = config.REDIS_URL.reveal();
    const refusal = await refusalOfRedis(url);
    if (refusal !== null) throw new Error(refusal);
    log.info('queue: the Redis that REDIS_URL names');
    return url;
  }
  if (config.QUEUE_BACKEND !== 'postgres') {
    const found = findRedisServer(path);
    if (found) {
      const server = await startEmbeddedRedis({ home, server: found, log: (line) => log.debug(line) });
      stops.push(() => server.stop());
      log.info({ adopted: server.adopted }, 'queue: a private Redis');
      return server.url;
    }
    if (config.QUEUE_BACKEND === 'redis') {
      throw new Error(
        'QUEUE_BACKEND=redis, but there is no redis-server or valkey-server (6.2 or later) on the PATH: install one (apt-get install redis-server), set REDIS_URL, or use QUEUE_BACKEND=postgres',
      );
    }
  }
  log.warn(
    'queue: no Redis here, so the queue lies in PostgreSQL and quotes stay within this process; install redis-server or set REDIS_URL to scale out',
  );
  return null;
}
