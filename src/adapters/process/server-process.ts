/** Process helpers of the embedded servers: live processes, owners of folders, free ports, timeouts. */
import { execFileSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { accessSync, constants, existsSync, linkSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

/** Writes one line to the log. */
export type Log = (line: string) => void;

/**
 * Returns the start time of a process, which distinguishes it from a later one with the same id. Null if it does not run; an unreaped one
 * counts as ended, because init of a small container may never reap it. @throws Error if the machine cannot tell, for example without free
 * file descriptors
 */
export function processStartedAt(pid: number): string | null {
  if (!Number.isInteger(pid) || pid <= 0) return null;
  if (process.platform === 'linux') {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
      // The second field, the command in brackets, may contain spaces: count from the last bracket.
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      return fields[0] === 'Z' || fields[0] === 'X' ? null : (fields[19] ?? null);
    } catch (error) {
      if (isGone(error)) return null;
      throw error;
    }
  }
  return ps(pid, 'stat')?.startsWith('Z') === false ? ps(pid, 'lstart') : null;
}

/** Returns the command line of a running process, arguments separated by spaces; null if it has ended. */
export function commandLine(pid: number): string | null {
  if (processStartedAt(pid) === null) return null;
  if (process.platform !== 'linux') return ps(pid, 'args');
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
  } catch (error) {
    if (isGone(error)) return null;
    throw error;
  }
}

/** Returns true for the error of a missing `/proc` entry. A process may end while its file is read. */
function isGone(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ENOENT' || code === 'ESRCH';
}

function ps(pid: number, column: string): string | null {
  try {
    return (
      execFileSync('ps', ['-o', `${column}=`, '-p', String(pid)], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim() || null
    );
  } catch (error) {
    // `ps` exits with status 1 if there is no such process. A failed launch has no status.
    if (typeof (error as { status?: unknown }).status === 'number') return null;
    throw error;
  }
}

/** Ports below the kernel's ephemeral range, which begins at 32768 on Linux and at 49152 elsewhere. */
const [FIRST_PORT, END_PORT] = [10_240, 20_000];
const PORT_ATTEMPTS = 200;

/**
 * Returns a free TCP port of 127.0.0.1 outside the kernel's ephemeral range, so that a server can use it again after a restart. @throws
 * Error if all tried ports are taken
 */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < PORT_ATTEMPTS; attempt++) {
    const port = randomInt(FIRST_PORT, END_PORT);
    if (await isFree(port)) return port;
  }
  throw new Error(`no free port from ${FIRST_PORT} to ${END_PORT - 1} in ${PORT_ATTEMPTS} attempts`);
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.on('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}

/**
 * Polls until `check` returns something other than null or false, and returns that. Starts with 2 ms and slows down. @throws errors of
 * `check`, or one that names `what` after `deadlineMs`
 */
export async function until<T>(
  what: string,
  deadlineMs: number,
  check: () => T | Promise<T>,
): Promise<Exclude<T, null | false | undefined>> {
  const began = performance.now();
  for (let waitMs = 2; ; waitMs = Math.min(waitMs * 1.5, 20)) {
    const found = await check();
    if (found !== null && found !== false && found !== undefined) return found as Exclude<T, null | false | undefined>;
    if (performance.now() - began > deadlineMs) throw new Error(`${what}: not within ${deadlineMs / 1000} s`);
    await pause(waitMs);
  }
}

/** Creates a state folder with its parents. @throws Error of the file system if that fails or the folder cannot be written */
export function makeStateFolder(folder: string): void {
  // The recursive `mkdir` of Node.js never returns if a file system answers ENOENT below an existing folder, as /proc does.
  if (!existsSync(dirname(folder)) && dirname(folder) !== folder) makeStateFolder(dirname(folder));
  try {
    mkdirSync(folder, { mode: 0o711 });
  } catch (error) {
    if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) throw error;
  }
  accessSync(folder, constants.W_OK);
}

/** Makes this process the owner of `file`, or returns the id of the live owner, or of the process that is replacing a dead one. */
export function claim(file: string): number | null {
  mkdirSync(dirname(file), { recursive: true });
  const ours = `${process.pid} ${processStartedAt(process.pid)}\n`;
  const draft = `${file}.${process.pid}`;
  for (;;) {
    try {
      writeFileSync(draft, ours);
      linkSync(draft, file);
      return null;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    } finally {
      rmSync(draft, { force: true });
    }
    const held = readIfThere(file);
    if (held === ours) return null;
    if (held === null) continue;
    const [pid = '', ...startedAt] = held.trim().split(' ');
    if (processStartedAt(Number(pid)) === startedAt.join(' ')) return Number(pid);
    // The owner has died. Only one process at a time may remove its file, or a slow one would remove the claim of a faster one.
    const takeover = `${file}.takeover`;
    const taker = claim(takeover);
    if (taker !== null) return taker;
    try {
      if (readIfThere(file) === held) rmSync(file, { force: true });
    } finally {
      release(takeover);
    }
  }
}

/** Returns the id of the live owner, or null. */
export function claimant(file: string): number | null {
  const [pid = '', ...startedAt] = (readIfThere(file) ?? '').trim().split(' ');
  return pid !== '' && processStartedAt(Number(pid)) === startedAt.join(' ') ? Number(pid) : null;
}

/** Releases a claim. Does nothing if another process owns it now. */
export function release(file: string): void {
  if (readIfThere(file)?.startsWith(`${process.pid} `)) rmSync(file, { force: true });
}

/** Returns the text of a file, or null if it does not exist. */
export function readIfThere(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    throw error;
  }
}
