/** Queries that can be asked alone, or several of them as one statement: what one order is assessed by is one round trip and one snapshot. */
import type postgres from 'postgres';
import type { Sql, Transaction } from './database.ts';

/** A statement that was not sent yet, and how its rows are read. Amounts must be texts in them: JSON would make them floats. */
export interface Query<Value> {
  readonly statement: postgres.PendingQuery<postgres.Row[]>;
  readonly read: (rows: never[]) => Value;
}

/** Asks one query. */
export async function answerOf<Value>({ statement, read }: Query<Value>): Promise<Value> {
  return read([...(await statement)] as never[]);
}

/** Asks queries as one statement, all on the same snapshot of the database. */
export async function answersOf<Values extends object>(
  sql: Sql | Transaction,
  queries: { readonly [Name in keyof Values]: Query<Values[Name]> },
): Promise<Values> {
  const asked = Object.entries(queries) as [string, Query<unknown>][];
  const parts = asked.map(([name, { statement }]) => sql`(select coalesce(json_agg(r), '[]') from (${statement}) r) as ${sql(name)}`);
  const [found] = await sql<{ [name: string]: never[] }[]>`select ${parts.reduce((before, part) => sql`${before}, ${part}`)}`;
  return Object.fromEntries(asked.map(([name, { read }]) => [name, read(found?.[name] ?? [])])) as Values;
}
