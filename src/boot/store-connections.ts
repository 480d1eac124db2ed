/** The database of a process: its server, its migrations, and one pool of connections per role of the database. */
import { announceServiceAlert } from '../adapters/store/actors/service-alerts.ts';
import { API_ROLE } from '../adapters/store/callers/as-organization.ts';
import { openDatabase, type Sql } from '../adapters/store/database.ts';
import { EVALUATOR_ROLE } from '../adapters/store/gates/evidence-store.ts';
import { type Logins, separateLogins } from '../adapters/store/logins.ts';
import { migrate } from '../adapters/store/migrate.ts';
import { ROLES } from './config.ts';
import { type Servers, startServers } from './servers.ts';
import type { ServiceProcess } from './service-process.ts';

const DATABASE_CONNECTIONS = 20;
const EVALUATOR_CONNECTIONS = 2;
/** A statement for a caller is a short transaction that has its connection to itself. */
const CALLER_CONNECTIONS = 10;

export interface StoreConnections {
  readonly servers: Servers;
  readonly logins: Logins;
  /** Works as the application's role. */
  readonly sql: Sql;
  /** Works as the role that puts evidence on record. */
  readonly evaluator: Sql;
  /** Opens the connections that serve callers, each seeing one organization alone. */
  openCallers(): Sql;
}

/** @throws Error in one sentence where a server, a setting or a privilege is missing. */
export async function openStoreConnections(service: ServiceProcess): Promise<StoreConnections> {
  const { config, log, roles, runs, signal } = service;
  let alert = async (_server: string, _downMs: number): Promise<void> => {};
  const servers = await startServers(config, service.path, log, {
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
  const { applied } = await migrate(servers.databaseUrl);
  if (applied.length > 0) log.info({ applied }, 'migrated');
  signal.throwIfAborted();
  const logins = await separateLogins(servers.databaseUrl);
  if (logins.shared !== null)
    log.warn(
      { why: logins.shared },
      'the service works with the login that owns the tables: grant it CREATEROLE and the admin option on sevengate_app, sevengate_api and sevengate_evaluator to have logins apart',
    );
  const open = (what: string, options: Parameters<typeof openDatabase>[0]): Sql => {
    const sql = openDatabase(options);
    service.onStop(what, () => sql.end({ timeout: 3 }));
    return sql;
  };
  const names = roles.join(' ');
  const sql = open('the database connections', { url: logins.appUrl, connections: DATABASE_CONNECTIONS, name: `sevengate ${names}` });
  alert = (server, downMs) => announceServiceAlert(sql, service.clock.now(), { what: 'server_restarted', server, downMs });
  return {
    servers,
    logins,
    sql,
    evaluator: open('the connections of the evaluator', {
      url: logins.evaluatorUrl,
      role: EVALUATOR_ROLE,
      connections: EVALUATOR_CONNECTIONS,
      name: `sevengate evaluator ${names}`,
    }),
    openCallers: () =>
      open('the connections for callers', {
        url: logins.apiUrl,
        role: API_ROLE,
        connections: CALLER_CONNECTIONS,
        name: `sevengate callers ${names}`,
      }),
  };
}
