/** Database of the service for a command: the one in the option or the settings, or the embedded one. */
import { resolve } from 'node:path';
import type { openDatabase, Sql } from '../adapters/store/database.ts';
import type { BatchSigner } from '../adapters/store/trail/batch-seal.ts';
import type { Service } from './ports.ts';

interface Place {
  readonly url: string;
  close(): Promise<void>;
}

/** Shares the servers of a running service, or starts the embedded ones until `close`. @throws Error if none can be reached or started */
export async function serviceDatabase({ settings }: Pick<Service, 'settings'>): Promise<Place> {
  const config = settings();
  const [{ createLog }, { startServers }] = await Promise.all([import('../adapters/log/log.ts'), import('../adapters/process/servers.ts')]);
  const backend = config.REDIS_URL === null ? 'postgres' : config.QUEUE_BACKEND;
  const servers = await startServers({ ...config, QUEUE_BACKEND: backend }, { path: '', log: createLog('error') });
  return { url: servers.databaseUrl, close: servers.stop };
}

export interface DatabaseUse extends Partial<Pick<Parameters<typeof openDatabase>[0], 'connections' | 'role' | 'readOnly'>> {
  /** Name of the connections: `sevengate <command>`. */
  readonly name: string;
  /** URL of another database than the configured one. */
  readonly url?: string | undefined;
  /** Signer of the written batches. */
  readonly writer?: (url: string) => Promise<BatchSigner | null | undefined>;
}

/** Opens the database (by default with one connection), runs the work, and always closes it. */
export async function withDatabase<Result>(
  service: Pick<Service, 'settings'>,
  { url: named, writer, ...use }: DatabaseUse,
  work: (sql: Sql, url: string) => Promise<Result>,
): Promise<Result> {
  const { url, close }: Place = named === undefined ? await serviceDatabase(service) : { url: named, close: async () => {} };
  try {
    const key = await writer?.(url);
    const { openDatabase } = await import('../adapters/store/database.ts');
    const sql = openDatabase({ connections: 1, ...use, url, ...(key ? { writer: key } : {}) });
    try {
      return await work(sql, url);
    } finally {
      await sql.end({ timeout: 3 });
    }
  } finally {
    await close();
  }
}

/**
 * Runs work on the database as its owner, with the writer key of a part of the service: long imports exceed a request's time limit, and
 * written rows are signed.
 */
export function withWriterDatabase<Result>(
  service: Pick<Service, 'settings'>,
  name: string,
  work: (sql: Sql, url: string) => Promise<Result>,
  writer: 'feed' | 'worker' | 'api' | 'owner' = 'feed',
): Promise<Result> {
  const readPublicKey = async (url: string) => {
    const { readyDatabase } = await import('../adapters/store/ready-database.ts');
    return (await readyDatabase(resolve(service.settings().SEVENGATE_HOME), url, [writer])).keys[writer];
  };
  return withDatabase(service, { name, connections: 2, role: null, writer: readPublicKey }, work);
}
