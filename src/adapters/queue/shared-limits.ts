/** Redis connection through which processes count requests of API callers together. */
import { connectRedis } from './redis-client.ts';

/** Timeout of a count in milliseconds; the process then counts for itself. */
const TIMEOUT_MS = 250;

export type SharedLimits = ReturnType<typeof openSharedLimits>;

/** Connects and reconnects. Commands are not queued while disconnected, because a late count is useless. */
export function openSharedLimits(options: { readonly url: string; readonly onError: (error: unknown) => void }) {
  const store = connectRedis(options.url, {
    commandTimeout: TIMEOUT_MS,
    maxRetriesPerRequest: 0,
    enableOfflineQueue: false,
    retryStrategy: (times) => Math.min(100 * 2 ** times, 2_000),
  });
  store.on('error', options.onError);
  return { store, close: () => store.disconnect() };
}
