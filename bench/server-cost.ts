/** Processor time of this process and of an embedded PostgreSQL together: what work costs that waits for the database. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { type Cost, cpuMicroseconds, wallCost } from './harness.ts';

/** Unit of processor time in /proc/<pid>/stat, in microseconds. */
const JIFFY_US = 10_000;

/** Processor time of the server's processes so far, in microseconds; null if the system does not report it. */
export function serverMicroseconds(postmaster: number): number | null {
  if (process.platform !== 'linux') return null;
  let microseconds = 0;
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    try {
      const fields = statusOf(name);
      if (Number(name) !== postmaster && Number(fields[1]) !== postmaster) continue;
      microseconds += scheduledMicroseconds(name) ?? (Number(fields[11]) + Number(fields[12])) * JIFFY_US;
      // What those of its processes took that have ended.
      if (Number(name) === postmaster) microseconds += (Number(fields[13]) + Number(fields[14])) * JIFFY_US;
    } catch {
      // It has ended meanwhile.
    }
  }
  return microseconds;
}

/** The fields of /proc/<pid>/stat behind the name of the program. @throws Error if the process has ended */
function statusOf(pid: string): readonly string[] {
  return readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ');
}

/** Processor time of all threads of a process so far, seconds; NaN where the system does not say. */
export function processSeconds(pid: number): number {
  if (process.platform !== 'linux') return Number.NaN;
  const fields = statusOf(String(pid));
  return ((Number(fields[11]) + Number(fields[12])) * JIFFY_US) / 1e6;
}

/** Scheduler's run time in nanoseconds; null if the kernel keeps no such count. */
function scheduledMicroseconds(pid: string): number | null {
  const file = `/proc/${pid}/schedstat`;
  return existsSync(file) ? Number(readFileSync(file, 'utf8').split(' ')[0]) / 1_000 : null;
}

/** Processor time of this process and of the server, or wall time where that is not known: other programs disturb it less. */
export async function costWithServer(postmaster: number, operations: number, work: () => Promise<void>): Promise<Cost> {
  const before = serverMicroseconds(postmaster);
  if (before === null) return wallCost(operations, work);
  const own = cpuMicroseconds();
  await work();
  return { operations, microseconds: cpuMicroseconds() - own + ((serverMicroseconds(postmaster) ?? before) - before) };
}
