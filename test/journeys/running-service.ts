/** Service as its users meet it: a child process with its own state folder, tokens and log. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { processStartedAt } from '../../src/adapters/process/server-process.ts';
import { openDatabase, type Sql } from '../../src/adapters/store/database.ts';
import { remember } from '../harness/launched.ts';
import { withCluster } from '../harness/postgres.ts';
import { recordExample } from '../harness/recorded-examples.ts';
import { PATIENCE, waitFor } from '../harness/wait-for.ts';
import { newRunFolder } from '../harness/temporary-files.ts';

const PROGRAM = fileURLToPath(new URL('../../src/boot/sevengate.mjs', import.meta.url));
// Compiled once here, not by each service that a file starts.
const { compiledSources } = (await import(new URL('../../src/load-sources.mjs', import.meta.url).href)) as {
  readonly compiledSources: () => Promise<string>;
};
await compiledSources();
const START_MS = 30_000;
/** Time after which a command counts as hanging. */
const COMMAND_MS = 150_000;
/** Promised time of a stop after Ctrl-C. */
const STOP_MS = 8_000;

export interface LogEntry {
  readonly level: number;
  readonly time: string;
  readonly msg: string;
  readonly [field: string]: unknown;
}

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly tookMs: number;
  /** Descendant processes that are still alive. */
  readonly left: readonly number[];
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** Untyped, as a client without our types reads answers. */
  readonly body: ReturnType<typeof JSON.parse>;
  readonly text: string;
}

export interface Running {
  readonly home: string;
  readonly pid: number;
  stdout(): string;
  stderr(): string;
  /** Lines of standard error, each of which must be one JSON object. */
  log(): LogEntry[];
  /** Waits until standard output matches. Fails with the output if the process ends first. */
  said(pattern: RegExp, deadlineMs?: number): Promise<RegExpMatchArray>;
  exited(): Promise<Ended>;
  stop(signal?: NodeJS.Signals): Promise<Ended>;
  /** Kills it in any state, and removes its state folder if this file created it. */
  discard(): Promise<void>;
}

/** Client of a running service. */
export interface Client {
  readonly home: string;
  readonly url: string;
  token(subject: string): string;
  /** Sends a request. `as`: subject of a token file, or a token; null for anonymous. */
  ask(method: string, path: string, options?: { as?: string | null; body?: unknown; headers?: Record<string, string> }): Promise<Answer>;
  get(path: string, as?: string | null): Promise<Answer>;
  post(path: string, body?: unknown, as?: string | null): Promise<Answer>;
  /** Connects to its embedded database as the owner. */
  database(): Sql;
  /** Address of the embedded database, as its owner. */
  embeddedUrl(): string;
}

export type Service = Running & Client;

/** Creates a state folder that the embedded database may enter. The harness removes it after a killed run. */
export function newHome(): string {
  const home = newRunFolder();
  chmodSync(home, 0o711);
  return home;
}

/** Returns an environment without this process's settings, which must not leak into the service under test. Tests make their own data. */
function environment(env: Readonly<Record<string, string>>): Record<string, string> {
  return { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '/', PORT: '0', SANDBOX_EXAMPLES: 'false', ...env };
}

export interface Command {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly tookMs: number;
}

/** Runs `sevengate <args>` to its end. Kills it after `hangsAfterMs`. */
export async function sevengate(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  hangsAfterMs = COMMAND_MS,
): Promise<Command> {
  const began = performance.now();
  const child = spawn(process.execPath, [PROGRAM, ...args], { env: environment(env), stdio: ['ignore', 'pipe', 'pipe'] });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (part: Buffer) => (stdout += part.toString()));
  child.stderr.on('data', (part: Buffer) => (stderr += part.toString()));
  const hung = setTimeout(() => child.kill('SIGKILL'), hangsAfterMs);
  const [code] = (await once(child, 'close')) as [number | null];
  clearTimeout(hung);
  return { code, stdout, stderr, tookMs: performance.now() - began };
}

/** Expects that it ended within its promised time. */
export function expectPrompt({ tookMs }: Ended): void {
  expect(tookMs).toBeLessThan(PATIENCE * STOP_MS);
}

