/** Opens connections to Redis: to one server, or to a cluster of them. */
import { Cluster, Redis, type RedisOptions } from 'ioredis';
import { isCluster } from './redis-url.ts';

/** Version of Redis's protocol whose answers the service reads. */
const PROTOCOL = 2;

/** Options of a connection: a part of the library's. */
interface ClientOptions {
  readonly maxRetriesPerRequest: number | null;
  readonly commandTimeout?: number;
  readonly enableOfflineQueue?: boolean;
  readonly autoResubscribe?: boolean;
  /** Milliseconds to the next attempt to connect. */
  readonly retryStrategy: (attempt: number) => number;
}

/**
 * Connects. A cluster is used like one server: what is written together lies in one slot of it, and channels reach every node.
 * Its answer to PUBLISH counts listeners of one node alone.
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
