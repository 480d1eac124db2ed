/** Rows of resources: how records of actors become them, and how lists read them. Every read names the organization. */
import type { Page, PageOf } from '../../../api/page.ts';
import type { ActorRecord } from '../../domain/actor-step.ts';
import { type Fragment, type Sql, send, type Transaction } from './database.ts';
import { pageOfRows } from './page-of-rows.ts';

/** Statements of a resource's definition. */
interface Written {
  readonly insert: TemplateStringsArray;
  readonly upsert: TemplateStringsArray;
  readonly update: TemplateStringsArray;
}

interface Readable<View> {
  readonly table: string;
  readonly select: readonly string[];
  view(row: Readonly<Record<string, unknown>>): View;
}

type Writer = (transaction: Transaction, records: readonly ActorRecord[]) => Promise<void>;

/** Writes the state in which a step leaves a resource. If a step projects twice, the last record counts. */
export const project = (definition: Written): Writer => writer(definition.upsert);
/** Adds rows; one that is there is an error. */
export const append = (definition: Written): Writer => writer(definition.insert);
/** Changes rows that are there. */
export const revise = (definition: Written): Writer => writer(definition.update);

/** The transaction fails where a row is another organization's, or is missing: its statement then counts fewer rows than were given. */
function writer(text: TemplateStringsArray): Writer {
  return async (transaction, records) => {
    const last = records.length === 1 ? records : [...new Map(records.map((record) => [record['id'], record])).values()];
    send(transaction, transaction(text, transaction.json(last as never)), last.length);
  };
}

/** Returns a text of a definition as a part of a statement. */
export function part(sql: Sql | Transaction, text: string): Fragment {
  return sql(Object.assign([text], { raw: [text] }));
}

/** The columns of a definition, of the table under another name in a join. */
export function columnsOf(sql: Sql | Transaction, { select }: Pick<Readable<unknown>, 'select'>, alias?: string): Fragment {
  return part(sql, (alias === undefined ? select : select.map((column) => `${alias}.${column}`)).join(', '));
}

/** Reads resources of one table by pages, and one of them; `narrowed` is a further condition, beginning with `and`. */
export function createRowReads<View>(sql: Sql, definition: Readable<View>) {
  const from = () => sql`select number, ${columnsOf(sql, definition)} from ${part(sql, definition.table)}`;
  return {
    /** Newest first. The position is the last row's number. */
    async list(orgId: string, { limit, after }: Page, narrowed: Fragment = sql``): Promise<PageOf<View>> {
      const rows = await sql`${from()} where org_id = ${orgId} ${narrowed} ${after === null ? sql`` : sql`and number < ${Number(after)}`}
        order by number desc limit ${limit + 1}`;
      const page = pageOfRows(rows, limit, (row) => String(row['number']));
      return { items: page.items.map(definition.view), next: page.next };
    },

    /** Null if the organization has no such row. */
    async find(orgId: string, id: string, narrowed: Fragment = sql``): Promise<View | null> {
      const [row] = await sql`${from()} where id = ${id} and org_id = ${orgId} ${narrowed}`;
      return row === undefined ? null : definition.view(row);
    },
  };
}
