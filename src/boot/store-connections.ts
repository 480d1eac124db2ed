/** Database of a process: its server, its migrations, and one connection pool per database role. */
import { resolve } from 'node:path';
import { type Servers, startServers } from '../adapters/process/servers.ts';
import type { WriterKey } from '../adapters/signing-keys/writer-keys.ts';
import { announceServiceAlert } from '../adapters/store/actors/service-alerts.ts';
import { type Logins, separateLogins } from '../adapters/store/logins.ts';
import { readyDatabase } from '../adapters/store/ready-database.ts';
import { openServicePools, type ServicePools } from '../adapters/store/service-pools.ts';
import { ROLES, type Role } from './config.ts';
import type { ServiceProcess } from './service-process.ts';
import type { Writer } from '../domain/trail/batch.ts';

export interface StoreConnections extends ServicePools {
  readonly servers: Servers;
  readonly logins: Logins;
  /** Key that signs the log's checkpoints, or null if this process runs no worker. */
  readonly logKey: WriterKey | null;
}

/**
 * Opens the connections.
 * @param commits with `waitsForDisk` false, commits of the service's roles reach the disk with the owner's next commit
 * @throws Error if a server, a setting or a privilege is missing
 */
export async function openStoreConnections(service: ServiceProcess, { waitsForDisk } = { waitsForDisk: true }): Promise<StoreConnections> {
  const { config, log, roles, runs, signal } = service;
  let alert = async (_server: string, _downMs: number): Promise<void> => {};
  const servers = await startServers(config, {
    path: service.path,
    log,
    purpose: 'service',
    signal,
    watch: {
      clock: service.clock,
      onRestarted(server, downMs) {
        service.metrics.serverRestarted(server);
        void alert(server, downMs).catch(service.warn('telling the feeds of a restarted server'));
      },
    },
  });
  service.onStop('the servers', servers.stop);
  if (servers.redisUrl === null && roles.length < ROLES.length && runs('api') !== runs('feed')) {
    throw new Error('api and feed in separate processes pass quotes through Redis: set REDIS_URL, or start every role in one process');
  }
  const { applied, keys, genesis } = await readyDatabase(resolve(config.SEVENGATE_HOME), servers.databaseUrl, selectWriters(roles));
  if (applied.length > 0) log.info({ applied }, 'migrated');
  if (genesis !== null) log.info({ rows: genesis }, 'trail signing is on; rows from before were signed without a check');
  signal.throwIfAborted();
  const logins = await separateLogins(servers.databaseUrl);
  if (logins.shared !== null)
    log.warn(
      { why: logins.shared },
      'the service uses the login that owns the tables: for separate logins grant it CREATEROLE and the admin option on sevengate_app, sevengate_api and sevengate_evaluator',
    );
  if (logins.openFunctions.length > 0)
    log.warn(
      { functions: logins.openFunctions },
      'every login of this database can end sessions and take locks by name; a superuser can revoke that with the last block of migrations/0001_database_roles.sql',
    );
  const pools = openServicePools(logins, {
    name: roles.join(' '),
    keys,
    ownerUrl: servers.databaseUrl,
    waitsForDisk,
    onStop: service.onStop,
  });
  alert = (server, downMs) => announceServiceAlert(pools.sql, service.clock.now(), { what: 'server_restarted', server, downMs });
  return { servers, logins, logKey: keys.log ?? null, ...pools };
}

/** Returns the writers whose keys a process with these roles opens. */
function selectWriters(roles: readonly Role[]): readonly Writer[] {
  const writers = new Set<Writer>();
  if (roles.includes('feed')) writers.add('feed');
  // Both processes that run actors and those that serve their commands assess gates.
  if (roles.includes('worker')) for (const writer of ['worker', 'evaluator', 'log'] as const) writers.add(writer);
  if (roles.includes('api') || roles.includes('sandbox')) for (const writer of ['api', 'evaluator'] as const) writers.add(writer);
  return [...writers];
}
