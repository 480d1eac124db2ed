/** Store of orders on prediction markets, with the reads of lists and risk and the settlement of resolved markets. */
import { type PredictionOrder, type PredictionOrderView, predictionOrder } from '../../../../actors/prediction-order/resource.ts';
import type { ContainedLoop } from '../../../../actors/runtime/containment.ts';
import type { ActorRecord } from '../../../domain/agents/actor-step.ts';
import type { OpenProposal, Position } from '../../../domain/books/book.ts';
import type { ExecutionMode } from '../../../domain/orders/order.ts';
import type { PredictionMarket } from '../../../domain/prediction/market.ts';
import { type PredictionOrderState, readOutcomeKey } from '../../../domain/prediction/prediction-order.ts';
import type { Page, PageOf } from '../../../domain/values/page.ts';
import type { EpochMs } from '../../../domain/values/time.ts';
import type { InstrumentKey } from '../../../domain/market/venue.ts';
import { writeSettlements } from '../books/book-store.ts';
import { withFills } from '../books/order-fills.ts';
import type { Fragment, Sql, Transaction } from '../database.ts';
import type { Query } from '../queries.ts';
import { createRowReads } from '../resource-rows.ts';
import { createSignedRows, UnsignedRow } from '../trail/signed-rows.ts';

/** Notifies orders of their transactions' results by a timer that is due at once, in the caller's transaction. */
export function tellPredictionOrders(transaction: Transaction, rows: readonly ActorRecord[]): Promise<unknown> {
  return transaction`
    insert into timers (actor_id, timer_id, due_at, event)
    select "orderId", 'told', 0, event from jsonb_to_recordset(${transaction.json(rows)}) as r("orderId" uuid, event jsonb)
    on conflict (actor_id, timer_id) do nothing`;
}

export function createPredictionOrderStore(sql: Sql) {
  const reads = createRowReads(sql, predictionOrder);
  const withTheirFills = (orders: readonly PredictionOrder[]): Promise<PredictionOrderView[]> =>
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
      { mode, state, marketId }: { readonly mode?: ExecutionMode; readonly state?: PredictionOrderState; readonly marketId?: string },
      page: Page,
    ): Promise<PageOf<PredictionOrderView>> {
      const narrowed = sql`${mode === undefined ? sql`` : sql`and mode = ${mode}`} ${state === undefined ? sql`` : sql`and state = ${state}`}
        ${marketId === undefined ? sql`` : sql`and market_id = ${marketId}`}`;
      const { items, next } = await reads.list(orgId, page, narrowed);
      return { items: await withTheirFills(items), next };
    },

    /** Returns the account of a wallet's position in an outcome as the venue named it; null if no order opened one. */
    async positionOf(orgId: string, wallet: string, instrument: string): Promise<string | null> {
      const [row] = await sql<{ account: string }[]>`
        select onchain->>'positionAccount' as account from prediction_orders
        where org_id = ${orgId} and instrument = ${instrument} and onchain->>'wallet' = ${wallet} and filled_quantity > 0
        order by number desc limit 1`;
      return row?.account ?? null;
    },

    /** Returns an order; null if the organization has none with the id. */
    async find(orgId: string, id: string): Promise<PredictionOrderView | null> {
      const order = await reads.find(orgId, id);
      return order === null ? null : ((await withTheirFills([order]))[0] as PredictionOrderView);
    },
  };
}

/** Reads of orders on prediction markets, newest first; a foreign order is answered like a missing one. */
export type PredictionOrderStore = ReturnType<typeof createPredictionOrderStore>;

/** Maximum positions per settlement run, in turns by organization. */
const SETTLED_AT_ONCE = 100;

interface SettledRow {
  readonly book_id: string;
  readonly org_id: string;
  readonly holding: Position;
  readonly market: PredictionMarket;
}

/**
 * Settles positions of all organizations in resolved markets, each once, by the provider's last payouts. Skips positions that cannot be
 * settled, and those with an open sale: it may have filled before, and the payout is of what it left. Returns the number of settled
 * positions.
 */
export async function settleResolved(sql: Sql, at: EpochMs, contained: ContainedLoop): Promise<number> {
  const due = await sql<SettledRow[]>`
    select b.id as book_id, b.org_id, h.holding, m.body as market
    from books b cross join lateral readable_elements(b.holdings) as h(holding)
    join prediction_markets m on m.id = substring(h.holding->>'instrument' from '^prediction:(pm-[0-9a-f]{24})[.](?:yes|no)$')
    where m.status = 'resolved' and m.body->'outcomes'->0->>'payout' is not null and not ${saleIsOpen(sql, sql`h.holding->>'instrument'`)}
    order by row_number() over (partition by b.org_id order by b.id, h.holding->>'instrument'), b.id limit ${SETTLED_AT_ONCE + contained.waiting}`;
  const signed = await signedResolutions(sql, [...new Set(due.map(({ market }) => market.id))]);
  let settled = 0;
  await contained.each(
    due,
    ({ book_id, org_id: orgId, holding }) => ({ id: `${book_id} ${holding.instrument}`, orgId }),
    async (row) => {
      if (!signed.has(row.market.id)) throw new UnsignedRow(`no writer signed the resolution of market ${row.market.id}`);
      settled += await settleOne(sql, row, at);
    },
  );
  return settled;
}

