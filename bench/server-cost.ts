/** Processor time of this process and of an embedded PostgreSQL together: what work costs that waits for the database. */
import { readdirSync, readFileSync } from 'node:fs';
import { type Cost, cpuMicroseconds, wallCost } from './harness.ts';

/** What /proc counts processor time in. */
const JIFFY_US = 10_000;

/** Processor time of the server's processes so far, microseconds; null where the system does not say. */
function serverMicroseconds(postmaster: number): number | null {
  if (process.platform !== 'linux') return null;
  let jiffies = 0;
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    try {
      const fields = readFileSync(`/proc/${name}/stat`, 'utf8')
        .replace(/^.*\) /, '')
        .split(' ');
      if (Number(name) === postmaster || Number(fields[1]) === postmaster) jiffies += Number(fields[11]) + Number(fields[12]);
    } catch {
      // It has ended meanwhile.
    }
  }
  return jiffies * JIFFY_US;
}

/** Processor time of this process and of the server, or wall time where that is not known: other programs disturb it less. */
export async function costWithServer(postmaster: number, operations: number, work: () => Promise<void>): Promise<Cost> {
  const before = serverMicroseconds(postmaster);
  if (before === null) return wallCost(operations, work);
  const own = cpuMicroseconds();
  await work();
  return { operations, microseconds: cpuMicroseconds() - own + ((serverMicroseconds(postmaster) ?? before) - before) };
}
