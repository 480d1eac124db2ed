/** Queue of ticks with one job per shard and slot. */
import { ANSWER_LIMIT_MS, openQueue, type QueueAddress, within } from './bullmq.ts';

/** Tick of one shard. Losing or repeating it is harmless: PostgreSQL records which slots are ticked. */
export interface TickJob {
  readonly periodMs: number;
  readonly shard: number;
  readonly slot: number;
}

/** Opens the queue. `onFailed` receives every tick that failed as a whole; its shard has not advanced. */
export function openTickQueue(
  place: QueueAddress,
  onError: (error: Error) => void,
  onFailed: (job: TickJob | null, error: Error) => void = (_, error) => onError(error),
) {
  const { queue, work, close } = openQueue<TickJob>('sevengate-ticks', place, { error: onError, failed: onFailed });
  return {
    /** Adds jobs that are not waiting yet. Rejects if the queue does not answer within `ANSWER_LIMIT_MS`. */
    async add(jobs: readonly TickJob[]) {
      if (jobs.length === 0) return;
      const added = jobs.map((job) => ({ name: 'tick', data: job, opts: { jobId: `tick-${job.periodMs}-${job.shard}-${job.slot}` } }));
      await within(ANSWER_LIMIT_MS, queue.addBulk(added));
    },
    /** Runs `work` for every job, up to `concurrency` at a time, until closed. A job of a dead worker is run again within about 10 s. */
    work,
    /** Resolves when the queue answers; rejects after the limit. */
    async ping() {
      await within(ANSWER_LIMIT_MS, queue.getJobCounts('waiting'));
    },
    close,
  };
}
