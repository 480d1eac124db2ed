/** Rows of resources: writing actors' records and reading lists. Every read takes the organization. */
import type { ActorRecord } from '../../domain/agents/actor-step.ts';
import type { Page, PageOf } from '../../domain/values/page.ts';
import { type Fragment, type Sql, send, type Transaction } from './database.ts';
import { pageOfRows } from './queries.ts';

/** Statements of a resource's definition. */
interface Written {
  readonly table: string;
  readonly unless?: string | undefined;
  readonly insert: TemplateStringsArray;
  readonly upsert: TemplateStringsArray | null;
}

/** Row as read, with field names as column names. */
type Row = Readonly<Record<string, unknown>>;

interface NumberedRow extends Row {
  readonly number: number;
}

interface Readable<View> {
  readonly table: string;
  select(table: string): readonly string[];
  view(row: Row): View;
}

type Writer = (transaction: Transaction, records: readonly ActorRecord[]) => Promise<void>;

/** Creates the writer of a resource's projection. If a step projects twice, the last record counts. */
export function project({ table, upsert }: Written): Writer {
  if (upsert === null) throw new Error(`rows of ${table} can be added, but not changed`);
  return writer(upsert, lastOfEach);
}

/** Creates a writer that adds rows. An existing row is an error, unless the definition ignores it. */
export const append = ({ insert, unless }: Written): Writer => writer(insert, (records) => records, unless === undefined);

/** Creates a writer that changes existing rows. */
export const revise = ({ update }: { readonly update: TemplateStringsArray }): Writer => writer(update, lastOfEach);

/** Returns the last record of each row. */
export const lastOfEach = (records: readonly ActorRecord[]): readonly ActorRecord[] =>
  records.length === 1 ? records : [...new Map(records.map((record) => [record['id'], record])).values()];

/** Creates a writer. With `counts` the transaction fails if a row is missing or belongs to another organization. */
function writer(text: TemplateStringsArray, rowsOf: (records: readonly ActorRecord[]) => readonly ActorRecord[], counts = true): Writer {
  return async (transaction, records) => {
    const rows = rowsOf(records);
    send(transaction, transaction(text, transaction.json(rows)), counts ? rows.length : undefined);
  };
}

/** Returns a definition's text as a part of a statement. */
export function part(sql: Sql | Transaction, text: string): Fragment {
  return sql(Object.assign([text], { raw: [text] }));
}

/** Returns the columns of a definition; the statement names the table `t`, unless `table` is another name. */
export function selectColumns(sql: Sql | Transaction, { select }: Pick<Readable<unknown>, 'select'>, table = 't'): Fragment {
  return part(sql, select(table).join(', '));
}

/** Further columns from other tables, and their join with `t`. */
interface Joined {
  readonly columns: Fragment;
  readonly join: Fragment;
}

/** Creates reads of a table `t`: pages and single rows. `narrowed` is a further condition that begins with `and`. */
export function createRowReads<View>(sql: Sql, definition: Readable<View>, joined?: Joined) {
  const from = sql`select t.number, ${selectColumns(sql, definition)} ${joined === undefined ? sql`` : sql`, ${joined.columns}`}
    from ${part(sql, definition.table)} t ${joined?.join ?? sql``}`;
  const one = async (orgId: string, condition: Fragment): Promise<View | null> => {
    const [row] = await sql<Row[]>`${from} where t.org_id = ${orgId} and ${condition}`;
    return row === undefined ? null : definition.view(row);
  };
  return {
    /** Lists rows, newest first. The position is the last row's number. */
    async list(orgId: string, { limit, after }: Page, narrowed: Fragment = sql``): Promise<PageOf<View>> {
      const rows = await sql<
        NumberedRow[]
      >`${from} where t.org_id = ${orgId} ${narrowed} ${after === null ? sql`` : sql`and t.number < ${Number(after)}`}
        order by t.number desc limit ${limit + 1}`;
      const page = pageOfRows(rows, limit, (row) => String(row.number));
      return { items: page.items.map((row) => definition.view(row)), next: page.next };
    },

    /** Returns a row by id; null if the organization has none. */
    find: (orgId: string, id: string) => one(orgId, sql`t.id = ${id}`),
    /** Returns the organization's row that satisfies a condition, or null. */
    one,
  };
}
