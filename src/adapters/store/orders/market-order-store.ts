/** Store of manual orders, with the reads of lists and risk. Every read takes the organization. */
import { type MarketOrder, type MarketOrderView, marketOrder } from '../../../../actors/market-order/resource.ts';
import type { RestingOrder, RestingWatchDeps } from '../../../../actors/market-order/resting-watch.ts';
import type { OpenProposal } from '../../../domain/books/book.ts';
import { type DecimalString, plainDecimal } from '../../../domain/values/decimal.ts';
import type { MarketOrderState } from '../../../domain/orders/execution.ts';
import type { ExecutionMode, Order } from '../../../domain/orders/order.ts';
import type { Page, PageOf } from '../../../domain/values/page.ts';
import { withFills } from '../books/order-fills.ts';
import type { Sql, Transaction } from '../database.ts';
import type { Query } from '../queries.ts';
import { createRowReads, part } from '../resource-rows.ts';

/** States in which an order may still be filled, so that its amount is reserved. */
const OPEN = ['approved', 'executing', 'resting', 'withdrawing', 'unknown'] as const satisfies readonly MarketOrderState[];

/** Returns the condition of open orders with literals, so that their partial index is used. */
function isOpen(sql: Sql | Transaction) {
  return part(sql, `state in (${OPEN.map((state) => `'${state}'`).join(', ')})`);
}

export function createMarketOrderStore(sql: Sql) {
  const reads = createRowReads(sql, marketOrder);
  const withTheirFills = (orders: readonly MarketOrder[]): Promise<MarketOrderView[]> =>
    withFills(
      sql,
      orders,
      ({ filledQuantity }) => filledQuantity !== '0',
      (order, fills) => ({ ...order, fills }),
    );

  return {
    /** Lists orders, newest first. The position is the last order's number. */
    async list(
      orgId: string,
      { mode, open }: { readonly mode?: ExecutionMode; readonly open?: boolean },
      page: Page,
    ): Promise<PageOf<MarketOrderView>> {
      const narrowed = sql`${mode === undefined ? sql`` : sql`and mode = ${mode}`} ${open === true ? sql`and ${isOpen(sql)}` : sql``}`;
      const { items, next } = await reads.list(orgId, page, narrowed);
      return { items: await withTheirFills(items), next };
    },

    /** Returns an order; null if the organization has none with the id. */
    async find(orgId: string, id: string): Promise<MarketOrderView | null> {
      const order = await reads.find(orgId, id);
      return order === null ? null : ((await withTheirFills([order]))[0] as MarketOrderView);
    },
  };
}

/** Reads of manual orders on the spot exchange, newest first; a foreign order is answered like a missing one. */
export type MarketOrderReads = ReturnType<typeof createMarketOrderStore>;

/** Reads the unfilled amounts of open orders in a book, which are reserved. */
export function openMarketOrders(sql: Sql | Transaction, orgId: string, bookId: string): Query<readonly OpenProposal[]> {
  return {
    statement: sql`
      select id, order_body, ((order_body->>'quantity')::numeric - filled_quantity)::text as left, bound_usd::text
      from market_orders where org_id = ${orgId} and book_id = ${bookId} and ${isOpen(sql)} order by number`,
    read: (rows: OpenRow[]) =>
      rows.map(({ id, order_body: { instrument, side, notionalUsd }, left, bound_usd }) => ({
        id,
        instrument,
        side,
        quantity: plainDecimal(left),
        notionalUsd: bound_usd === null ? notionalUsd : plainDecimal(bound_usd),
      })),
  };
}

interface OpenRow {
  readonly id: string;
  readonly order_body: Order;
  readonly left: DecimalString;
  readonly bound_usd: DecimalString | null;
}

/** Returns the organization's orders that rest or may begin to rest, which a halt cancels. */
export async function takeableMarketOrders(sql: Sql, orgId: string): Promise<readonly { readonly id: string }[]> {
  return sql<{ id: string }[]>`
    select id from market_orders where org_id = ${orgId} and time_in_force = 'gtc' and ${isOpen(sql)} order by id`;
}

/** Reads the resting and withdrawing orders of every organization, oldest first: manual orders and parts of live proposals. */
export function restingOrders(sql: Sql): Pick<RestingWatchDeps, 'resting' | 'restingParts'> {
  return {
    resting: () => sql<RestingOrder[]>`
      select id, org_id as "orgId", mode from market_orders where state in ('resting', 'withdrawing') order by number`,
    restingParts: () => sql<RestingOrder[]>`
      select id, org_id as "orgId", mode from proposals
      where state = 'executing' and mode = 'live' and book_id is not null and execution->>'phase' = 'resting' order by number`,
  };
}
