/** BullMQ on Redis or on its PostgreSQL backend. Add a further backend to `BACKENDS`. */
import { createPostgresBackend, Queue, Worker, withBackend } from 'bullmq';
import type { Redis } from 'ioredis';
import { connectRedis } from './redis-client.ts';
import { isCluster } from './redis-url.ts';

export type QueueAddress = { readonly kind: 'redis'; readonly url: string } | { readonly kind: 'postgres'; readonly url: string };

/** Milliseconds after which a queue counts as unavailable. */
export const ANSWER_LIMIT_MS = 4_000;
/** Lock duration of a job in milliseconds. BullMQ notices a dead worker after about twice this; its defaults would lose a tick. */
const LOCK_MS = 5_000;

interface Backend {
  readonly classes: { readonly Queue: typeof Queue; readonly Worker: typeof Worker };
  /** Prefix of every key, where the library's default does not fit. */
  readonly prefix?: string;
  connection(options: { readonly blocking: boolean }): never;
  disconnect(): void;
}

const BACKENDS: { readonly [Kind in QueueAddress['kind']]: (url: string, onError: (error: Error) => void) => Backend } = {
  redis(url, onError) {
    const clients: Redis[] = [];
    return {
      classes: { Queue, Worker },
      // In a cluster all keys of a queue must share a hash slot.
      ...(isCluster(url) ? { prefix: '{sevengate}' } : {}),
      connection({ blocking }) {
        const client = connectRedis(url, {
          maxRetriesPerRequest: null,
          enableOfflineQueue: true,
          ...(blocking ? {} : { commandTimeout: ANSWER_LIMIT_MS }),
          retryStrategy: (times: number) => Math.min(100 * times, 2_000),
        });
        client.on('error', onError);
        clients.push(client);
        return client as never;
      },
      disconnect: () => {
        for (const client of clients) client.disconnect();
      },
    };
  },

  // BullMQ keeps its own tables and fails if they do not exist.
  postgres: (url) => ({
    classes: withBackend(createPostgresBackend) as unknown as Backend['classes'],
    connection: () => ({ connectionString: url, migrate: true }) as never,
    disconnect: () => {},
  }),
};

/** Opens a queue. `onFailed` receives the data of every job whose work threw. */
export function openQueue<Data extends object>(
  name: string,
  place: QueueAddress,
  on: { readonly error: (error: Error) => void; readonly failed: (data: Data | null, error: Error) => void },
) {
  const backend = BACKENDS[place.kind](place.url, on.error);
  const prefix = backend.prefix === undefined ? {} : { prefix: backend.prefix };
  const queue = new backend.classes.Queue<Data>(name, {
    connection: backend.connection({ blocking: false }),
    ...prefix,
    defaultJobOptions: { removeOnComplete: true, removeOnFail: true },
  }) as unknown as Queue<Data>;
  queue.on('error', on.error);
  const workers: Worker<Data>[] = [];
  return {
    queue,
    /** Runs `work` for every job, up to `concurrency` at a time, until closed. A job of a dead worker is run again within about 10 s. */
    work(work: (data: Data) => Promise<void>, concurrency: number) {
      const worker = new backend.classes.Worker<Data>(name, (job) => work(job.data), {
        connection: backend.connection({ blocking: true }),
        ...prefix,
        concurrency,
        lockDuration: LOCK_MS,
        stalledInterval: LOCK_MS,
        maxStalledCount: 100,
        removeOnComplete: { count: 0 },
        removeOnFail: { count: 0 },
      }) as unknown as Worker<Data>;
      worker.on('error', on.error);
      worker.on('failed', (job, error) => on.failed(job?.data ?? null, error));
      workers.push(worker);
    },
    async close() {
      await Promise.allSettled(workers.map((worker) => within(5_000, worker.close())));
      await Promise.allSettled([within(2_000, queue.close())]);
      backend.disconnect();
    },
  };
}

/** Rejects if the work takes longer than the limit. */
export async function within<Value>(limitMs: number, work: Promise<Value>): Promise<Value> {
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
