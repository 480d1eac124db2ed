/** The database of a process: its server, its migrations, and one pool of connections per role of the database. */

import { type Servers, startServers } from '../adapters/servers.ts';
import type { WriterKey } from '../adapters/signing-keys/writer-keys.ts';
import { announceServiceAlert } from '../adapters/store/actors/service-alerts.ts';
import { API_ROLE } from '../adapters/store/callers/as-organization.ts';
import { openDatabase, type Sql } from '../adapters/store/database.ts';
import { EVALUATOR_ROLE } from '../adapters/store/gates/evidence-store.ts';
import { type Logins, separateLogins } from '../adapters/store/logins.ts';
import { ROLES } from './config.ts';
import type { ServiceProcess } from './service-process.ts';
import { readyDatabase, writersOf } from './writers.ts';

const DATABASE_CONNECTIONS = 20;
const FEED_CONNECTIONS = 6;
const EVALUATOR_CONNECTIONS = 2;
/** A statement for a caller is a short transaction that has its connection to itself. */
const CALLER_CONNECTIONS = 10;

export interface StoreConnections {
  readonly servers: Servers;
  readonly logins: Logins;
  /** Works as the application's role; what it changes is signed by the worker, or where this process runs none, by who does the work. */
  readonly sql: Sql;
  /** The same for the feed, which signs what it has heard. */
  readonly feed: Sql;
  /** Signs the checkpoints of the log; null where this process runs no worker. */
  readonly logKey: WriterKey | null;
  /** Works as the owner of the tables, for what no role of the service may do. */
  asOwner<Value>(work: (owner: Sql) => Promise<Value>): Promise<Value>;
  /** Works as the role that puts evidence on record. */
  readonly evaluator: Sql;
  /** Opens the connections that serve callers, each seeing one organization alone. */
  openCallers(): Sql;
}

/** @throws Error in one sentence where a server, a setting or a privilege is missing. */
export async function openStoreConnections(service: ServiceProcess): Promise<StoreConnections> {
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
  const { applied, keys, genesis } = await readyDatabase(config, servers.databaseUrl, writersOf(roles));
  if (applied.length > 0) log.info({ applied }, 'migrated');
  if (genesis !== null)
    log.info({ rows: genesis }, 'from now on every change of the trail is signed; what was there before was signed as it was found');
  signal.throwIfAborted();
  const logins = await separateLogins(servers.databaseUrl);
  if (logins.shared !== null)
    log.warn(
      { why: logins.shared },
      'the service works with the login that owns the tables: grant it CREATEROLE and the admin option on sevengate_app, sevengate_api and sevengate_evaluator to have logins apart',
    );
  if (logins.openFunctions.length > 0)
    log.warn(
      { functions: logins.openFunctions },
      'every login of this database may end sessions and take locks by name: a superuser takes that away with the last block of migrations/0020_signed_trail.sql',
    );
  const open = (what: string, options: Parameters<typeof openDatabase>[0]): Sql => {
    const sql = openDatabase(options);
    service.onStop(what, () => sql.end({ timeout: 3 }));
    return sql;
  };
  const names = roles.join(' ');
  const writer = keys.worker ?? keys.api ?? keys.feed;
  const signed = writer === undefined ? {} : { writer };
  const sql = open('the database connections', {
    url: logins.appUrl,
    connections: DATABASE_CONNECTIONS,
    name: `sevengate ${names}`,
    ...signed,
  });
  alert = (server, downMs) => announceServiceAlert(sql, service.clock.now(), { what: 'server_restarted', server, downMs });
  return {
    servers,
    logins,
    sql,
    feed:
      keys.feed === undefined
        ? sql
        : open('the connections of the feed', {
            url: logins.appUrl,
            connections: FEED_CONNECTIONS,
            name: `sevengate feed ${names}`,
            writer: keys.feed,
          }),
    logKey: keys.log ?? null,
    async asOwner(work) {
      const owner = openDatabase({ url: servers.databaseUrl, connections: 2, role: null, name: `sevengate owner ${names}`, ...signed });
      return work(owner).finally(() => owner.end({ timeout: 3 }));
    },
    evaluator: open('the connections of the evaluator', {
      url: logins.evaluatorUrl,
      role: EVALUATOR_ROLE,
      connections: EVALUATOR_CONNECTIONS,
      name: `sevengate evaluator ${names}`,
      ...(keys.evaluator === undefined ? {} : { writer: keys.evaluator }),
    }),
    openCallers: () =>
      open('the connections for callers', {
        url: logins.apiUrl,
        role: API_ROLE,
        connections: CALLER_CONNECTIONS,
        name: `sevengate callers ${names}`,
        ...(keys.api === undefined ? {} : { writer: keys.api }),
      }),
  };
}
