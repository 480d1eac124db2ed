/** The queue of ticks on BullMQ: one job per shard and slot, on Redis or on BullMQ's own PostgreSQL backend. */
import { createPostgresBackend, type Job, Queue, Worker, withBackend } from 'bullmq';
import { Redis } from 'ioredis';

/** One shard's tick. Losing it, or running it twice, changes nothing: PostgreSQL holds which slots are ticked. */
export interface TickJob {
  readonly periodMs: number;
  readonly shard: number;
  readonly slot: number;
}

/** Where the jobs wait. */
export type QueuePlace = { readonly kind: 'redis'; readonly url: string } | { readonly kind: 'postgres'; readonly url: string };

export interface TickQueue {
  /** Adds what is not waiting already. Rejects after `ENQUEUE_LIMIT_MS` where the queue does not answer. */
  add(jobs: readonly TickJob[]): Promise<void>;
  /** Runs `work` for every job, up to `concurrency` at a time, until closed. A job whose worker died is run again within about 10 s. */
  work(work: (job: TickJob) => Promise<void>, concurrency: number): void;
  /** Resolves once the queue answers; rejects where it does not within the limit. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

const QUEUE = 'sevengate-ticks';
/** BullMQ needs about twice this to notice a dead worker; its defaults would lose a whole tick. */
const LOCK_MS = 5_000;
const ENQUEUE_LIMIT_MS = 4_000;

export function openTickQueue(place: QueuePlace, onError: (error: Error) => void): TickQueue {
  const clients: Redis[] = [];
  const connect = (options: { blocking: boolean }): Redis => {
    const client = new Redis((place as { url: string }).url, {
      protocol: 2,
      maxRetriesPerRequest: null,
      enableOfflineQueue: true,
      ...(options.blocking ? {} : { commandTimeout: ENQUEUE_LIMIT_MS }),
      retryStrategy: (times: number) => Math.min(100 * times, 2_000),
    } as never);
    client.on('error', onError);
    clients.push(client);
    return client;
  };
  const classes = (place.kind === 'postgres' ? withBackend(createPostgresBackend) : { Queue, Worker }) as {
    Queue: typeof Queue;
    Worker: typeof Worker;
  };
  // BullMQ keeps its own tables beside ours, and refuses to work where nobody has made them.
  const connection = (options: { blocking: boolean }): never =>
    place.kind === 'postgres' ? ({ connectionString: place.url, migrate: true } as never) : (connect(options) as never);
  const queue = new classes.Queue<TickJob>(QUEUE, {
    connection: connection({ blocking: false }),
    defaultJobOptions: { removeOnComplete: true, removeOnFail: true },
  });
  queue.on('error', onError);
  const workers: Worker<TickJob>[] = [];

  return {
    async add(jobs) {
      if (jobs.length === 0) return;
      await within(
        ENQUEUE_LIMIT_MS,
        queue.addBulk(jobs.map((job) => ({ name: 'tick', data: job, opts: { jobId: `tick-${job.periodMs}-${job.shard}-${job.slot}` } }))),
      );
    },
    work(work, concurrency) {
      const worker = new classes.Worker<TickJob>(QUEUE, (job: Job<TickJob>) => work(job.data), {
        connection: connection({ blocking: true }),
        concurrency,
        lockDuration: LOCK_MS,
        stalledInterval: LOCK_MS,
        maxStalledCount: 100,
        removeOnComplete: { count: 0 },
        removeOnFail: { count: 0 },
      }) as unknown as Worker<TickJob>;
      worker.on('error', onError);
      workers.push(worker);
    },
    async ping() {
      await within(ENQUEUE_LIMIT_MS, queue.getJobCounts('waiting'));
    },
    async close() {
      await Promise.allSettled(workers.map((worker) => within(5_000, worker.close())));
      await Promise.allSettled([within(2_000, queue.close())]);
      for (const client of clients) client.disconnect();
    },
  };
}

async function within<Value>(limitMs: number, work: Promise<Value>): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  try {
    return await Promise.race([
      work,
      new Promise<never>((_, reject) => {
        timer = setTimeout(() => reject(new Error(`the queue did not answer within ${limitMs} ms`)), limitMs);
      }),
    ]);
  } finally {
    clearTimeout(timer);
  }
}
