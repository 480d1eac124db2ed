// Roles as separate processes, on a Redis Cluster of three and a PostgreSQL with a read replica: agents trade, the cluster holds the
// queue, quotes cross it, and the replica has the whole trail.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { findRedisServer } from '../../src/adapters/queue/embedded-redis.ts';
import { freePort } from '../../src/adapters/process/server-process.ts';
import { openDatabase } from '../../src/adapters/store/database.ts';
import { examineDatabase } from '../../src/adapters/store/database-check.ts';
import { startEmbeddedPostgres } from '../../src/adapters/store/embedded-postgres.ts';
import { PATIENCE, waitFor } from '../harness/wait-for.ts';
import { launch, newHome, type Running, sevengate, withClient } from './running-service.ts';
import { tradingAgents } from './trading-agents.ts';

const found = findRedisServer(process.env['PATH'] ?? '');
const canCluster = found !== null && Number(found.version.split('.')[0]) >= 7 && spawnSync('redis-cli', ['--version']).status === 0;
if (!canCluster) console.warn('skipped what needs a Redis Cluster: no redis-server and redis-cli (7 or later) on the PATH');
const hasPooler = spawnSync('pgbouncer', ['--version']).status === 0;
if (!hasPooler) console.warn('skipped what needs a pooler: no pgbouncer on the PATH');
const REPLICATED = { wal_level: 'replica', max_wal_senders: '4' };
const ends: (() => unknown)[] = [];
afterAll(async () => {
  for (const end of ends.reverse()) await end();
});

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'many-servers-'));
  chmodSync(folder, 0o711);
  ends.push(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Starts three masters that divide the hash slots. Returns their ports. */
async function redisCluster(): Promise<readonly number[]> {
  const folder = newFolder();
  const ports = [await freePort(), await freePort(), await freePort()];
  for (const port of ports) {
    const dir = join(folder, String(port));
    mkdirSync(dir);
    // By default the cluster port is ten thousand higher.
    const options = { port, 'cluster-port': await freePort(), 'cluster-enabled': 'yes', save: '', bind: '127.0.0.1', dir };
    const server = spawn(
      found?.path ?? '',
      Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)]),
    );
    ends.push(() => void server.kill());
  }
  const ask = (port: number, ...words: string[]): string => execFileSync('redis-cli', ['-p', String(port), ...words], { encoding: 'utf8' });
  await waitFor(() => ports.every((port) => spawnSync('redis-cli', ['-p', String(port), 'ping']).stdout.toString() === 'PONG\n'), {
    what: 'three servers',
  });
  execFileSync('redis-cli', ['--cluster', 'create', ...ports.map((port) => `127.0.0.1:${port}`), '--cluster-yes']);
  await waitFor(() => ports.every((port) => ask(port, 'cluster', 'info').includes('cluster_state:ok')), { what: 'the cluster' });
  return ports;
}

/** Starts a database and a replica. Returns their addresses. */
async function replicated(): Promise<{ readonly primary: string; readonly replica: string }> {
  const [first, second] = [newFolder(), newFolder()];
  const made = await startEmbeddedPostgres({ home: first, log: () => {}, settings: REPLICATED });
  await made.stop();
  execFileSync('cp', ['-a', join(first, 'postgres'), join(first, 'postgres.password'), second]);
  writeFileSync(join(second, 'postgres', 'standby.signal'), '');
  const primary = await startEmbeddedPostgres({ home: first, log: () => {}, settings: REPLICATED });
  ends.push(() => primary.stop());
  const { hostname, port, username, password } = new URL(primary.url);
  const settings = { ...REPLICATED, primary_conninfo: `host=${hostname} port=${port} user=${username} password=${password}` };
  const replica = await startEmbeddedPostgres({ home: second, log: () => {}, settings });
  ends.push(() => replica.stop());
  return { primary: primary.url, replica: replica.url };
}

