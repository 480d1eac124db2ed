/** What an organization has at work over its books, from the sums that triggers keep beside them. */
import { plainDecimal } from '../../../domain/decimal.ts';
import type { ExecutionMode } from '../../../domain/order.ts';
import type { BookSums } from '../../../domain/risk/context.ts';
import type { InstrumentKey } from '../../../domain/venue.ts';
import type { Sql, Transaction } from '../database.ts';

interface SumRow {
  readonly asset: string;
  readonly quantity: string;
  readonly cost_usd: string;
  readonly reserved_usd: string;
}

/** The sums of an organization's books of one mode without what `exceptBookId` adds to them, as one snapshot of the database. */
export async function otherBookSums(sql: Sql | Transaction, orgId: string, mode: ExecutionMode, exceptBookId: string): Promise<BookSums> {
  const rows = await sql<SumRow[]>`
    select asset, sum(quantity)::text as quantity, sum(cost_usd)::text as cost_usd, sum(reserved_usd)::text as reserved_usd from (
      select asset, quantity, cost_usd, reserved_usd from exposures where org_id = ${orgId} and mode = ${mode}
      union all
      select a.key, -(a.value ->> 0)::numeric, -(a.value ->> 1)::numeric, -(a.value ->> 2)::numeric
      from book_exposures b, jsonb_each(b.adds) a where b.book_id = ${exceptBookId} and b.org_id = ${orgId} and b.mode = ${mode}
    ) parts
    group by asset having sum(quantity) <> 0 or sum(cost_usd) <> 0 or sum(reserved_usd) <> 0 order by asset collate "C"`;
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
