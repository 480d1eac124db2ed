/** Sources of market data that are real (`source_origins`). Received data is marked by it, and reads are of one kind. */
import type { PendingQuery, Row } from 'postgres';
import type { DataSource, StatedOrigin } from '../../../domain/market/data-source.ts';
import type { Sql, Transaction } from '../database.ts';

/** SQL: true if only real series of a source are read. */
export function readsReal(sql: Sql | Transaction, source: DataSource): PendingQuery<Row[]> {
  return sql`(select reads_real(${source}))`;
}

/** SQL: true if what is received of a source now is real. */
export function writesReal(sql: Sql | Transaction, source: DataSource): PendingQuery<Row[]> {
  return sql`(select writes_real(${source}))`;
}

/**
 * Writes down what the sources of this deployment are, if that is new. Answers the sources that changed or are told for the first time.
 * @param owner works as the owner of the tables.
 */
export async function stateOrigins(owner: Sql, origins: Readonly<Record<DataSource, StatedOrigin>>): Promise<readonly string[]> {
  const rows = await owner.begin(async (transaction) => {
    await transaction`lock table source_origins in share row exclusive mode`;
    return transaction<{ source: string }[]>`
      insert into source_origins (source, at, origin)
      select o.key, gate_now(), o.value from jsonb_each_text(${transaction.json(origins)}) o
      where o.value <> origin_at(o.key, 9223372036854775807) returning source`;
  });
  return rows.map(({ source }) => source).sort();
}