test.skipIf(!canCluster)(
  'agents trade over a Redis Cluster, and a read replica has their whole trail',
  { timeout: 600_000 * PATIENCE },
  async () => {
    const [ports, { primary, replica }] = [await redisCluster(), await replicated()];
    const home = newHome();
    ends.push(() => rmSync(home, { recursive: true, force: true }));
    const env = {
      DATABASE_URL: primary,
      REDIS_URL: `redis+cluster://127.0.0.1:${ports[0]}?also=127.0.0.1:${ports[1]}`,
      SANDBOX_PORT: String(await freePort()),
    };
    const starting = (...roles: string[]): Running => {
      const running = launch({ args: roles.flatMap((role) => ['--role', role]), env, home });
      ends.push(() => running.discard());
      return running;
    };
    await starting('sandbox', 'feed').said(/^ready/m, 120_000);
    const api = starting('api');
    const [, url] = await api.said(/^ready (http:\S+)$/m, 120_000);
    await starting('worker').said(/^ready/m, 120_000);
    const service = withClient(api, url as string);
    const agents = await tradingAgents(service, 'clustered', 3);
    const sql = openDatabase({ url: primary, connections: 1, role: null, name: 'sevengate tests' });
    ends.push(() => sql.end());
    const traded = async (): Promise<boolean> => {
      const [row] = await sql`select count(distinct book_id)::int as books from fills where book_id like 'agent:%'`;
      return (row?.['books'] as number) >= agents.length;
    };
    await waitFor(traded, { what: 'a fill of each agent', deadlineMs: 240_000 });

    const keys = ports.map((port) => execFileSync('redis-cli', ['-p', String(port), 'keys', '*'], { encoding: 'utf8' }));
    expect(keys.filter((some) => some.includes('{sevengate}:'))).toHaveLength(1);
    expect(keys.filter((some) => some.includes('sevengate:budget:')).length).toBeGreaterThan(1);

    const standby = openDatabase({ url: replica, connections: 1, role: null, name: 'sevengate tests' });
    ends.push(() => standby.end());
    const [at] = await sql`select pg_current_wal_lsn()::text as lsn`;
    const caughtUp = async () => (await standby`select pg_last_wal_replay_lsn() >= ${at?.['lsn']}::pg_lsn as yes`)[0]?.['yes'] === true;
    await waitFor(caughtUp, { what: 'the replica to follow', deadlineMs: 60_000 });
    const [copied] =
      await standby`select pg_is_in_recovery() as follows, (select count(distinct book_id)::int from fills where book_id like 'agent:%') as books`;
    expect(copied).toMatchObject({ follows: true, books: agents.length });
    const verified = await sevengate(['verify-trail', '--json', '--database', replica], { SEVENGATE_HOME: home, DATABASE_URL: primary });
    expect([verified.code, JSON.parse(verified.stdout)], verified.stderr).toMatchObject([0, { whole: true }]);
  },
);

/** Starts a PgBouncer in transaction pooling mode. Returns its address. */
async function pooler(url: string, ignored: string): Promise<string> {
  const [folder, port, { hostname, port: serverPort, username, password }] = [newFolder(), await freePort(), new URL(url)];
  const settings = {
    listen_addr: '127.0.0.1',
    listen_port: port,
    unix_socket_dir: '',
    auth_type: 'scram-sha-256',
    auth_file: join(folder, 'users'),
    pool_mode: 'transaction',
    ignore_startup_parameters: ignored,
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}`);
  writeFileSync(join(folder, 'users'), `"${username}" "${password}"\n`);
  writeFileSync(join(folder, 'ini'), `[databases]\n* = host=${hostname} port=${serverPort}\n[pgbouncer]\n${lines.join('\n')}\n`);
  const server = spawn('pgbouncer', [...(process.getuid?.() === 0 ? ['-u', 'nobody'] : []), join(folder, 'ini')], { stdio: 'ignore' });
  ends.push(() => void server.kill());
  const pooled = new URL(url);
  pooled.port = String(port);
  return pooled.href;
}

test.skipIf(!hasPooler)(
  'a session-sharing pooler is refused in a sentence, whatever it ignores',
  { timeout: 120_000 * PATIENCE },
  async () => {
    const server = await startEmbeddedPostgres({ home: newFolder(), log: () => {} });
    ends.push(() => server.stop());
    for (const ignored of ['', 'default_transaction_read_only,statement_timeout,role,sevengate.proof']) {
      const url = await pooler(server.url, ignored);
      const refusal = async (): Promise<string | null> => (await examineDatabase(url)).refusal;
      await waitFor(async () => !((await refusal()) ?? '').includes('no PostgreSQL answers'), { what: 'the pooler' });
      expect(await refusal()).toMatch(
        /^DATABASE_URL: 127\.0\.0\.1:\d+ is a pooler whose sessions are not ours: .+, so name PostgreSQL itself$/,
      );
    }
    expect((await examineDatabase(server.url)).refusal).toBeNull();
  },
);
