/**
 * Databases reused by tests with their connections and cached plans, emptied in between. A new database and its first
 * connections cost a second of processor time, emptying one a tenth of it.
 */
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { inject } from 'vitest';
import { openWriterKeys, type WriterKey } from '../../src/adapters/signing-keys/writer-keys.ts';
import { API_ROLE } from '../../src/adapters/store/callers/as-organization.ts';
import { openDatabase, type Sql } from '../../src/adapters/store/database.ts';
import { EVALUATOR_ROLE } from '../../src/adapters/store/gates/evidence-store.ts';
import { registerWriters } from '../../src/adapters/store/trail/writer-registry.ts';
import { newRunFolder } from './temporary-files.ts';

export interface Borrowed {
  readonly url: string;
  /** Pool of the worker, which signs if there are keys. */
  readonly sql: Sql;
  /** Pool of the feed; the worker's pool if nothing is signed. */
  readonly feedSql: Sql;
  /** Pool of the owner of the tables. */
  readonly owner: Sql;
  /** Pools of the API's callers and of their evaluator. Default: the worker's pool. */
  readonly callers: Sql;
  readonly evaluator: Sql;
  readonly writer: WriterKey | undefined;
  /** Empties it for the next test. A database with changed tables or guards, or one still in use, is dropped. */
  giveBack(): Promise<void>;
}

interface Place extends Omit<Borrowed, 'giveBack'> {
  /** Folder with the keys of its writers. */
  readonly home: string | undefined;
  /** Statements that restore its initial rows. */
  readonly restore: string;
  readonly shape: string;
}

export interface Wanted {
  readonly connections: number;
  /** State folder with keys, with which the worker and the feed sign. The keys are those of the previous test. */
  readonly home?: string | undefined;
  /** Number of connections for the API's callers. */
  readonly callers?: number | undefined;
}

/** Free databases by their options. */
const free = new Map<string, Place[]>();

/** Borrows a migrated database for one test, or for all tests of a file. */
export async function borrowDatabase(options: Wanted): Promise<Borrowed> {
  const kind = `${options.connections} ${options.callers} ${options.home !== undefined}`;
  const waiting = free.get(kind) ?? [];
  free.set(kind, waiting);
  const place = waiting.pop() ?? (await openPlace(options));
  if (options.home !== undefined && place.home !== undefined)
    cpSync(join(place.home, 'keys'), join(options.home, 'keys'), { recursive: true });
  return {
    ...place,
    async giveBack() {
      if (await isEmptied(place)) waiting.push(place);
      else await Promise.all([...poolsOf(place), place.owner].map((pool) => pool.end({ timeout: 1 })));
    },
  };
}

function poolsOf({ sql, feedSql, callers, evaluator }: Place): Sql[] {
  return [...new Set([sql, feedSql, callers, evaluator])];
}

async function openPlace({ connections, callers: atOnce, home: given }: Wanted): Promise<Place> {
  const isSigned = given !== undefined;
  const answer = await fetch(`${inject('servers')}/database/reusable`);
  if (!answer.ok) throw new Error(`no database for tests: ${await answer.text()}`);
  const url = (await answer.json()) as string;
  const owner = openDatabase({ url, connections: 1, role: null, name: 'owner of a test' });
  const home = isSigned ? newRunFolder('keys-') : undefined;
  const keys = home === undefined ? null : openWriterKeys(home, ['worker', 'feed']);
  if (keys !== null) await registerWriters(url, [keys.worker, keys.feed]);
  const sql = openDatabase({ url, name: 'actors of a test', connections, ...(keys === null ? {} : { writer: keys.worker }) });
  const feedSql = keys === null ? sql : openDatabase({ url, name: 'feed test', connections: 1, writer: keys.feed });
  const callers = atOnce === undefined ? sql : openDatabase({ url, role: API_ROLE, name: 'callers of a test', connections: atOnce });
  const evaluator = atOnce === undefined ? sql : openDatabase({ url, role: EVALUATOR_ROLE, name: 'evaluator of a test', connections: 1 });
  const pools = { sql, feedSql, callers, evaluator, owner };
  return { url, ...pools, home, writer: keys?.worker, restore: await restoring(owner), shape: await shapeOf(owner) };
}

/** Returns statements that restore the present rows, which are copied to separate tables. */
async function restoring(owner: Sql): Promise<string> {
  const tables = await owner<{ name: string; columns: string }[]>`
    select c.oid::regclass::text as name, string_agg(quote_ident(a.attname), ', ' order by a.attnum) as columns
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
    where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' group by c.oid order by 1`;
  const filled = new Set(await everFilled(owner));
  await owner`create schema kept`;
  const restore: string[] = [];
  for (const { name, columns } of tables.filter((table) => filled.has(table.name))) {
    await owner.unsafe(`create table kept.${name} as select ${columns} from ${name}`);
    restore.push(`insert into ${name} (${columns}) overriding system value select ${columns} from kept.${name};`);
  }
  restore.push('select setval(seqrelid, seqstart, false) from pg_sequence;');
  return restore.join('\n');
}

/** Returns tables that have or had rows: checking each would cost more than emptying these. */
async function everFilled(owner: Sql): Promise<string[]> {
  const tables = await owner<{ name: string }[]>`
    select oid::regclass::text as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' and pg_relation_size(oid) > 0`;
  return tables.map(({ name }) => name);
}

/** Returns a digest of tables, columns, guards and rules: a test that changed them keeps its database. */
async function shapeOf(owner: Sql): Promise<string> {
  const [shape] = await owner<{ digest: string }[]>`
    select md5(concat(
      (select string_agg(concat(oid, tgenabled), ',' order by oid) from pg_trigger),
      (select string_agg(oid::text, ',' order by oid) from pg_constraint),
      (select string_agg(concat(oid, relnatts, relrowsecurity, relacl), ',' order by oid) from pg_class where relnamespace = 'public'::regnamespace),
      (select string_agg(concat(oid, md5(prosrc)), ',' order by oid) from pg_proc where pronamespace = 'public'::regnamespace))) as digest`;
  return shape?.digest ?? '';
}

async function isEmptied(place: Place): Promise<boolean> {
  const { owner, restore, shape } = place;
  try {
    const [busy] = await owner`
      select 1 from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid() and state is distinct from 'idle' and backend_type = 'client backend'`;
    if (busy !== undefined || (await shapeOf(owner)) !== shape) return false;
    const filled = await everFilled(owner);
    const emptied = filled.map((name) => `delete from ${name};`).join('\n');
    await owner.unsafe(`begin; set local session_replication_role = replica; ${emptied} ${restore} commit;`);
    await Promise.all(poolsOf(place).map((pool) => pool`select 1`));
    return true;
  } catch {
    // Its connections are gone, or its rows are locked: the next test gets a new one.
    return false;
  }
}
