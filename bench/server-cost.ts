/** Processor time of this process and of an embedded PostgreSQL together: the cost of work that waits for the database. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { type Cost, cpuMicroseconds, wallCost } from './harness.ts';

/** Unit of processor time in /proc/<pid>/stat, in microseconds. */
const JIFFY_US = 10_000;

/** Returns the processor time of the server's processes in microseconds, or null if the system does not report it. */
export function serverMicroseconds(postmaster: number): number | null {
  if (process.platform !== 'linux') return null;
  let microseconds = 0;
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    try {
      const fields = statusOf(name);
      if (Number(name) !== postmaster && Number(fields[1]) !== postmaster) continue;
      microseconds += scheduledMicroseconds(name) ?? (Number(fields[11]) + Number(fields[12])) * JIFFY_US;
      // The postmaster's figures include its ended processes.
      if (Number(name) === postmaster) microseconds += (Number(fields[13]) + Number(fields[14])) * JIFFY_US;
    } catch {
      // The process has ended meanwhile.
    }
  }
  return microseconds;
}

/** Returns the fields of /proc/<pid>/stat after the program's name. @throws Error if the process has ended. */
function statusOf(pid: string): readonly string[] {
  return readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ');
}

/** Returns the processor time of all threads of a process in seconds, or NaN if the system does not report it. */
export function processSeconds(pid: number): number {
  if (process.platform !== 'linux') return Number.NaN;
  const fields = statusOf(String(pid));
  return ((Number(fields[11]) + Number(fields[12])) * JIFFY_US) / 1e6;
}

/** Returns the scheduler's run time in microseconds, or null if the kernel does not count it. */
function scheduledMicroseconds(pid: string): number | null {
  const file = `/proc/${pid}/schedstat`;
  return existsSync(file) ? Number(readFileSync(file, 'utf8').split(' ')[0]) / 1_000 : null;
}

/** Measures processor time of this process and of the server, or wall time if it is not reported. Other programs disturb it less. */
export async function costWithServer(postmaster: number, operations: number, work: () => Promise<void>): Promise<Cost> {
  const before = serverMicroseconds(postmaster);
  if (before === null) return wallCost(operations, work);
  const own = cpuMicroseconds();
  await work();
  return { operations, microseconds: cpuMicroseconds() - own + ((serverMicroseconds(postmaster) ?? before) - before) };
}
