/** What a portfolio reads besides books: the fills that open positions were made of. */
import type { EpochMs } from '../../../domain/time.ts';
import type { InstrumentKey } from '../../../domain/venue.ts';
import type { Sql } from '../database.ts';

/** An open position whose fills are asked for. */
export interface OpenPosition {
  readonly bookId: string;
  readonly instrument: InstrumentKey;
  readonly openedAt: EpochMs;
}

/** Ids of the newest fills of open positions, at most `limit` of each, newest first; by `<book> <instrument>`. */
export async function fillsOfPositions(
  sql: Sql,
  positions: readonly OpenPosition[],
  limit: number,
): Promise<ReadonlyMap<string, readonly string[]>> {
  if (positions.length === 0) return new Map();
  const rows = await sql<{ book_id: string; instrument: string; ids: string[] }[]>`
    select p."bookId" as book_id, p.instrument, coalesce(array_agg(f.id order by f.number desc) filter (where f.id is not null), '{}') as ids
    from jsonb_to_recordset(${sql.json(positions as never)}) as p("bookId" text, instrument text, "openedAt" bigint)
    left join lateral (
      select id, number from fills
      where book_id = p."bookId" and instrument = p.instrument and at >= p."openedAt" order by number desc limit ${limit}
    ) f on true
    group by 1, 2`;
  return new Map(rows.map(({ book_id, instrument, ids }) => [`${book_id} ${instrument}`, ids]));
}
