/** Process facts for the embedded servers: live processes, owners of folders, free ports, and timeouts. */
import { execFileSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

/** Log of a launcher, one line per entry. */
export type Log = (line: string) => void;

/**
 * Start time of a process, which tells it from a later one with the same number. Null if no such process lives. One that has
 * ended and was never reaped counts as gone, because init of a small container may never reap it.
 * @throws Error if this machine cannot tell, as without a free file descriptor: that says nothing of the process.
 */
export function processStartedAt(pid: number): string | null {
  if (!Number.isInteger(pid) || pid <= 0) return null;
  if (process.platform === 'linux') {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
      // The second field is the command in brackets and may hold spaces: count from the last bracket.
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      return fields[0] === 'Z' || fields[0] === 'X' ? null : (fields[19] ?? null);
    } catch (error) {
      if (isGone(error)) return null;
      throw error;
    }
  }
  return ps(pid, 'stat')?.startsWith('Z') === false ? ps(pid, 'lstart') : null;
}

/** Returns the command line of a live process, arguments separated by spaces; null if it is gone. */
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

/** True if `/proc` has no such process, or none any more: it may end while its file is read. */
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
    // A program that has begun and found no process ends with status 1; one that could not begin has none.
    if (typeof (error as { status?: unknown }).status === 'number') return null;
    throw error;
  }
}

/** Below the ports that kernels hand out by themselves: from 32768 on Linux, from 49152 elsewhere. */
const [FIRST_PORT, END_PORT] = [10_240, 20_000];
const PORT_ATTEMPTS = 200;

/**
 * Returns a free TCP port of 127.0.0.1 for a server that others find again at the same address after a restart, so not one that the kernel
 * gives to connections in the meantime. @throws Error if every port that was tried is taken.
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
 * Waits until `check` gives something other than null or false and returns it. Polls, because another process's files and
 * ports send no event, first every 2 ms and then ever slower.
 * @throws what `check` throws, or an error that names `what` after `deadlineMs`.
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

/** Makes this process the owner of what `file` stands for, unless a live process already is: then returns its id. */
export function claim(file: string): number | null {
  mkdirSync(dirname(file), { recursive: true });
  const ours = `${process.pid} ${processStartedAt(process.pid)}\n`;
  const draft = `${file}.${process.pid}`;
  for (;;) {
    writeFileSync(draft, ours);
    try {
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
    // Its owner died. Renaming, unlike removing, can succeed for one claimant only.
    try {
      renameSync(file, draft);
      rmSync(draft, { force: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
}

/** Returns the live process that `claim` made the owner, or null. */
export function claimant(file: string): number | null {
  const [pid = '', ...startedAt] = (readIfThere(file) ?? '').trim().split(' ');
  return pid !== '' && processStartedAt(Number(pid)) === startedAt.join(' ') ? Number(pid) : null;
}

/** Gives up what `claim` gave. Does nothing where another process owns it by now. */
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
