/** Database and queue: configured servers, or private ones that this command starts and stops. */
import { join, resolve } from 'node:path';
import type { Log } from '../../../streams/log.ts';
import { whyNotWritten } from '../named-file.ts';
import type { QueueAddress } from '../queue/bullmq.ts';
import { findRedisServer, type RedisServer, refusalOfRedis, startEmbeddedRedis } from '../queue/embedded-redis.ts';
import { claim, claimant, makeStateFolder, processStartedAt, release, until } from './server-process.ts';
import { type SupervisedServer, type Supervision, superviseServer } from './server-supervisor.ts';
import { examineDatabase } from '../store/database-check.ts';
import { startEmbeddedPostgres } from '../store/embedded-postgres.ts';
import { MINUTE_MS } from '../../domain/values/time.ts';

/** Settings of the servers; refusals mention their names. */
export interface ServerSettings {
  /** State folder, which contains the private servers. */
  readonly SEVENGATE_HOME: string;
  readonly DATABASE_URL: { reveal(): string } | null;
  readonly REDIS_URL: { reveal(): string } | null;
  /** Backend of the queue; null: Redis if available. */
  readonly QUEUE_BACKEND: QueueAddress['kind'] | null;
}

export type Servers = Awaited<ReturnType<typeof startServers>>;

export interface ServerStart {
  /** PATH on which a Redis server is looked for. */
  readonly path: string;
  readonly log: Log & { debug(line: string): void };
  /** Purpose: the service itself, one per state folder, or a command beside it; default a command. */
  readonly purpose?: 'service' | 'command';
  readonly signal?: AbortSignal;
  /** Supervision of servers that a service starts. Commands use none. */
  readonly watch?: Pick<Supervision, 'clock' | 'onRestarted'>;
}

/** Servers that were started so far, and the options. */
interface Starting extends ServerStart {
  readonly settings: ServerSettings;
  readonly home: string;
  readonly serviceFile: string;
  readonly stops: (() => Promise<void>)[];
}

type PrivateServer = SupervisedServer & { readonly url: string; readonly sharedWith: number | null; readonly adopted: boolean };

/** Maximum milliseconds that a command waits for another one's embedded servers. */
const COMMAND_MS = MINUTE_MS;

/**
 * Starts the servers that the settings do not name. A command shares the servers of a running service. If another command owns the servers,
 * it waits for that one's end. @throws Error with one sentence, after stopping what was started; refuses a second service of one state
 * folder; the signal's reason if it was aborted
 */
export async function startServers(settings: ServerSettings, options: ServerStart) {
  const home = resolve(settings.SEVENGATE_HOME);
  makeHome(home);
  const stops: (() => Promise<void>)[] = [];
  /** Stops the servers that were started here, in reverse order. */
  const stop = async (): Promise<void> => {
    for (const end of stops.splice(0).reverse()) await end();
  };
  const starting: Starting = { ...options, settings, home, serviceFile: join(home, 'service.owner'), stops };
  try {
    const redisProgram = findRedisProgram(starting);
    const refusedRedis = settings.REDIS_URL === null ? null : await refusalOfRedis(settings.REDIS_URL.reveal());
    if (refusedRedis !== null) throw new Error(refusedRedis);
    if (options.purpose === 'service' && (settings.DATABASE_URL === null || redisProgram !== null)) claimHome(starting);
    const databaseUrl = await openDatabase(starting);
    options.signal?.throwIfAborted();
    const redisUrl = await openRedis(starting, redisProgram);
    options.signal?.throwIfAborted();
    const queue: QueueAddress = redisUrl === null ? { kind: 'postgres', url: databaseUrl } : { kind: 'redis', url: redisUrl };
    return {
      databaseUrl,
      queue,
      /** Address of Redis; null without it, when quotes stay within this process. */
      redisUrl,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

function makeHome(home: string): void {
  try {
    makeStateFolder(home);
  } catch (error) {
    throw new Error(
      `SEVENGATE_HOME: ${home} cannot be created or written (${(error as NodeJS.ErrnoException).code}): choose another folder`,
    );
  }
}

/** Returns the program of a private Redis; null if not needed or not found. */
function findRedisProgram({ settings, path }: Starting): RedisServer | null {
  const found = settings.REDIS_URL === null && settings.QUEUE_BACKEND !== 'postgres' ? findRedisServer(path) : null;
  if (settings.QUEUE_BACKEND === 'redis' && settings.REDIS_URL === null && found === null)
    throw new Error(
      'QUEUE_BACKEND=redis, but there is no redis-server or valkey-server (6.2 or later) on the PATH: install one (apt-get install redis-server), set REDIS_URL, or use QUEUE_BACKEND=postgres',
    );
  return found;
}

function claimFile(home: string, file: string): number | null {
  try {
    return claim(file);
  } catch (error) {
    throw new Error(`SEVENGATE_HOME: ${home} cannot be written: ${whyNotWritten(error)}`);
  }
}

function claimHome({ home, serviceFile, stops }: Starting): void {
  const owner = claimFile(home, serviceFile);
  if (owner !== null)
    throw new Error(
      `process ${owner} runs the service of the state folder ${home} already: stop it first, or give SEVENGATE_HOME another folder (several processes of one service need DATABASE_URL and REDIS_URL)`,
    );
  stops.push(async () => release(serviceFile));
}

async function openDatabase(starting: Starting): Promise<string> {
  const { settings, home, log } = starting;
  if (settings.DATABASE_URL !== null) {
    const url = settings.DATABASE_URL.reveal();
    const { refusal } = await examineDatabase(url);
    if (refusal !== null) throw new Error(refusal);
    log.info({}, 'database: PostgreSQL at DATABASE_URL');
    return url;
  }
  const server = await embed(starting, 'postgresql', (url) =>
    startEmbeddedPostgres({ home, log: (line) => log.debug(line), ...(url === undefined ? {} : { port: Number(new URL(url).port) }) }),
  );
  log.info({ adopted: server.adopted }, 'database: embedded PostgreSQL');
  return server.url;
}

async function openRedis(starting: Starting, program: RedisServer | null): Promise<string | null> {
  const { settings, home, log } = starting;
  if (settings.REDIS_URL !== null) {
    log.info({}, 'queue: Redis at REDIS_URL');
    return settings.REDIS_URL.reveal();
  }
  if (program === null) {
    log.warn(
      {},
      'queue: no Redis found. The queue is in PostgreSQL and quotes stay within this process; install redis-server or set REDIS_URL to scale out',
    );
    return null;
  }
  const server = await embed(starting, 'redis', (url) =>
    startEmbeddedRedis({ home, server: program, log: (line) => log.debug(line), ...(url === undefined ? {} : { url }) }),
  );
  log.info({ adopted: server.adopted }, 'queue: a private Redis');
  return server.url;
}

/** Starts or shares a private server, registers its stop, and supervises it for a service. */
async function embed<Server extends PrivateServer>(
  { home, serviceFile, stops, log, signal, watch }: Starting,
  name: Supervision['name'],
  start: (url?: string) => Promise<Server>,
): Promise<Server> {
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
}
