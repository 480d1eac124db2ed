/** Adds fills to the views of orders: proposals, manual orders and swaps. */
import type { Fill } from '../../../domain/books/book.ts';
import type { Sql } from '../database.ts';

/** Returns the view of every row with its fills in booking order. Only rows that satisfy `isFilled` are looked up. */
export async function withFills<Row extends { readonly id: string }, View>(
  sql: Sql,
  rows: readonly Row[],
  isFilled: (row: Row) => boolean,
  viewOf: (row: Row, fills: readonly Fill[]) => View,
): Promise<View[]> {
  const fills = await readFills(
    sql,
    rows.filter(isFilled).map(({ id }) => id),
  );
  return rows.map((row) =>
    viewOf(
      row,
      fills.filter(({ orderId }) => orderId === row.id),
    ),
  );
}

async function readFills(sql: Sql, orderIds: string[]): Promise<readonly Fill[]> {
  if (orderIds.length === 0) return [];
  return sql<Fill[]>`
    select id, order_id as "orderId", book_id as "bookId", instrument, side, quantity::text, fill_price::text as "fillPrice", fee_usd::text as "feeUsd",
      notional_usd::text as "notionalUsd", decision_price::text as "decisionPrice", slippage_bps as "slippageBps", at, quotes
    from fills where order_id = any(${orderIds}::text[]) order by number`;
}
