/** Starts, adopts and stops a private Redis (or Valkey) from the PATH, and refuses an external one that could lose jobs. */
import { execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { accessSync, closeSync, constants, mkdirSync, openSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import type { Redis } from 'ioredis';
import { claim, commandLine, freePort, type Log, processStartedAt, readIfThere, release, until } from '../process/server-process.ts';
import { isCluster, nodeUrl } from './redis-url.ts';

export interface RedisServer {
  readonly path: string;
  /** Version, such as `7.0`. */
  readonly version: string;
}

export type EmbeddedRedis = Awaited<ReturnType<typeof startEmbeddedRedis>>;

const OLDEST = [6, 2] as const;
const START_MS = 30_000;
const STOP_MS = 30_000;
const ANSWER_MS = 5_000;

/** Returns the first working `redis-server` or `valkey-server` of at least 6.2 on the PATH, or null. */
export function findRedisServer(path: string): RedisServer | null {
  for (const name of ['redis-server', 'valkey-server']) {
    for (const folder of path.split(delimiter).filter(Boolean)) {
      const program = join(folder, name);
      try {
        accessSync(program, constants.X_OK);
        const said = execFileSync(program, ['--version'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'], timeout: ANSWER_MS });
        const version = /v=(\d+)\.(\d+)/.exec(said);
        if (version && isRecent(Number(version[1]), Number(version[2]))) return { path: program, version: `${version[1]}.${version[2]}` };
      } catch {
        // Missing, not executable, or built for another system: try the next one.
      }
    }
  }
  return null;
}

function isRecent(major: number, minor: number): boolean {
  return major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1]);
}

/**
 * Starts the private Redis of a state folder (`<home>/redis`), which appends every write to disk and never evicts. Adopts a server whose
 * starter was killed. @throws Error with one sentence and the server's last output if it does not start
 */
export async function startEmbeddedRedis(options: {
  readonly home: string;
  readonly server: RedisServer;
  readonly log: Log;
  /** Address of an earlier start that other processes still use; default a free port and a new password. */
  readonly url?: string;
}) {
  const home = resolve(options.home);
  mkdirSync(home, { recursive: true, mode: 0o711 });
  mkdirSync(join(home, 'redis'), { recursive: true, mode: 0o700 });
  const folder = realpathSync(join(home, 'redis'));
  const ownerFile = join(home, 'redis.owner');
  const owner = claim(ownerFile);
  try {
    if (owner !== null) {
      const running = await until(`the Redis that process ${owner} is starting`, START_MS, () => runningServer(folder));
      return { ...running, adopted: true, sharedWith: owner, stop: async () => {} };
    }
    const left = await runningServer(folder);
    if (left) options.log(`adopted the running Redis (process ${left.pid})`);
    const { pid, url } = left ?? (await start(folder, home, options.server, options.url === undefined ? null : new URL(options.url)));
    /** Saves its data, stops it and waits for the end. Does nothing if another live process owns the server. */
    const stop = async () => {
      await stopServer(pid, folder, options.log);
      release(ownerFile);
    };
    return {
      /** Id of the server's process. */
      pid,
      /** Address with the password: a secret. */
      url,
      /** True if the server was already running, because the process that started it was killed or shares it. */
      adopted: left !== null,
      /** Id of the live process that started this server and will stop it; null if it is this process. */
      sharedWith: null,
      stop,
    };
  } catch (error) {
    release(ownerFile);
    throw error;
  }
}

async function start(folder: string, home: string, server: RedisServer, wanted: URL | null): Promise<{ pid: number; url: string }> {
  const password = wanted?.password ?? randomBytes(24).toString('hex');
  const logFile = join(home, 'redis.log');
  for (let attempt = 1; ; attempt++) {
    const port = wanted === null ? await freePort() : Number(wanted.port);
    const pidFile = join(folder, 'redis.pid');
    const settings = {
      bind: '127.0.0.1',
      port,
      requirepass: password,
      dir: JSON.stringify(folder),
      appendonly: 'yes',
      appendfsync: 'everysec',
      save: '""',
      'maxmemory-policy': 'noeviction',
      daemonize: 'no',
    };
    rmSync(pidFile, { force: true });
    // In a file: every user of the machine can read the arguments of a process.
    writeFileSync(
      confFile(folder),
      Object.entries(settings)
        .map(([name, value]) => `${name} ${value}\n`)
        .join(''),
      { mode: 0o600 },
    );
    const logStart = readIfThere(logFile)?.length ?? 0;
    const log = openSync(logFile, 'a', 0o600);
    // Detached, because Ctrl-C reaches the whole foreground group and the queue must outlive its writers.
    const child = spawn(server.path, [confFile(folder)], {
      cwd: folder,
      detached: true,
      stdio: ['ignore', log, log],
      env: { PATH: process.env['PATH'] ?? '' },
    });
    closeSync(log);
    let ended: string | null = null;
    child.on('error', (error) => (ended = error.message));
    child.on('exit', (code, signal) => (ended ??= `it ended with ${signal ?? `code ${code}`}`));
    child.unref();
    if (child.pid !== undefined) writeFileSync(pidFile, `${child.pid} ${processStartedAt(child.pid)} ${port}\n`);
    const up = await until(`Redis in ${folder}`, START_MS, async () => (ended ? ('ended' as const) : await runningServer(folder)));
    if (up !== 'ended') return up;
    const said = (readIfThere(logFile) ?? '').slice(logStart).trim();
    if (attempt === 3 || !/Address already in use|Could not create server TCP/.test(said)) {
      throw new Error(`Redis (${server.path}) did not start: ${ended}; ${said.split('\n').slice(-3).join(' | ')} (${logFile})`);
    }
  }
}

function confFile(folder: string): string {
  return join(folder, 'redis.conf');
}

/** Returns the running server of a folder, identified by process, start time and password; null if there is none. */
async function runningServer(folder: string): Promise<{ pid: number; url: string } | null> {
  // The start time may contain spaces.
  const [, pid, startedAt, port] = /^(\d+) (.+) (\d+)$/m.exec(readIfThere(join(folder, 'redis.pid')) ?? '') ?? [];
  const password = /^requirepass (\S+)$/m.exec(readIfThere(confFile(folder)) ?? '')?.[1];
  if (!pid || !port || !password || processStartedAt(Number(pid)) !== startedAt) return null;
  const url = `redis://:${password}@127.0.0.1:${port}`;
  return (await ask(url, (redis) => redis.ping()).catch(() => null)) === 'PONG' ? { pid: Number(pid), url } : null;
}

async function stopServer(pid: number, folder: string, log: Log): Promise<void> {
  const startedAt = processStartedAt(pid);
  const gone = () => processStartedAt(pid) !== startedAt;
  if (startedAt !== null && commandLine(pid)) {
    process.kill(pid, 'SIGTERM');
    try {
      await until('Redis to stop', STOP_MS, gone);
    } catch {
      log('Redis does not stop in good order: ending it at once; its log on disk is complete to the last second');
      process.kill(pid, 'SIGKILL');
      await until('Redis to end', STOP_MS, gone);
    }
  }
  rmSync(join(folder, 'redis.pid'), { force: true });
}

/** Checks that an external Redis is suitable for a queue. Returns null, or a sentence with the problem. */
export async function refusalOfRedis(url: string): Promise<string | null> {
  let info: string;
  try {
    info = await ask(nodeUrl(url), (redis) => redis.info());
  } catch (error) {
    return `REDIS_URL: no Redis answers there (${(error as Error).message})`;
  }
  const [, major = '0', minor = '0'] = /^redis_version:(\d+)\.(\d+)/m.exec(info) ?? [];
  if (!isRecent(Number(major), Number(minor)))
    return `REDIS_URL: this Redis is ${major}.${minor}, and ${OLDEST.join('.')} or later is needed`;
  const isNode = /^redis_mode:cluster/m.test(info);
  if (isNode !== isCluster(url))
    return isNode
      ? 'REDIS_URL: this Redis is a node of a cluster: name the cluster as redis+cluster://host:port'
      : 'REDIS_URL: this Redis is no node of a cluster: name it as redis://host:port';
  const policy = /^maxmemory_policy:(\S+)/m.exec(info)?.[1];
  if (policy !== 'noeviction') {
    return `REDIS_URL: this Redis has maxmemory-policy ${policy ?? 'unknown'} and would drop queued work under memory pressure; set it to noeviction`;
  }
  return null;
}

async function ask<T>(url: string, question: (redis: Redis) => Promise<T>): Promise<T> {
  // Loaded only if needed: an installation with its queue in PostgreSQL has no Redis.
  const { Redis } = await import('ioredis');
  const redis = new Redis(url, { lazyConnect: true, retryStrategy: () => null, maxRetriesPerRequest: 0, connectTimeout: ANSWER_MS });
  let failure: Error | null = null;
  redis.on('error', (error: Error) => (failure ??= error));
  try {
    await redis.connect();
    return await question(redis);
  } catch (error) {
    throw failure ?? error;
  } finally {
    // On a connection that never opened, `disconnect` would leave a timer that keeps the process alive.
    if (redis.status !== 'end') redis.disconnect();
  }
}
