/** Roles of the service as separate processes, on one PostgreSQL and one Redis. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { findRedisServer, startEmbeddedRedis } from '../src/adapters/queue/embedded-redis.ts';
import { freePort } from '../src/adapters/process/server-process.ts';
import type { OwnDatabase } from './database.ts';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

export interface RoleProcess {
  readonly pid: number;
  readonly port: number;
  stop(): Promise<void>;
}

export type Service = Awaited<ReturnType<typeof openService>>;

/**
 * Starts roles as processes on the benchmark's own servers. Each writes its errors to a file in the state folder, and with BENCH_PROFILE a
 * processor profile into that folder at its end.
 * @param settings of the service, besides its servers
 */
export async function openService({ home, server, ends }: OwnDatabase, settings: Readonly<Record<string, string>> = {}) {
  const found = findRedisServer(process.env['PATH'] ?? '');
  if (found === null) throw new Error('this benchmark needs a redis-server 6.2 or later on the PATH, and found none');
  const redis = await startEmbeddedRedis({ home, server: found, log: () => {} });
  ends.push(() => redis.stop());
  const program = join(ROOT, 'src', 'boot', 'sevengate.mjs');
  const env = {
    ...process.env,
    DATABASE_URL: server.url,
    REDIS_URL: redis.url,
    SANDBOX_PORT: String(await freePort()),
    SEVENGATE_HOME: home,
    LOG_LEVEL: 'warn',
    NODE_ENV: 'production',
    ...settings,
  };
  const folder = process.env['BENCH_PROFILE'];
  const profiling = folder === undefined ? [] : ['--cpu-prof', '--cpu-prof-dir', folder];
  let started = 0;
  const startProgram = async (name: string, given: readonly string[]): Promise<RoleProcess> => {
    const port = await freePort();
    const child = spawn(process.execPath, [...profiling, ...given], { env: { ...env, PORT: String(port) }, cwd: ROOT });
    const said = createWriteStream(join(home, `${name}-${++started}.log`));
    child.stdout.pipe(said, { end: false });
    child.stderr.pipe(said, { end: false });
    const stop = () => stopped(child);
    ends.push(stop);
    await answering(port, child, name);
    return { pid: child.pid as number, port, stop };
  };
  return {
    start: (...roles: readonly ('sandbox' | 'feed' | 'api' | 'worker')[]): Promise<RoleProcess> =>
      startProgram(roles.join('-'), [program, 'start', ...roles.flatMap((one) => ['--role', one])]),
    /** Starts another program with the service's settings. It must serve /healthz. */
    startProgram,
    token: (permissions: string, subject: string, organization: string): string =>
      execFileSync(process.execPath, [program, 'token', '--permissions', permissions, '--subject', subject, '--org', organization], {
        env,
        cwd: ROOT,
        encoding: 'utf8',
      })
        .trim()
        .split('\n')
        .at(-1) as string,
  };
}

async function stopped(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await ended;
}

async function answering(port: number, child: ChildProcess, role: string): Promise<void> {
  while (child.exitCode === null) {
    const answer = await fetch(`http://127.0.0.1:${port}/healthz`).catch(() => null);
    if (answer?.ok === true) return;
    await pause(200);
  }
  throw new Error(`the ${role} ended with code ${child.exitCode} before it answered`);
}
