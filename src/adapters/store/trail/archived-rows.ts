/**
 * Makes archived rows available to a verification: in its transaction the names of the archived tables cover both database and files, so
 * that both are verified by the same reads and signatures.
 */
import type { PendingQuery, Row } from 'postgres';
import type { EpochMs } from '../../../domain/values/time.ts';
import type { Sql, Transaction } from '../database.ts';
import { MOVED_TABLES, type MovedTable, movedStretches, readStretch } from './history-archive.ts';
import { ASSESSED_TABLES } from './signed-rows.ts';

/** Rows per statement. */
const ROWS_AT_ONCE = 5_000;
const MOST = 100;

/** Receives one difference: time, agent, affected part, and a sentence. */
type Complain = (at: EpochMs, agentId: string | null, part: string, detail: string) => unknown;

interface Moved {
  /** Columns of the key. */
  readonly key: readonly string[];
  /** Returns the condition that a row `p` of the database is not archived. */
  readonly stays: (sql: Transaction) => Fragment;
  /** Returns the time of a row `p` in milliseconds. */
  readonly at: (sql: Transaction) => Fragment;
}
type Fragment = PendingQuery<Row[]>;

const bySlot = {
  stays: (sql: Transaction) => sql`p.slot >= (select max(until_slot) from public.moved_history)`,
  at: (sql: Transaction) => sql`p.slot`,
};

const MOVED: Readonly<Record<MovedTable, Moved>> = {
  cuts: { key: ['slot'], ...bySlot },
  observations: { key: ['slot', 'instrument'], ...bySlot },
  decisions: { key: ['agent_id', 'slot'], ...bySlot },
  tick_inputs: {
    key: ['agent_id', 'slot'],
    stays: (sql) => sql`p.slot >= (select coalesce(max(until_slot), 0) from public.moved_history where inputs is not null)`,
    at: bySlot.at,
  },
  steps: {
    key: ['actor_id', 'version'],
    stays: (sql) => sql`not exists (select 1 from public.moved_actors m where m.actor_id = p.actor_id)`,
    at: (sql) => sql`p.at`,
  },
  audit: {
    key: ['seq'],
    stays: (sql) => sql`p.seq >= (select coalesce(max(audit_until), 0) from public.moved_history)`,
    at: (sql) => sql`floor(extract(epoch from p.at) * 1000)::bigint`,
  },
  trail_changes: {
    key: ['xid', 'seq'],
    stays: (sql) => sql`not exists (select 1 from public.trail_log l
      where l.xid = p.xid and l.index < (select coalesce(max(logged_until), 0) from public.moved_history))`,
    at: (sql) => sql`coalesce((select b.at from public.trail_batches b where b.xid = p.xid), 0)`,
  },
};

/** Returns true if rows of this database are in archive files. */
export async function hasMoved(sql: Parameters<typeof movedStretches>[0]): Promise<boolean> {
  return (await movedStretches(sql)).length > 0;
}

/**
 * Loads archived rows into temporary tables of this read-write transaction and returns the number of periods. @param folder folder of the
 * files, or null
 */
export async function bringBack(sql: Transaction, folder: string | null, complain: Complain): Promise<number> {
  const stretches = await movedStretches(sql);
  const boundary = stretches.at(-1)?.until;
  if (boundary === undefined) return 0;
  const tables = await movingTables(sql);
  for (const table of tables) await sql`create temporary table ${sql(archived(table))} (like ${sql(`public.${table}`)}) on commit drop`;
  let from = 0;
  for (const stretch of stretches) {
    const name = `${stretch.file} (${stretch.decisions} decisions, ${stretch.observations} observations, ${stretch.inputs} inputs of ticks, ${stretch.steps} steps, ${stretch.leaves} leaves before ${new Date(stretch.until).toISOString()})`;
    if (stretch.from !== from) complain(stretch.from, null, 'archive', `the stretch before ${name} is not on record`);
    from = stretch.until;
    const fault =
      folder === null ? 'history was moved to it, and no folder of archives was given' : await takeIn(sql, tables, folder, stretch);
    if (fault !== null) complain(stretch.from, null, 'archive', `${name}: ${fault}`);
  }
  for (const table of tables) {
    await sql`create index on ${sql(archived(table))} (${sql(MOVED[table].key as string[])})`;
    await sql`analyze ${sql(archived(table))}`;
    if (table === 'trail_changes') await sql`create index on archived_trail_changes (name, key, seq)`;
    await compareKept(sql, table, complain);
    await sql`
      create temporary view ${sql(table)} as
      select * from ${sql(`public.${table}`)} p where ${MOVED[table].stays(sql)}
      union all select * from ${sql(archived(table))}`;
  }
  if (tables.includes('trail_changes')) await requireNewestLeaves(sql, complain);
  return stretches.length;
}

