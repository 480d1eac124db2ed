/** The database of the service for a command that only reads: the one that the settings name, or the embedded one. */
import { startServers } from '../../adapters/servers.ts';
import { createLog } from '../log.ts';
import { settings } from './settings.ts';

/** Shares the servers of a running service, or starts the embedded ones until `close`. @throws Error in one sentence. */
export async function serviceDatabase(): Promise<{ readonly url: string; close(): Promise<void> }> {
  const config = settings();
  const backend = config.REDIS_URL === null ? 'postgres' : config.QUEUE_BACKEND;
  const servers = await startServers({ ...config, QUEUE_BACKEND: backend }, { path: '', log: createLog('error') });
  return { url: servers.databaseUrl, close: servers.stop };
}
