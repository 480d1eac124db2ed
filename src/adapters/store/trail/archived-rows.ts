/**
 * The rows of archive files beside those of the database, for a verification: in its transaction `decisions`, `observations`
 * and `cuts` name both, so that what was moved is proved by the same reads and the same signed sums as what was not.
 */
import type { EpochMs } from '../../../domain/time.ts';
import type { Sql, Transaction } from '../database.ts';
import { MOVED_TABLES, type MovedTable, movedStretches, readStretch } from './history-archive.ts';

/** Rows that one statement takes in. */
const ROWS_AT_ONCE = 5_000;
const MOST = 100;

/** Is told of one thing that is not as it was moved. */
type Complain = (at: EpochMs, agentId: string | null, part: string, detail: string) => unknown;

const KEYS = { cuts: ['slot'], observations: ['slot', 'instrument'], decisions: ['agent_id', 'slot'] } as const;

/** Whether rows of this database lie in archive files. */
export async function hasMoved(sql: Parameters<typeof movedStretches>[0]): Promise<boolean> {
  return (await movedStretches(sql)).length > 0;
}

/**
 * Takes the archive's rows into temporary tables of this transaction, which must be one that may write.
 * @param folder where the files lie; null where none was given. @returns how many stretches were read.
 */
export async function bringBack(sql: Transaction, folder: string | null, complain: Complain): Promise<number> {
  const stretches = await movedStretches(sql);
  const boundary = stretches.at(-1)?.until;
  if (boundary === undefined) return 0;
  for (const table of MOVED_TABLES)
    await sql`create temporary table ${sql(archived(table))} (like ${sql(`public.${table}`)}) on commit drop`;
  let from = 0;
  for (const stretch of stretches) {
    const name = `${stretch.file} (${stretch.decisions} decisions, ${stretch.observations} observations before ${new Date(stretch.until).toISOString()})`;
    if (stretch.from !== from) complain(stretch.from, null, 'archive', `the stretch before ${name} is not on record`);
    from = stretch.until;
    const fault = folder === null ? 'history was moved to it, and no folder of archives was given' : await takeIn(sql, folder, stretch);
    if (fault !== null) complain(stretch.from, null, 'archive', `${name}: ${fault}`);
  }
  for (const table of MOVED_TABLES) {
    await sql`create index on ${sql(archived(table))} (${sql(KEYS[table] as readonly string[] as string[])})`;
    await sql`analyze ${sql(archived(table))}`;
    await compareKept(sql, table, complain);
    await sql`
      create temporary view ${sql(table)} as
      select * from ${sql(`public.${table}`)} where slot >= (select max(until_slot) from public.moved_history)
      union all select * from ${sql(archived(table))}`;
  }
  return stretches.length;
}

/** Rows that are not taken away yet, and the newest decision of each actor, which stays: they must be those of the file. */
async function compareKept(sql: Transaction, table: MovedTable, complain: Complain): Promise<void> {
  const [first, ...rest] = KEYS[table].map((column) => sql`${sql(`a.${column}`)} = ${sql(`p.${column}`)}`);
  const sameKey = rest.reduce((before, next) => sql`${before} and ${next}`, first as NonNullable<typeof first>);
  const others = await sql<{ slot: EpochMs; row: string }[]>`
    select slot, left(to_jsonb(p)::text, 200) as row from ${sql(`public.${table}`)} p
    where slot < (select max(until_slot) from public.moved_history)
      and not exists (select 1 from ${sql(archived(table))} a where ${sameKey} and to_jsonb(a) = to_jsonb(p))
    order by 1 limit ${MOST}`;
  for (const { slot, row } of others)
    complain(slot, null, 'archive', `a row of ${table} is not the one that was moved to the archive: ${row}`);
}

const archived = (table: MovedTable): string => `archived_${table}`;

async function takeIn(sql: Transaction, folder: string, stretch: Parameters<typeof readStretch>[1]): Promise<string | null> {
  const waiting: Record<MovedTable, string[]> = { cuts: [], observations: [], decisions: [] };
  const put = async (inner: Sql | Transaction, table: MovedTable): Promise<void> => {
    await inner`
      insert into ${inner(archived(table))} select * from jsonb_populate_recordset(null::${inner(`public.${table}`)}, ${`[${waiting[table].splice(0).join(',')}]`}::text::jsonb)`;
  };
  try {
    return await sql.savepoint(async (inner) => {
      const fault = await readStretch(folder, stretch, async (table, row) => {
        if (waiting[table].push(row) >= ROWS_AT_ONCE) await put(inner, table);
      });
      for (const table of MOVED_TABLES) await put(inner, table);
      return fault;
    });
  } catch (error) {
    return `its rows cannot be read: ${(error as Error).message}`;
  }
}
