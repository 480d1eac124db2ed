/** Exposure of an organization over its books, from sums that triggers maintain. */
import { plainDecimal } from '../../../domain/values/decimal.ts';
import type { ExecutionMode } from '../../../domain/orders/order.ts';
import type { BookSums } from '../../../domain/risk/context.ts';
import type { InstrumentKey } from '../../../domain/market/venue.ts';
import type { Sql, Transaction } from '../database.ts';
import { runQuery, type Query } from '../queries.ts';

interface SumRow {
  readonly place: number;
  readonly asset: string;
  readonly quantity: string;
  readonly cost_usd: string;
  readonly reserved_usd: string;
}

/** Organization's books of one mode, except one. */
export interface OtherBooksOf {
  readonly orgId: string;
  readonly mode: ExecutionMode;
  readonly exceptBookId: string;
}

/** Reads the sums of an organization's books of one mode without the share of `exceptBookId`, in one snapshot. */
export function otherBookSums(sql: Sql | Transaction, asked: OtherBooksOf): Query<BookSums> {
  return { statement: sumRows(sql, [asked]), read: toSums };
}

/** Reads several at once, in the given order. */
export async function readOtherBookSums(sql: Sql | Transaction, asked: readonly OtherBooksOf[]): Promise<readonly BookSums[]> {
  return runQuery({
    statement: sumRows(sql, asked),
    read(rows: SumRow[]) {
      const found = asked.map((): SumRow[] => []);
      for (const row of rows) found[row.place]?.push(row);
      return found.map(toSums);
    },
  });
}

function sumRows(sql: Sql | Transaction, asked: readonly OtherBooksOf[]) {
  return sql`
    with asked as (
      select * from jsonb_to_recordset(${sql.json(asked.map((one, place) => ({ ...one, place })))})
        as r(place int, "orgId" uuid, mode text, "exceptBookId" text)
    )
    select place, asset, sum(quantity)::text as quantity, sum(cost_usd)::text as cost_usd, sum(reserved_usd)::text as reserved_usd from (
      select asked.place, asset, quantity, cost_usd, reserved_usd from asked join exposures e on e.org_id = asked."orgId" and e.mode = asked.mode
      union all
      select asked.place, a.key, -(a.value ->> 0)::numeric, -(a.value ->> 1)::numeric, -(a.value ->> 2)::numeric
      from asked join book_exposures b on b.book_id = asked."exceptBookId" and b.org_id = asked."orgId" and b.mode = asked.mode
        and b.book_id = any(${asked.map(({ exceptBookId }) => exceptBookId)}::text[]), jsonb_each(b.adds) a
    ) parts
    group by place, asset having sum(quantity) <> 0 or sum(cost_usd) <> 0 or sum(reserved_usd) <> 0 order by place, asset collate "C"`;
}

function toSums(rows: readonly SumRow[]): BookSums {
  const cash = rows.find(({ asset }) => asset === 'USD');
  return {
    cashUsd: plainDecimal(cash?.quantity ?? '0'),
    assets: rows
      .filter(({ asset }) => asset !== 'USD')
      .map((row) => ({
        instrument: row.asset as InstrumentKey,
        quantity: plainDecimal(row.quantity),
        costUsd: plainDecimal(row.cost_usd),
        reservedUsd: plainDecimal(row.reserved_usd),
      })),
  };
}
