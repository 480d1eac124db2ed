/** Starts real servers in Vitest's own process when the first test asks for one, and stops them all at the end. */
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { findRedisServer, startEmbeddedRedis } from '../../src/adapters/queue/embedded-redis.ts';
import { commandLine, processStartedAt } from '../../src/adapters/process/server-process.ts';
import { openDatabase } from '../../src/adapters/store/database.ts';
import { startEmbeddedPostgres } from '../../src/adapters/store/embedded-postgres.ts';
import { copyCluster, prepareCluster } from './prepared-cluster.ts';
import { serviceOfTheRun } from './service-of-the-run.ts';
import { newRunFolder, RUN_PREFIX } from './temporary-files.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Address at which tests request servers: see postgres.ts and redis.ts. */
    servers: string;
  }
}

/** `reusable`: migrated, and its owner may empty it. */
export type DatabaseKind = 'migrated' | 'empty' | 'reusable';

/** Settings of a cluster that need not survive the run, and whose tables are never worth vacuuming. */
const CLUSTER = {
  fsync: 'off',
  full_page_writes: 'off',
  synchronous_commit: 'off',
  wal_level: 'minimal',
  max_wal_size: '1GB',
  max_wal_senders: '0',
  autovacuum: 'off',
  max_connections: '300',
};

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  sweep((pid) => processStartedAt(pid) === null);
  const home = newRunFolder();
  chmodSync(home, 0o711);
  const stops: (() => Promise<void>)[] = [];

  let cluster: ReturnType<typeof startCluster> | undefined;
  /** Drops a database, or leaves it until the end of the run if it is in use. */
  let drop: (database: string) => Promise<void> = async () => {};
  async function startCluster() {
    const folder = await copyCluster(await preparedCluster(), folderFor('cluster'));
    const server = await startEmbeddedPostgres({ home: folder, log: () => {}, settings: CLUSTER });
    stops.push(() => server.stop());
    const at = (database: string) => server.url.replace(/[^/]+$/, database);
    const prepared = new URL(server.url).pathname.slice(1);
    // Connects to another database: one with a session on it cannot be copied.
    const sql = openDatabase({ url: at('postgres'), connections: 1, role: null, name: 'sevengate tests' });
    stops.unshift(() => sql.end({ timeout: 5 }));
    let made = 0;
    // Separate from the connection that creates: dropping a database in use waits five seconds.
    const cleaner = openDatabase({ url: at('postgres'), connections: 1, role: null, name: 'sevengate tests that ended' });
    stops.unshift(() => cleaner.end({ timeout: 0 }));
    drop = async (database) => void (await cleaner`drop database if exists ${cleaner(database)}`.catch(() => {}));
    const create = async (template: string) => {
      const name = `test_${++made}`;
      // Copies files: copying page by page through the log takes five times as much processor time.
      await sql`create database ${sql(name)} template ${sql(template)} strategy file_copy`;
      return at(name);
    };
    let migrated: Promise<unknown> | undefined;
    let reusable: Promise<unknown> | undefined;
    return async (kind: DatabaseKind) => {
      if (kind === 'empty') return create('template1');
      migrated ??= sql`create database migrated template ${sql(prepared)} strategy file_copy`.then(() => liveAtAnyTime(at('migrated')));
      await migrated;
      if (kind === 'migrated') return create('migrated');
      reusable ??= sql`create database reusable template migrated strategy file_copy`.then(() => emptiedByItsOwner(at('reusable')));
      await reusable;
      return create('reusable');
    };
  }
  const folderFor = (purpose: string): string => {
    const folder = mkdtempSync(join(home, `${purpose}-`));
    chmodSync(folder, 0o711);
    return folder;
  };
  let prepared: Promise<string> | undefined;
  const preparedCluster = () => (prepared ??= prepareCluster(folderFor('prepared')));
  const service = serviceOfTheRun(async () => copyCluster(await preparedCluster(), folderFor('service')));
  stops.unshift(service.stop);
  let copying: Promise<unknown> = Promise.resolve();
  const answers: Record<string, () => Promise<unknown>> = {
    '/database/migrated': () => database('migrated'),
    '/database/empty': () => database('empty'),
    '/database/reusable': () => database('reusable'),
    '/cluster': preparedCluster,
    '/service/join': service.join,
    '/service/leave': async () => service.leave(),
    '/redis': async () => {
      const found = findRedisServer(process.env['PATH'] ?? '');
      if (!found) return null;
      const server = await startEmbeddedRedis({ home: mkdtempSync(join(home, 'redis-')), server: found, log: () => {} });
      stops.push(() => server.stop());
      return server.url;
    },
  };
  function database(kind: DatabaseKind): Promise<string> {
    cluster ??= startCluster();
    // Copies one at a time: a template with a session on it cannot be copied.
    const copied = copying.then(async () => (await (cluster as ReturnType<typeof startCluster>))(kind));
    copying = copied.catch(() => {});
    return copied;
  }

  const handler = createServer((request, response) => {
    const [, ended] = /^\/database\/ended\/(test_\d+)$/.exec(request.url ?? '') ?? [];
    const answer = ended === undefined ? answers[request.url ?? ''] : async () => void drop(ended);
    if (!answer) return void response.writeHead(404).end('null');
    // A kept-alive connection might be closed just when a busy test sends the next request.
    response.setHeader('connection', 'close');
    answer().then(
      (url) => response.end(JSON.stringify(url ?? null)),
      (error: Error) => response.writeHead(500).end(error.stack),
    );
  });
  await new Promise<void>((listening) => handler.listen(0, '127.0.0.1', listening));
  project.provide('servers', `http://127.0.0.1:${(handler.address() as AddressInfo).port}`);

  const sweepOurs = () => sweep((pid) => pid === process.pid);
  process.once('exit', sweepOurs);
  return async () => {
    handler.close();
    handler.closeAllConnections();
    await cluster?.catch(() => {});
    for (const stop of stops) await stop();
    sweepOurs();
  };
}

