/** Orders of people in PostgreSQL, and how lists and risk read them. Every read names the organization. */
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

/** States in which an order may still be filled: what it may come to is reserved. */
const OPEN = ['approved', 'executing', 'resting', 'withdrawing', 'unknown'] as const satisfies readonly MarketOrderState[];

/** The open states, spelled as the index of open orders spells them: by values of its own a statement would read all orders. */
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
    /** Newest first. The position is the last order's number. */
    async list(
      orgId: string,
      { mode, open }: { readonly mode?: ExecutionMode; readonly open?: boolean },
      page: Page,
    ): Promise<PageOf<MarketOrderView>> {
      const narrowed = sql`${mode === undefined ? sql`` : sql`and mode = ${mode}`} ${open === true ? sql`and ${isOpen(sql)}` : sql``}`;
      const { items, next } = await reads.list(orgId, page, narrowed);
      return { items: await withTheirFills(items), next };
    },

    /** Null if the organization has no such order. */
    async find(orgId: string, id: string): Promise<MarketOrderView | null> {
      const order = await reads.find(orgId, id);
      return order === null ? null : ((await withTheirFills([order]))[0] as MarketOrderView);
    },
  };
}

/** Reads of people's orders on the spot exchange, newest first; a foreign order answers null, exactly as a missing one. */
export type MarketOrderReads = ReturnType<typeof createMarketOrderStore>;

/** Reads the reservations of open orders in a book: their remaining parts. */
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

/** Orders of an organization that rest, or may come to rest: what a halt takes back. */
export async function takeableMarketOrders(sql: Sql, orgId: string): Promise<readonly { readonly id: string }[]> {
  return sql<{ id: string }[]>`
    select id from market_orders where org_id = ${orgId} and time_in_force = 'gtc' and ${isOpen(sql)} order by id`;
}

/** Reads the resting or withdrawing orders of every organization, oldest first: people's orders, and parts of live proposals. */
export function restingOrders(sql: Sql): Pick<RestingWatchDeps, 'resting' | 'restingParts'> {
  return {
    resting: () => sql<RestingOrder[]>`
      select id, org_id as "orgId", mode from market_orders where state in ('resting', 'withdrawing') order by number`,
    restingParts: () => sql<RestingOrder[]>`
      select id, org_id as "orgId", mode from proposals
      where state = 'executing' and mode = 'live' and book_id is not null and execution->>'phase' = 'resting' order by number`,
  };
}
