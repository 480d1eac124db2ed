/**
 * Queries that can run alone or combined into one statement, so that the facts of an order need one round trip and come from one snapshot.
 */
import type postgres from 'postgres';
import type { PageOf } from '../../domain/values/page.ts';
import type { Sql, Transaction } from './database.ts';

/** Unsent statement and the parser of its rows. Amounts must be selected as text, because JSON would turn them into floats. */
export interface Query<Value> {
  readonly statement: postgres.PendingQuery<postgres.Row[]>;
  readonly read: (rows: never[]) => Value;
}

/** Runs one query. */
export async function runQuery<Value>({ statement, read }: Query<Value>): Promise<Value> {
  return read([...(await statement)] as never[]);
}

/** Runs queries as one statement on one snapshot. */
export async function runQueries<Values extends object>(
  sql: Sql | Transaction,
  queries: { readonly [Name in keyof Values]: Query<Values[Name]> },
): Promise<Values> {
  const asked = Object.entries(queries) as [string, Query<unknown>][];
  const parts = asked.map(([name, { statement }]) => sql`(select coalesce(json_agg(r), '[]') from (${statement}) r) as ${sql(name)}`);
  const [found] = await sql<{ [name: string]: never[] }[]>`select ${parts.reduce((before, part) => sql`${before}, ${part}`)}`;
  return Object.fromEntries(asked.map(([name, { read }]) => [name, read(found?.[name] ?? [])])) as Values;
}

/** Drops the extra row and returns the position of the next page. */
export function pageOfRows<Row>(rows: readonly Row[], limit: number, position: (row: Row) => string): PageOf<Row> {
  const last = rows[limit - 1];
  return rows.length > limit && last !== undefined ? { items: rows.slice(0, limit), next: position(last) } : { items: rows, next: null };
}

/** Escapes a text for `ilike`, to match anywhere. */
export function anywhere(text: string): string {
  return `%${text.replaceAll(/[\\%_]/g, (sign) => `\\${sign}`)}%`;
}
