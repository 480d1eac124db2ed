/** Database connections of one process: a pool per database role, which signs its changes. */
import type { Writer } from '../../domain/trail/batch.ts';
import type { WriterKey } from '../signing-keys/writer-keys.ts';
import { API_ROLE } from './callers/as-organization.ts';
import { openDatabase, type Sql } from './database.ts';
import { EVALUATOR_ROLE } from './gates/evidence-store.ts';
import type { Logins } from './logins.ts';

/** Statements go round all connections of a pool, and each makes its own plans: more than the server has use for cost more than they carry. */
const DATABASE_CONNECTIONS = 5;
const FEED_CONNECTIONS = 3;
const EVALUATOR_CONNECTIONS = 2;
/** Connections for API callers, whose statements are short transactions. */
const CALLER_CONNECTIONS = 10;

export type ServicePools = ReturnType<typeof openServicePools>;

export function openServicePools(
  { appUrl, apiUrl, evaluatorUrl }: Pick<Logins, 'appUrl' | 'apiUrl' | 'evaluatorUrl'>,
  deps: {
    /** Name in PostgreSQL's list of connections. */
    readonly name: string;
    readonly keys: Readonly<Partial<Record<Writer, WriterKey>>>;
    /** URL of the login that owns the tables. */
    readonly ownerUrl: string;
    /** False to wait for the disk only on the owner's commits, which include everything committed before. */
    readonly waitsForDisk: boolean;
    /** Receives the closing function of each pool. */
    readonly onStop: (what: string, stop: () => Promise<unknown>) => void;
  },
) {
  const { name, keys, waitsForDisk } = deps;
  const open = (what: string, options: Parameters<typeof openDatabase>[0]): Sql => {
    const opened = openDatabase({ ...options, waitsForDisk });
    deps.onStop(what, () => opened.end({ timeout: 3 }));
    return opened;
  };
  const signedBy = (writer: WriterKey | undefined) => (writer === undefined ? {} : { writer });
  const signed = signedBy(keys.worker ?? keys.api ?? keys.feed);
  const shared = { url: appUrl, connections: DATABASE_CONNECTIONS, name: `sevengate ${name}`, ...signed };
  const received = { url: appUrl, connections: FEED_CONNECTIONS, name: `sevengate feed ${name}`, ...signedBy(keys.feed) };
  const evidence = { url: evaluatorUrl, role: EVALUATOR_ROLE, connections: EVALUATOR_CONNECTIONS, name: `sevengate evaluator ${name}` };
  const callers = { url: apiUrl, role: API_ROLE, connections: CALLER_CONNECTIONS, name: `sevengate callers ${name}` };
  const sql = open('the database connections', shared);
  return {
    /** Connections with the application's role. Changes are signed by the worker, or by the process's own writer if it runs no worker. */
    sql,
    /** Connections of the feed, which signs received data. */
    feed: keys.feed === undefined ? sql : open('the connections of the feed', received),
    /** Runs work as the owner of the tables, for what no role of the service may do. */
    async asOwner<Value>(work: (owner: Sql) => Promise<Value>): Promise<Value> {
      const owner = openDatabase({ url: deps.ownerUrl, connections: 2, role: null, name: `sevengate owner ${name}`, ...signed });
      return work(owner).finally(() => owner.end({ timeout: 3 }));
    },
    /** Connections with the evaluator's role, which writes evidence. */
    evaluator: open('the connections of the evaluator', { ...evidence, ...signedBy(keys.evaluator) }),
    /** Opens the connections for API callers, each restricted to one organization. */
    openCallers: (): Sql => open('the connections for callers', { ...callers, ...signedBy(keys.api) }),
  };
}
