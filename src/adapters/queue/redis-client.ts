/** Opens connections to one Redis server or to a cluster. */
import { Cluster, Redis, type RedisOptions } from 'ioredis';
import { isCluster } from './redis-url.ts';

/** Version of the Redis protocol (RESP). */
const PROTOCOL = 2;

/** Supported options of a connection. */
interface ClientOptions {
  readonly maxRetriesPerRequest: number | null;
  readonly commandTimeout?: number;
  readonly enableOfflineQueue?: boolean;
  readonly autoResubscribe?: boolean;
  /** Returns the milliseconds before the next attempt to connect. */
  readonly retryStrategy: (attempt: number) => number;
}

/**
 * Connects. A cluster is used like one server: keys that are written together share a slot, and channels reach every node. Its PUBLISH
 * counts only the listeners of one node.
 */
export function connectRedis(url: string, options: ClientOptions): Redis {
  if (!isCluster(url)) return new Redis(url, { ...options, protocol: PROTOCOL } satisfies RedisOptions);
  const { protocol, hostname, port, username, password, searchParams } = new URL(url.replace('+cluster:', ':'));
  const { retryStrategy, enableOfflineQueue = true, ...redisOptions } = options;
  const nodes = [`${hostname}:${port || 6379}`, ...(searchParams.get('also')?.split(',') ?? [])];
  return new Cluster(nodes, {
    enableOfflineQueue,
    clusterRetryStrategy: retryStrategy,
    redisOptions: {
      ...redisOptions,
      protocol: PROTOCOL,
      ...(username === '' ? {} : { username: decodeURIComponent(username) }),
      ...(password === '' ? {} : { password: decodeURIComponent(password) }),
      ...(protocol === 'rediss:' ? { tls: {} } : {}),
    },
  }) as unknown as Redis;
}

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