/** Returns whether the venue has yet to report the end of a live sale of an instrument from book `b`. */
function saleIsOpen(sql: Sql | Transaction, instrument: Fragment | InstrumentKey): Fragment {
  return sql`exists (
    select 1 from prediction_orders o where o.org_id = b.org_id and o.book_id = b.id and o.mode = 'live'
      and o.state in ('prepared', 'submitted', 'open', 'partially_filled') and o.instrument = ${instrument} and o.order_body->>'side' = 'sell')`;
}

/** Returns the markets whose stored resolution and payouts the feed has signed. Any other resolution pays nobody. */
async function signedResolutions(sql: Sql, marketIds: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await sql<{ id: string; key: string }[]>`
    select m.id, c.market_id || ' ' || c.received_at || ' ' || c.status as key from prediction_markets m cross join lateral (
      select market_id, received_at, status, payouts from prediction_status_changes where market_id = m.id order by received_at desc limit 1) c
    where m.id = any(${marketIds as string[]}::text[]) and c.status = m.status and c.payouts is not distinct from prediction_payouts(m.body)`;
  const signed = await createSignedRows(sql).signedOnes(
    'prediction_status_changes',
    rows.map(({ key }) => key),
  );
  return new Set(rows.flatMap(({ id, key }) => (signed.has(key) ? [id] : [])));
}

async function settleOne(sql: Sql, row: SettledRow, at: EpochMs): Promise<number> {
  const { instrument } = row.holding;
  const outcome = readOutcomeKey(instrument)?.outcome;
  const payout = row.market.outcomes.find(({ side }) => side === outcome)?.payout ?? null;
  // A resolution without a payout cannot be settled yet.
  if (payout === null) return 0;
  return sql.begin(async (transaction) => {
    // Read after locking the book: an open order may have been filled meanwhile.
    const [book] = await transaction<{ holdings: readonly Position[] }[]>`
      select holdings from books b where id = ${row.book_id} and not ${saleIsOpen(transaction, instrument)} for update`;
    const held = book?.holdings.find((each) => each.instrument === instrument);
    if (held === undefined) return 0;
    const { quantity, costUsd } = held;
    await writeSettlements(transaction, [{ orgId: row.org_id, settlement: { bookId: row.book_id, instrument, quantity, payout, at } }]);
    await transaction`
      insert into prediction_settlements (book_id, instrument, org_id, market_id, quantity, payout, cost_usd, at)
      values (${row.book_id}, ${instrument}, ${row.org_id}, ${row.market.id}, ${quantity}, ${payout}, ${costUsd}, ${at})`;
    return 1;
  });
}

/**
 * Reads the reserved amounts of live orders in a book: notional minus fills. Until an order's transaction is final, the transaction holds
 * the reservation.
 */
export function openPredictionOrders(sql: Sql | Transaction, orgId: string, bookId: string): Query<readonly OpenProposal[]> {
  const statement = sql`
    select o.id, o.instrument, o.order_body->>'side' as side, trim_scale(greatest((o.order_body->>'quantity')::numeric - o.filled_quantity, 0))::text as quantity,
      trim_scale(greatest((o.order_body->>'notionalUsd')::numeric - o.filled_notional_usd, 0))::text as "notionalUsd"
    from prediction_orders o join prepared_transactions t on t.id = o.transaction_id
    where o.org_id = ${orgId} and o.book_id = ${bookId} and o.mode = 'live'
      and (o.state in ('open', 'partially_filled') or o.state in ('prepared', 'submitted') and t.state = 'finalized') order by o.number`;
  return { statement, read: (rows: OpenProposal[]) => rows };
}

/** Returns the markets of outcome instruments by instrument; leaves out other and unknown instruments. */
export async function marketsOfOutcomes(sql: Sql, instruments: readonly InstrumentKey[]): Promise<ReadonlyMap<string, PredictionMarket>> {
  const ids = new Set(instruments.flatMap((key) => readOutcomeKey(key)?.marketId ?? []));
  if (ids.size === 0) return new Map();
  const rows = await sql<{ body: PredictionMarket }[]>`select body from prediction_markets where id = any(${[...ids]}::text[])`;
  return new Map(rows.map(({ body }) => [body.id, body]));
}
