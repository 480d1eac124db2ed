/** The connection through which processes of the service count requests of callers together. */
import type { Redis } from 'ioredis';
import { connectRedis } from './redis-client.ts';

/** A count that takes longer is given up; the process then counts for itself. */
const TIMEOUT_MS = 250;

export interface SharedLimits {
  readonly store: Redis;
  close(): void;
}

/** Connects, and goes on trying. Nothing waits in a queue while there is no connection: a limit is needed now or not at all. */
export function openSharedLimits(options: { readonly url: string; readonly onError: (error: unknown) => void }): SharedLimits {
  const store = connectRedis(options.url, {
    commandTimeout: TIMEOUT_MS,
    maxRetriesPerRequest: 0,
    enableOfflineQueue: false,
    retryStrategy: (times) => Math.min(100 * 2 ** times, 2_000),
  });
  store.on('error', options.onError);
  return { store, close: () => store.disconnect() };
}