/** Launches `sevengate start`, or another long-running command, without waiting. */
export function launch(
  options: { command?: string; args?: readonly string[]; env?: Readonly<Record<string, string>>; home?: string } = {},
): Running {
  const home = options.home ?? newHome();
  const child = spawn(process.execPath, [PROGRAM, options.command ?? 'start', ...(options.args ?? [])], {
    env: environment({ SEVENGATE_HOME: home, ...options.env }),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  remember(child);
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (part: Buffer) => (stdout += part.toString()));
  child.stderr.on('data', (part: Buffer) => (stderr += part.toString()));
  const pid = child.pid as number;
  const closed = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>;
  let family: Family = new Map();
  let told = performance.now();

  async function exited(): Promise<Ended> {
    const [code, signal] = await closed;
    const tookMs = performance.now() - told;
    return {
      code,
      signal,
      tookMs,
      left: [...family].filter(([one, startedAt]) => processStartedAt(one) === startedAt).map(([one]) => one),
    };
  }
  return {
    home,
    pid,
    stdout: () => stdout,
    stderr: () => stderr,
    log: () => logEntries(stderr),
    async said(pattern, deadlineMs = START_MS) {
      return waitFor(
        () => {
          if (hasEnded(child)) throw new Error(`the service ended with ${child.exitCode ?? child.signalCode}:\n${stdout}\n${stderr}`);
          return pattern.exec(stdout);
        },
        { what: `${pattern} on standard output`, deadlineMs },
      );
    },
    exited,
    async stop(signal = 'SIGINT') {
      family = descendants(pid);
      told = performance.now();
      child.kill(signal);
      return exited();
    },
    async discard() {
      if (!hasEnded(child)) {
        family = descendants(pid);
        child.kill('SIGKILL');
        await closed;
      }
      for (const [one, startedAt] of family) if (processStartedAt(one) === startedAt) process.kill(one, 'SIGKILL');
      await waitFor(() => [...family].every(([one, startedAt]) => processStartedAt(one) !== startedAt), {
        what: 'the end of its processes',
      });
      if (options.home === undefined) rmSync(home, { recursive: true, force: true });
    },
  };
}

/** Starts the whole service and waits for its ready line. `first`: in an empty folder, as on a new machine. */
export async function startService(
  options: { args?: readonly string[]; env?: Readonly<Record<string, string>>; home?: string; first?: boolean } = {},
): Promise<Service> {
  const databaseUrl = options.env?.['DATABASE_URL'];
  if (databaseUrl !== undefined) await liveNow(databaseUrl);
  const home = options.home ?? newHome();
  if (options.home === undefined && databaseUrl === undefined && options.first !== true) await withCluster(home);
  const launched = launch({ ...options, home });
  const running: Running = {
    ...launched,
    async discard() {
      await launched.discard();
      if (options.home === undefined) rmSync(home, { recursive: true, force: true });
    },
  };
  try {
    const [, url] = (await running.said(/^ready (http:\S+)$/m)) as unknown as [string, string];
    return withClient(running, url);
  } catch (error) {
    await running.discard();
    throw error;
  }
}

/** Sets the present time: the shifted clock of the test databases would make its feed stand by. */
async function liveNow(url: string): Promise<void> {
  const sql = openDatabase({ url, connections: 1, role: null, name: 'sevengate tests' });
  try {
    await sql`delete from clock_shift`;
  } finally {
    await sql.end({ timeout: 5 });
  }
}

/** Returns a running service with a client. */
export function withClient(running: Running, url: string): Service {
  const token = (subject: string): string => readFileSync(join(running.home, 'tokens', `${subject}.token`), 'utf8').trim();
  return { ...running, ...clientOf({ home: running.home, url, token }) };
}

/** Creates a client of the service in this state folder. */
export function clientOf({ home, url, token }: Pick<Client, 'home' | 'url' | 'token'>): Client {
  const ask: Client['ask'] = async (method, path, { as = 'operator', body, headers = {} } = {}) => {
    const authorization = as === null ? undefined : `Bearer ${as.includes('.') ? as : token(as)}`;
    const given = typeof body === 'string' ? body : body === undefined ? undefined : JSON.stringify(body);
    const response = await fetch(`${url}${path}`, {
      method,
      headers: {
        // A kept-alive connection might be closed just when a busy test sends the next request, and changes are not retried.
        connection: 'close',
        ...(authorization === undefined ? {} : { authorization }),
        ...(given === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(given === undefined ? {} : { body: given }),
    });
    const text = await response.text();
    const isJson = /json/.test(response.headers.get('content-type') ?? '');
    const answer = isJson ? JSON.parse(text) : null;
    const asked = { method, url: path, status: response.status, answer };
    await recordExample({ ...asked, body: typeof body === 'string' ? undefined : body });
    return { status: response.status, headers: response.headers, body: answer, text };
  };
  return {
    home,
    url,
    token,
    ask,
    get: (path, as = 'operator') => ask('GET', path, { as }),
    post: (path, body, as = 'operator') => ask('POST', path, { as, body }),
    embeddedUrl: () => databaseUrlIn(home),
    database() {
      return openDatabase({
        url: databaseUrlIn(home),
        connections: 1,
        role: null,
        name: 'sevengate journey',
      });
    },
  };
}

/** Parses a service's log, in which each line must be one JSON object. */
export function logEntries(log: string): LogEntry[] {
  return log
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as LogEntry);
}

/** Returns the address of a state folder's embedded database. */
export function databaseUrlIn(home: string): string {
  const port = readFileSync(join(home, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[3];
  const password = readFileSync(join(home, 'postgres.password'), 'utf8').trim();
  return `postgres://sevengate:${password}@127.0.0.1:${port}/sevengate`;
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

/** Processes by id with their start times, which distinguish reused ids. */
type Family = ReadonlyMap<number, string>;

/** Returns a process and all its live descendants. */
function descendants(root: number): Family {
  const parents = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' })
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number) as [number, number]);
  const family = new Map<number, string>();
  const add = (pid: number): void => {
    const startedAt = processStartedAt(pid);
    if (startedAt === null || family.has(pid)) return;
    family.set(pid, startedAt);
    for (const [child, parent] of parents) if (parent === pid) add(child);
  };
  add(root);
  return family;
}

/** Returns the next slot at least this far away, in milliseconds since the epoch. */
export function nextSlot(atLeastMs: number): number {
  return Math.ceil((Date.now() + atLeastMs) / 60_000) * 60_000;
}

/** Returns every secret of a state folder, to search for in output. Asserts nothing. */
export function secretsOf(home: string): string[] {
  const redis = /^requirepass (\S+)$/m.exec(readFileSync(join(home, 'redis', 'redis.conf'), { encoding: 'utf8', flag: 'a+' }))?.[1];
  return [
    readFileSync(join(home, 'postgres.password'), 'utf8').trim(),
    ...['operator', 'viewer', 'risk-manager'].map((subject) => readFileSync(join(home, 'tokens', `${subject}.token`), 'utf8').trim()),
    ...(redis === undefined ? [] : [redis]),
  ];
}
