/** Orders of people in PostgreSQL: their projection, and how lists and risk read it. Every read names the organization. */
import type { RestingOrder, RestingWatchDeps } from '../../../../actors/market-order/resting-watch.ts';
import type { MarketOrderReads } from '../../../../api/v1/market-orders/ports.ts';
import type { ActorRecord } from '../../../domain/actor-step.ts';
import type { Fill, OpenProposal } from '../../../domain/book.ts';
import { type DecimalString, plainDecimal } from '../../../domain/decimal.ts';
import type { RiskAttribution } from '../../../domain/decision.ts';
import type { MarketOrderState, TimeInForce } from '../../../domain/execution.ts';
import type { Order } from '../../../domain/order.ts';
import { withFills } from '../books/order-fills.ts';
import type { Sql, Transaction } from '../database.ts';
import type { Query } from '../queries.ts';
import { pageOfRows } from '../page-of-rows.ts';

interface Row {
  readonly id: string;
  readonly number: number;
  readonly state: MarketOrderState;
  readonly reason: string | null;
  readonly detail: string | null;
  readonly order_body: Order;
  readonly decision_price: DecimalString;
  readonly risk: RiskAttribution;
  readonly placed_by: string;
  readonly filled_quantity: DecimalString;
  readonly filled_notional_usd: DecimalString;
  readonly created_at: number;
  readonly changed_at: number;
  readonly time_in_force: TimeInForce;
  readonly post_only: boolean;
  readonly resting_at: DecimalString | null;
}

/** States in which an order may still be filled: what it may come to is reserved. */
const OPEN = ['approved', 'executing', 'resting', 'withdrawing', 'unknown'] as const satisfies readonly MarketOrderState[];

/** Writes where orders stand. */
export function writeMarketOrders(transaction: Transaction, rows: readonly ActorRecord[]): Promise<unknown> {
  return transaction`
    insert into market_orders (id, org_id, mode, book_id, instrument, order_body, decision_price, risk, placed_by, epoch, state, reason, detail,
      filled_quantity, filled_notional_usd, created_at, changed_at, time_in_force, post_only, resting_at, bound_usd)
    select id, "orgId", mode, "bookId", instrument, "order", "decisionPrice", risk, "placedBy", epoch, state, reason, detail,
      "filledQuantity", "filledNotionalUsd", "createdAt", "changedAt", "timeInForce", "postOnly", "restingAt", "boundUsd"
    from jsonb_to_recordset(${transaction.json(rows as never)}) as r(id uuid, "orgId" uuid, mode text, "bookId" text, instrument text, "order" jsonb,
      "decisionPrice" numeric, risk jsonb, "placedBy" text, epoch bigint, state text, reason text, detail text, "filledQuantity" numeric,
      "filledNotionalUsd" numeric, "createdAt" bigint, "changedAt" bigint, "timeInForce" text, "postOnly" boolean, "restingAt" numeric,
      "boundUsd" numeric)
    on conflict (id) do update set state = excluded.state, reason = excluded.reason, detail = excluded.detail, risk = excluded.risk,
      filled_quantity = excluded.filled_quantity, filled_notional_usd = excluded.filled_notional_usd, changed_at = excluded.changed_at,
      resting_at = excluded.resting_at, bound_usd = excluded.bound_usd`;
}

export function createMarketOrderStore(sql: Sql): MarketOrderReads {
  const columns = sql`id, number, state, reason, detail, order_body, decision_price::text, risk, placed_by, filled_quantity::text,
    filled_notional_usd::text, created_at, changed_at, time_in_force, post_only, resting_at::text`;

  const viewsOf = (rows: readonly Row[]) => withFills(sql, rows, ({ filled_quantity }) => filled_quantity !== '0', orderOf);

  return {
    /** Newest first. The position is the last order's number. */
    async list(orgId, filter, { limit, after }) {
      const rows = await sql<Row[]>`
        select ${columns} from market_orders where org_id = ${orgId}
        ${filter.mode === undefined ? sql`` : sql`and mode = ${filter.mode}`}
        ${filter.open === true ? sql`and state in ${sql(OPEN)}` : sql``}
        ${after === null ? sql`` : sql`and number < ${Number(after)}`}
        order by number desc limit ${limit + 1}`;
      const page = pageOfRows(rows, limit, (row) => String(row.number));
      return { items: await viewsOf(page.items), next: page.next };
    },

    /** Null if the organization has no such order. */
    async find(orgId, id) {
      const rows = await sql<Row[]>`select ${columns} from market_orders where id = ${id} and org_id = ${orgId}`;
      return (await viewsOf(rows))[0] ?? null;
    },
  };
}

/** Reads the reservations of open orders in a book: their remaining parts. */
export function openMarketOrders(sql: Sql | Transaction, orgId: string, bookId: string): Query<readonly OpenProposal[]> {
  return {
    statement: sql`
      select id, order_body, ((order_body->>'quantity')::numeric - filled_quantity)::text as left, bound_usd::text
      from market_orders where org_id = ${orgId} and book_id = ${bookId} and state in ${sql(OPEN)} order by number`,
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
    select id from market_orders where org_id = ${orgId} and time_in_force = 'gtc' and state in ${sql(OPEN)} order by id`;
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

function orderOf(row: Row, fills: readonly Fill[]) {
  return {
    id: row.id,
    state: row.state,
    reason: row.reason,
    detail: row.detail,
    order: row.order_body,
    decisionPrice: row.decision_price,
    risk: row.risk,
    placedBy: row.placed_by,
    filledQuantity: row.filled_quantity,
    filledNotionalUsd: row.filled_notional_usd,
    fills,
    createdAt: row.created_at,
    changedAt: row.changed_at,
    timeInForce: row.time_in_force,
    postOnly: row.post_only,
    restingAt: row.resting_at,
  };
}
