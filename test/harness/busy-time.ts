/**
 * Busy time of this thread's event loop. The processor time of the whole process would include the threads of other test files.
 */
import { performance } from 'node:perf_hooks';

/** Returns the milliseconds that the loop was busy during the work. On a loaded machine this includes preemption. */
export async function busyMs(work: () => Promise<void>): Promise<number> {
  // The loop updates its figures when it next waits, so take both readings after a turn.
  await turn();
  const before = performance.eventLoopUtilization();
  await work();
  return performance.eventLoopUtilization(before).active;
}

const turn = (): Promise<void> => new Promise((done) => setImmediate(done));
