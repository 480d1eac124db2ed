/** The database and the queue: the servers that the environment names, or private ones that this command starts and stops. */
import { accessSync, constants, mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { QueuePlace } from '../adapters/queue/bullmq.ts';
import {
  type EmbeddedRedis,
  findRedisServer,
  type RedisServer,
  refusalOfRedis,
  startEmbeddedRedis,
} from '../adapters/queue/embedded-redis.ts';
import { claim, claimant, processStartedAt, release, until } from '../adapters/server-process.ts';
import { type SupervisedServer, type Supervision, superviseServer } from '../adapters/server-supervisor.ts';
import { examineDatabase } from '../adapters/store/database-check.ts';
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

/** Who asks for servers: the service itself, one per state folder, or a command that runs beside it or alone. */
export type Purpose = 'service' | 'command';

/** How long a command that runs on the embedded servers may keep others waiting. */
const COMMAND_MS = 60_000;

/** What a service needs to watch over the servers that it starts. A command watches over none. */
export type ServerWatch = Pick<Supervision, 'clock' | 'onRestarted'>;

/**
 * Starts what the configuration does not name. A command beside a running service shares its servers; whoever finds the
 * servers in the hands of another command waits until that one has ended, because they end with it.
 * @throws Error in one sentence; what was started before is stopped. A service is refused where another one lives in the
 * same state folder. The signal's reason, where it was aborted.
 */
export async function startServers(
  config: Config,
  path: string,
  log: Logger,
  { purpose = 'command', signal, watch }: { readonly purpose?: Purpose; readonly signal?: AbortSignal; readonly watch?: ServerWatch } = {},
): Promise<Servers> {
  const home = resolve(config.SEVENGATE_HOME);
  makeHome(home);
  const serviceFile = join(home, 'service.owner');
  const stops: (() => Promise<void>)[] = [];
  const stop = async (): Promise<void> => {
    for (const end of stops.splice(0).reverse()) await end();
  };
  const embed = async <Server extends SupervisedServer & { readonly url: string; readonly sharedWith: number | null }>(
    name: Supervision['name'],
    start: (url?: string) => Promise<Server>,
  ): Promise<Server> => {
    for (;;) {
      const server = await start();
      const { sharedWith } = server;
      if (sharedWith === null) {
        const kept = watch === undefined ? server : superviseServer({ name, server, restart: () => start(server.url), log, ...watch });
        stops.push(() => kept.stop());
      }
      if (sharedWith === null || sharedWith === claimant(serviceFile)) return server;
      log.info({ process: sharedWith }, 'waiting for a command that runs on the embedded servers');
      await until(`process ${sharedWith}, which runs a command on the servers of ${home}, to end`, COMMAND_MS, () => {
        signal?.throwIfAborted();
        return processStartedAt(sharedWith) === null;
      });
    }
  };
  try {
    const redisProgram = config.REDIS_URL === null && config.QUEUE_BACKEND !== 'postgres' ? findRedisServer(path) : null;
    if (config.QUEUE_BACKEND === 'redis' && config.REDIS_URL === null && redisProgram === null)
      throw new Error(
        'QUEUE_BACKEND=redis, but there is no redis-server or valkey-server (6.2 or later) on the PATH: install one (apt-get install redis-server), set REDIS_URL, or use QUEUE_BACKEND=postgres',
      );
    const refusedRedis = config.REDIS_URL === null ? null : await refusalOfRedis(config.REDIS_URL.reveal());
    if (refusedRedis !== null) throw new Error(refusedRedis);
    if (purpose === 'service' && (config.DATABASE_URL === null || redisProgram !== null)) {
      const owner = claim(serviceFile);
      if (owner !== null)
        throw new Error(
          `process ${owner} runs the service of the state folder ${home} already: stop it first, or give SEVENGATE_HOME another folder (several processes of one service need DATABASE_URL and REDIS_URL)`,
        );
      stops.push(async () => release(serviceFile));
    }
    let databaseUrl: string;
    if (config.DATABASE_URL) {
      databaseUrl = config.DATABASE_URL.reveal();
      const { refusal } = await examineDatabase(databaseUrl);
      if (refusal !== null) throw new Error(refusal);
      log.info('database: the one that DATABASE_URL names');
    } else {
      const server = await embed('postgresql', (url) =>
        startEmbeddedPostgres({ home, log: (line) => log.debug(line), ...(url === undefined ? {} : { port: Number(new URL(url).port) }) }),
      );
      databaseUrl = server.url;
      log.info({ adopted: server.adopted }, 'database: embedded PostgreSQL');
    }
    signal?.throwIfAborted();
    const redisUrl = await redis(config, log, redisProgram, (server) =>
      embed('redis', (url) => startEmbeddedRedis({ home, server, log: (line) => log.debug(line), ...(url === undefined ? {} : { url }) })),
    );
    signal?.throwIfAborted();
    const queue: QueuePlace = redisUrl === null ? { kind: 'postgres', url: databaseUrl } : { kind: 'redis', url: redisUrl };
    return { databaseUrl, queue, redisUrl, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function makeHome(home: string): void {
  try {
    mkdirSync(home, { recursive: true, mode: 0o711 });
    accessSync(home, constants.W_OK);
  } catch (error) {
    throw new Error(`SEVENGATE_HOME: ${home} cannot be made or written (${(error as NodeJS.ErrnoException).code}): name a folder that can`);
  }
}

async function redis(
  config: Config,
  log: Logger,
  found: RedisServer | null,
  embed: (server: RedisServer) => Promise<EmbeddedRedis>,
): Promise<string | null> {
  if (config.REDIS_URL) {
    log.info('queue: the Redis that REDIS_URL names');
    return config.REDIS_URL.reveal();
  }
  if (found) {
    const server = await embed(found);
    log.info({ adopted: server.adopted }, 'queue: a private Redis');
    return server.url;
  }
  log.warn(
    'queue: no Redis here, so the queue lies in PostgreSQL and quotes stay within this process; install redis-server or set REDIS_URL to scale out',
  );
  return null;
}
