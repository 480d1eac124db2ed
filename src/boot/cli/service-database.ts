/** The database of the service for a command that only reads: the one that the settings name, or the embedded one. */
import { createLog } from '../log.ts';
import { startServers } from '../servers.ts';
import { settings } from './settings.ts';

/** Shares the servers of a running service, or starts the embedded ones until `close`. @throws Error in one sentence. */
export async function serviceDatabase(): Promise<{ readonly url: string; close(): Promise<void> }> {
  const config = settings();
  const servers = await startServers(
    { ...config, QUEUE_BACKEND: config.REDIS_URL === null ? 'postgres' : config.QUEUE_BACKEND },
    '',
    createLog('error'),
  );
  return { url: servers.databaseUrl, close: servers.stop };
}
