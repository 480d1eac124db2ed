/**
 * Origins of market data sources, real or simulated (`source_origins`). Received data is marked with it, and reads return one origin only.
 */
import type { PendingQuery, Row } from 'postgres';
import type { DataSource, StatedOrigin } from '../../../domain/market/data-source.ts';
import type { Sql, Transaction } from '../database.ts';

/** Returns SQL that is true if only real series of a source are read. */
export function readsReal(sql: Sql | Transaction, source: DataSource): PendingQuery<Row[]> {
  return sql`(select reads_real(${source}))`;
}

/** Returns SQL that is true if data of a source that is received now is real. */
export function writesReal(sql: Sql | Transaction, source: DataSource): PendingQuery<Row[]> {
  return sql`(select writes_real(${source}))`;
}

/**
 * Records the origins of this deployment's sources. Returns the sources that are new or changed. @param owner connected as the owner of the
 * tables
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
