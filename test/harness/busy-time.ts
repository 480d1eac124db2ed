/**
 * Processor time of this thread alone. That of the process includes the threads of other test files, and the time that passes includes
 * whatever else the machine does.
 */
import { readFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';

/** Linux: nanoseconds on a processor, nanoseconds of waiting for one, number of turns. */
const SCHEDULER_FIGURES = '/proc/thread-self/schedstat';

/** Returns the milliseconds for which this thread ran on a processor; on systems that do not tell, those that passed. */
export const threadMs = readable(SCHEDULER_FIGURES)
  ? (): number => Number(readFileSync(SCHEDULER_FIGURES, 'utf8').split(' ')[0]) / 1e6
  : (): number => performance.now();

/** Returns the milliseconds for which the work kept this thread's loop busy. */
export async function busyMs(work: () => Promise<void>): Promise<number> {
  // What was due before is done before.
  await turn();
  const before = threadMs();
  await work();
  return threadMs() - before;
}

function readable(path: string): boolean {
  try {
    return readFileSync(path, 'utf8').length > 0;
  } catch {
    return false;
  }
}

const turn = (): Promise<void> => new Promise((done) => setImmediate(done));
