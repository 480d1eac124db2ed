/** Reads of the fills behind open positions. */
import type { Sql } from '../database.ts';
import type { EpochMs } from '../../../domain/values/time.ts';
import type { InstrumentKey } from '../../../domain/market/venue.ts';

/** An open position whose fills are read. */
interface OpenPosition {
  readonly bookId: string;
  readonly instrument: InstrumentKey;
  readonly openedAt: EpochMs;
}

export function createPositionFills(sql: Sql) {
  return {
    /** Returns ids of the newest fills of open positions, at most `limit` each, newest first, by `<book> <instrument>`. */
    fillsOfPositions: (positions: readonly OpenPosition[], limit: number): Promise<ReadonlyMap<string, readonly string[]>> =>
      fillsOfPositions(sql, positions, limit),
  };
}

/** Reads of a portfolio besides the inputs of risk. */
export type PositionFills = ReturnType<typeof createPositionFills>;

async function fillsOfPositions(
  sql: Sql,
  positions: readonly OpenPosition[],
  limit: number,
): Promise<ReadonlyMap<string, readonly string[]>> {
  if (positions.length === 0) return new Map();
  const rows = await sql<{ book_id: string; instrument: string; ids: string[] }[]>`
    select p."bookId" as book_id, p.instrument, coalesce(array_agg(f.id order by f.number desc) filter (where f.id is not null), '{}') as ids
    from jsonb_to_recordset(${sql.json(positions)}) as p("bookId" text, instrument text, "openedAt" bigint)
    left join lateral (
      select id, number from fills
      where book_id = p."bookId" and instrument = p.instrument and at >= p."openedAt" order by number desc limit ${limit}
    ) f on true
    group by 1, 2`;
  return new Map(rows.map(({ book_id, instrument, ids }) => [`${book_id} ${instrument}`, ids]));
}