/** Stops servers of killed runs (or of this one, at its end) and removes their files. */
function sweep(ofRun: (pid: number) => boolean): void {
  for (const name of readdirSync(tmpdir())) {
    const pid = new RegExp(`^${RUN_PREFIX}(\\d+)-`).exec(name)?.[1];
    if (pid === undefined || !ofRun(Number(pid))) continue;
    const home = join(tmpdir(), name);
    try {
      for (const path of readdirSync(home, { recursive: true, encoding: 'utf8' })) {
        if (!/(postmaster|redis|launched)\.pid$|service\.owner$/.test(path)) continue;
        const server = Number.parseInt(readFileSync(join(home, path), 'utf8'), 10);
        if (/postgres|redis|valkey|sevengate\.mjs/.test(commandLine(server) ?? '')) process.kill(server, 'SIGKILL');
      }
      rmSync(home, { recursive: true, force: true });
    } catch {
      // The folder belongs to another user, or another run is removing it.
    }
  }
}

/** Creates partitions for a hundred years of cuts, because tests set clocks that are later than this machine's. */
async function liveAtAnyTime(url: string): Promise<void> {
  const sql = openDatabase({ url, connections: 1, role: null, name: 'sevengate tests' });
  try {
    await sql`insert into clock_shift (ms) values (${100 * 365 * 86_400_000})`;
  } finally {
    await sql.end({ timeout: 5 });
  }
}

/** Lets the owner's replica sessions empty guarded tables, which otherwise would need each guard lifted. */
async function emptiedByItsOwner(url: string): Promise<void> {
  const sql = openDatabase({ url, connections: 1, role: null, name: 'sevengate tests' });
  try {
    await sql.unsafe(`do $$ declare guard record; begin
      for guard in select tgrelid::regclass as on_table, tgname from pg_trigger where tgenabled = 'A' and not tgisinternal loop
        execute format('alter table %s enable trigger %I', guard.on_table, guard.tgname);
      end loop;
    end $$`);
  } finally {
    await sql.end({ timeout: 5 });
  }
}
