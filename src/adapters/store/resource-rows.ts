/** Rows of resources: how records of actors become them, and how lists read them. Every read names the organization. */
import type { ActorRecord } from '../../domain/agents/actor-step.ts';
import type { Page, PageOf } from '../../domain/values/page.ts';
import { type Fragment, type Sql, send, type Transaction } from './database.ts';
import { pageOfRows } from './page-of-rows.ts';

/** Statements of a resource's definition. */
interface Written {
  readonly table: string;
  readonly unless?: string | undefined;
  readonly insert: TemplateStringsArray;
  readonly upsert: TemplateStringsArray | null;
}

/** A row as it is read: its columns under the names of their fields. */
type Row = Readonly<Record<string, unknown>>;

interface NumberedRow extends Row {
  readonly number: number;
}

interface Readable<View> {
  readonly table: string;
  readonly select: readonly string[];
  view(row: Row): View;
}

type Writer = (transaction: Transaction, records: readonly ActorRecord[]) => Promise<void>;

/** Writes the state in which a step leaves a resource. If a step projects twice, the last record counts. */
export function project({ table, upsert }: Written): Writer {
  if (upsert === null) throw new Error(`nothing of ${table} changes: its rows are only added`);
  return writer(upsert, lastOfEach);
}

/** Adds rows. One that is there is an error, unless the definition leaves it out. */
export const append = ({ insert, unless }: Written): Writer => writer(insert, (records) => records, unless === undefined);

/** Changes rows that are there. */
export const revise = ({ update }: { readonly update: TemplateStringsArray }): Writer => writer(update, lastOfEach);

/** The last record of each row: what a step leaves if it projects twice. */
export const lastOfEach = (records: readonly ActorRecord[]): readonly ActorRecord[] =>
  records.length === 1 ? records : [...new Map(records.map((record) => [record['id'], record])).values()];

/**
 * Builds a writer. With `counts` the transaction fails if a row is missing or belongs to another organization: the statement then writes
 * fewer rows.
 */
function writer(text: TemplateStringsArray, rowsOf: (records: readonly ActorRecord[]) => readonly ActorRecord[], counts = true): Writer {
  return async (transaction, records) => {
    const rows = rowsOf(records);
    send(transaction, transaction(text, transaction.json(rows)), counts ? rows.length : undefined);
  };
}

/** Returns a text of a definition as a part of a statement. */
export function part(sql: Sql | Transaction, text: string): Fragment {
  return sql(Object.assign([text], { raw: [text] }));
}

/** The columns of a definition, of a table that the statement calls `t`. */
export function columnsOf(sql: Sql | Transaction, { select }: Pick<Readable<unknown>, 'select'>): Fragment {
  return part(sql, select.map((column) => `t.${column}`).join(', '));
}

/** Columns of other tables that a read shows, and how they are joined to the table, `t`. */
interface Joined {
  readonly columns: Fragment;
  readonly join: Fragment;
}

/** Reads resources of one table, `t`, by pages, and one of them. `narrowed` is a further condition, beginning with `and`. */
export function createRowReads<View>(sql: Sql, definition: Readable<View>, joined?: Joined) {
  const from = sql`select t.number, ${columnsOf(sql, definition)} ${joined === undefined ? sql`` : sql`, ${joined.columns}`}
    from ${part(sql, definition.table)} t ${joined?.join ?? sql``}`;
  const one = async (orgId: string, condition: Fragment): Promise<View | null> => {
    const [row] = await sql<Row[]>`${from} where t.org_id = ${orgId} and ${condition}`;
    return row === undefined ? null : definition.view(row);
  };
  return {
    /** Newest first. The position is the last row's number. */
    async list(orgId: string, { limit, after }: Page, narrowed: Fragment = sql``): Promise<PageOf<View>> {
      const rows = await sql<
        NumberedRow[]
      >`${from} where t.org_id = ${orgId} ${narrowed} ${after === null ? sql`` : sql`and t.number < ${Number(after)}`}
        order by t.number desc limit ${limit + 1}`;
      const page = pageOfRows(rows, limit, (row) => String(row.number));
      return { items: page.items.map((row) => definition.view(row)), next: page.next };
    },

    /** Null if the organization has no such row. */
    find: (orgId: string, id: string) => one(orgId, sql`t.id = ${id}`),
    /** The row that satisfies a condition; null if none of the organization does. */
    one,
  };
}
