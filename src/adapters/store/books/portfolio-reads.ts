/** Reads of the fills behind open positions. */
import type { OpenPosition, PositionFills } from '../../../trading/portfolio.ts';
import type { Sql } from '../database.ts';

export function createPositionFills(sql: Sql): PositionFills {
  return { fillsOfPositions: (positions, limit) => fillsOfPositions(sql, positions, limit) };
}

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
