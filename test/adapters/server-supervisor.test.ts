// Servers started by a service restart by themselves after being killed, at the same address.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Redis } from 'ioredis';
import { pino } from 'pino';
import postgres from 'postgres';
import { expect, onTestFinished, test } from 'vitest';
import { findRedisServer } from '../../src/adapters/queue/embedded-redis.ts';
import { commandLine } from '../../src/adapters/process/server-process.ts';
import { superviseServer } from '../../src/adapters/process/server-supervisor.ts';
import { startServers } from '../../src/adapters/process/servers.ts';
import { isConfig, readConfig } from '../../src/boot/config.ts';
import { createLiveClock } from '../../streams/clock/live-clock.ts';
import { createVirtualClock } from '../../streams/clock/virtual-clock.ts';
import { measured } from '../harness/measured.ts';
import { waitFor } from '../harness/wait-for.ts';

const PATH = process.env['PATH'] ?? '';
const LONGEST_OUTAGE_MS = 5_000;

async function watchedServers(backend: 'redis' | 'postgres') {
  const home = mkdtempSync(join(tmpdir(), 'sevengate-supervised-'));
  const restarted: { name: string; downMs: number }[] = [];
  const config = readConfig({ SEVENGATE_HOME: home, QUEUE_BACKEND: backend });
  if (!isConfig(config)) throw new Error('the settings of this test are refused');
  const servers = await startServers(config, {
    path: PATH,
    log: pino({ level: 'silent' }),
    purpose: 'service',
    watch: { clock: createLiveClock(), onRestarted: (name, downMs) => restarted.push({ name, downMs }) },
  });
  onTestFinished(async () => {
    await servers.stop();
    rmSync(home, { recursive: true, force: true });
  });
  return { servers, restarted };
}

/** Returns the server's first process, from its own file. */
async function pidOf(url: string): Promise<number> {
  const sql = postgres(url, { max: 1 });
  const [row] = await sql<{ pid: string }[]>`select split_part(pg_read_file('postmaster.pid'), E'\n', 1) as pid`;
  await sql.end();
  return Number(row?.pid);
}

test('a killed PostgreSQL is back within five seconds with every committed row, twice in a row', async () => {
  const { servers, restarted } = await watchedServers('postgres');
  const sql = postgres(servers.databaseUrl, { max: 1, onnotice: () => {} });
  await sql`create table kept (n int)`;
  for (const n of [1, 2]) {
    await sql`insert into kept values (${n})`;
    process.kill(await pidOf(servers.databaseUrl), 'SIGKILL');
    await waitFor(() => restarted.length === n, { what: 'the database to be started again' });
    const rows = await waitFor(async () => sql<{ n: number }[]>`select n from kept order by n`.catch(() => null), {
      what: 'the database to answer',
    });
    expect(rows.map((row) => row.n)).toEqual([1, 2].slice(0, n));
  }
  // Syncs the file system at once: file by file takes longer than the rest of a recovery.
  if (process.platform === 'linux') expect(await sql`show recovery_init_sync_method`).toEqual([{ recovery_init_sync_method: 'syncfs' }]);
  await sql.end();
  expect(restarted.map(({ name }) => name)).toEqual(['postgresql', 'postgresql']);
  for (const { downMs } of restarted) measured('a killed PostgreSQL was away', downMs, LONGEST_OUTAGE_MS);
});

test.runIf(findRedisServer(PATH) !== null)('a killed Redis is back at the same address, and clients connect again', async () => {
  const { servers, restarted } = await watchedServers('redis');
  const redis = new Redis(servers.redisUrl as string, { maxRetriesPerRequest: null });
  redis.on('error', () => {});
  const pid = Number(/process_id:(\d+)/.exec(await redis.info('server'))?.[1]);
  expect(commandLine(pid)).toContain('redis');
  process.kill(pid, 'SIGKILL');
  await waitFor(() => restarted.length === 1, { what: 'Redis to be started again' });
  expect(await redis.ping()).toBe('PONG');
  redis.disconnect();
  expect(restarted[0]?.name).toBe('redis');
  measured('a killed Redis was away', restarted[0]?.downMs ?? Number.POSITIVE_INFINITY, LONGEST_OUTAGE_MS);
});

test('a server that cannot start is retried with growing waits of at most five seconds', async () => {
  const clock = createVirtualClock(1_770_000_000_000);
  const began = clock.now();
  const tried: number[] = [];
  const watch = superviseServer({
    name: 'redis',
    // No process has this id.
    server: { pid: 0, stop: async () => {} },
    restart: async () => {
      tried.push(clock.now() - began);
      throw new Error('there is no room for it');
    },
    clock,
    log: pino({ level: 'silent' }),
    onRestarted: () => expect.fail('it was never started'),
  });
  await clock.settleTo(began + 20_000);
  await watch.stop();
  const waits = tried.map((at, index) => at - (tried[index - 1] ?? tried[0] ?? 0));
  expect(waits).toEqual([0, 100, 200, 400, 800, 1_600, 3_200, 5_000, 5_000]);
});

test('a server that is told to stop is not restarted', async () => {
  const { servers, restarted } = await watchedServers('postgres');
  const pid = await pidOf(servers.databaseUrl);
  await servers.stop();
  expect(commandLine(pid)).toBeNull();
  expect(restarted).toEqual([]);
});

test.runIf(process.platform === 'linux')('a process without free file descriptors does not take a living server for dead', () => {
  const program = fileURLToPath(new URL('./supervising-process.mjs', import.meta.url));
  const printed = execFileSync('sh', ['-c', 'ulimit -n 100; exec "$0" "$1"', process.execPath, program], { encoding: 'utf8' });
  expect(printed).toBe('EMFILE EMFILE 0\n');
});
