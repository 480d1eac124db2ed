/** Queue of ticks with one job per shard and slot. */
import { ANSWER_LIMIT_MS, openQueue, type QueueAddress, within } from './bullmq.ts';

/** Tick of one shard. Losing or repeating it is harmless: PostgreSQL records which slots are ticked. */
export interface TickJob {
  readonly periodMs: number;
  readonly shard: number;
  readonly slot: number;
}

export interface TickQueue {
  /** Adds jobs that are not waiting yet. Rejects if the queue does not answer within `ANSWER_LIMIT_MS`. */
  add(jobs: readonly TickJob[]): Promise<void>;
  /** Runs `work` for every job, up to `concurrency` at a time, until closed. A job of a dead worker is run again within about 10 s. */
  work(work: (job: TickJob) => Promise<void>, concurrency: number): void;
  /** Resolves when the queue answers; rejects after the limit. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

/** Opens the queue. `onFailed` receives every tick that failed as a whole; its shard has not advanced. */
export function openTickQueue(
  place: QueueAddress,
  onError: (error: Error) => void,
  onFailed: (job: TickJob | null, error: Error) => void = (_, error) => onError(error),
): TickQueue {
  const { queue, work, close } = openQueue<TickJob>('sevengate-ticks', place, { error: onError, failed: onFailed });
  return {
    async add(jobs) {
      if (jobs.length === 0) return;
      const added = jobs.map((job) => ({ name: 'tick', data: job, opts: { jobId: `tick-${job.periodMs}-${job.shard}-${job.slot}` } }));
      await within(ANSWER_LIMIT_MS, queue.addBulk(added));
    },
    work,
    async ping() {
      await within(ANSWER_LIMIT_MS, queue.getJobCounts('waiting'));
    },
    close,
  };
}
