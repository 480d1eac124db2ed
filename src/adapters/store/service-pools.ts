/** The connections of one process of the service: a pool for each role of the database, which signs what it changes. */
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
/** A statement for a caller is a short transaction that has its connection to itself. */
const CALLER_CONNECTIONS = 10;

export interface ServicePools {
  /** Works as the application's role; what it changes is signed by the worker, or where this process runs none, by who does the work. */
  readonly sql: Sql;
  /** The same for the feed, which signs what it has received. */
  readonly feed: Sql;
  /** Works as the owner of the tables, for what no role of the service may do. */
  asOwner<Value>(work: (owner: Sql) => Promise<Value>): Promise<Value>;
  /** Works as the role that puts evidence on record. */
  readonly evaluator: Sql;
  /** Opens the connections that serve callers, each seeing one organization alone. */
  openCallers(): Sql;
}

export function openServicePools(
  { appUrl, apiUrl, evaluatorUrl }: Pick<Logins, 'appUrl' | 'apiUrl' | 'evaluatorUrl'>,
  deps: {
    /** Names the process in what PostgreSQL shows of its connections. */
    readonly name: string;
    readonly keys: Readonly<Partial<Record<Writer, WriterKey>>>;
    /** URL of the login that owns the tables. */
    readonly ownerUrl: string;
    /** False: only the owner's commits are waited for on disk, each with everything that was committed before it. */
    readonly waitsForDisk: boolean;
    /** Is told how each pool is closed. */
    readonly onStop: (what: string, stop: () => Promise<unknown>) => void;
  },
): ServicePools {
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
    sql,
    feed: keys.feed === undefined ? sql : open('the connections of the feed', received),
    async asOwner(work) {
      const owner = openDatabase({ url: deps.ownerUrl, connections: 2, role: null, name: `sevengate owner ${name}`, ...signed });
      return work(owner).finally(() => owner.end({ timeout: 3 }));
    },
    evaluator: open('the connections of the evaluator', { ...evidence, ...signedBy(keys.evaluator) }),
    openCallers: () => open('the connections for callers', { ...callers, ...signedBy(keys.api) }),
  };
}