/** Returns the archived tables; older databases lack inputs, steps, audit and leaves. */
async function movingTables(sql: Transaction): Promise<readonly MovedTable[]> {
  const [ready] = await sql<{ inputs: boolean; actors: boolean; leaves: boolean }[]>`
    select to_regproc('public.inputs_moved_until') is not null as inputs, to_regclass('public.moved_actors') is not null as actors,
      to_regclass('public.trail_thinned_batches') is not null as leaves`;
  const later: Partial<Record<MovedTable, boolean | undefined>> = {
    tick_inputs: ready?.inputs,
    steps: ready?.actors,
    audit: ready?.actors,
    trail_changes: ready?.leaves,
  };
  return MOVED_TABLES.filter((table) => later[table] ?? true);
}

/**
 * Checks that the newest leaf of every assessed row is in the database, without which the row does not count. A cut needs it as long as its
 * observations are stored.
 */
async function requireNewestLeaves(sql: Transaction, complain: Complain): Promise<void> {
  const missing = await sql<{ at: EpochMs; xid: string; name: string; key: string }[]>`
    select coalesce(b.at, 0) as at, a.xid::text as xid, a.name, a.key from archived_trail_changes a left join public.trail_batches b on b.xid = a.xid
    where a.op <> 'sum' and a.name = any(${ASSESSED_TABLES.filter((name) => name !== 'cut_batches')}::text[])
      and (a.name <> 'steps' or exists (select 1 from actors t where t.id::text = split_part(a.key, ' ', 1) and t.kind = 'agent'))
      and not exists (select 1 from public.trail_changes p where p.name = a.name and hashtext(p.key) = hashtext(a.key) and p.key = a.key and p.seq >= a.seq)
    order by 1 limit ${MOST}`;
  for (const { at, xid, name, key } of missing)
    complain(at, null, 'archive', `row ${key} of ${name} is assessed by, and what transaction ${xid} signed of it is in the archive alone`);
}

/** Compares archived rows that are still in the database with the file, including the newest decision of each actor. */
async function compareKept(sql: Transaction, table: MovedTable, complain: Complain): Promise<void> {
  const [first, ...rest] = MOVED[table].key.map((column) => sql`${sql(`a.${column}`)} = ${sql(`p.${column}`)}`);
  const sameKey = rest.reduce((before, next) => sql`${before} and ${next}`, first as NonNullable<typeof first>);
  const others = await sql<{ slot: EpochMs; row: string }[]>`
    select ${MOVED[table].at(sql)} as slot, left(to_jsonb(p)::text, 200) as row from ${sql(`public.${table}`)} p
    where not (${MOVED[table].stays(sql)})
      and not exists (select 1 from ${sql(archived(table))} a where ${sameKey} and to_jsonb(a) = to_jsonb(p))
    order by 1 limit ${MOST}`;
  for (const { slot, row } of others)
    complain(slot, null, 'archive', `a row of ${table} is not the one that was moved to the archive: ${row}`);
}

const archived = (table: MovedTable): string => `archived_${table}`;

async function takeIn(
  sql: Transaction,
  tables: readonly MovedTable[],
  folder: string,
  stretch: Parameters<typeof readStretch>[1],
): Promise<string | null> {
  const waiting = Object.fromEntries(MOVED_TABLES.map((table) => [table, []])) as unknown as Record<MovedTable, string[]>;
  const put = async (inner: Sql | Transaction, table: MovedTable): Promise<void> => {
    await inner`
      insert into ${inner(archived(table))} select * from jsonb_populate_recordset(null::${inner(`public.${table}`)}, ${`[${waiting[table].splice(0).join(',')}]`}::text::jsonb)`;
  };
  try {
    return await sql.savepoint(async (inner) => {
      const fault = await readStretch(folder, stretch, async (table, row) => {
        if (waiting[table].push(row) >= ROWS_AT_ONCE) await put(inner, table);
      });
      for (const table of tables) await put(inner, table);
      return fault;
    });
  } catch (error) {
    return `its rows cannot be read: ${(error as Error).message}`;
  }
}
