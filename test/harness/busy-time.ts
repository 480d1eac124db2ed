/**
 * Time for which this thread's event loop is busy. The processor time of the whole process would count the other test files' threads too.
 */
import { performance } from 'node:perf_hooks';

/** Milliseconds for which the loop was busy, not waiting, while the work ran; on a busy machine it includes what others took meanwhile. */
export async function busyMs(work: () => Promise<void>): Promise<number> {
  // The loop's own account is written when it next waits, so that both ends of it are taken in a turn of their own.
  await turn();
  const before = performance.eventLoopUtilization();
  await work();
  return performance.eventLoopUtilization(before).active;
}

const turn = (): Promise<void> => new Promise((done) => setImmediate(done));
