/** Store of shadow orders and the windows of flow that measure them. The worker writes what was sent, the feed what it received. */
import { Decimal, plainDecimal } from '../../../domain/values/decimal.ts';
import { flowDigest, readFlow } from '../../../domain/shadow/flow.ts';
import { measureShadow, type ShadowMeasurement, type ShadowOrder } from '../../../domain/shadow/measure.ts';
import type { EpochMs } from '../../../domain/values/time.ts';
import type { InstrumentKey } from '../../../domain/market/venue.ts';
import type { TrustedKey } from '../../signing-keys/writer-keys.ts';
import type { FillRecord } from '../books/book-store.ts';
import type { Sql, Transaction } from '../database.ts';

/** Records how paper fills of agents at the shadow stage were sent. */
export async function writeShadowOrders(transaction: Transaction, records: readonly FillRecord[]): Promise<void> {
  const sent = records.flatMap(({ fill, sent: part }) => {
    if (part === undefined) return [];
    const { limitPrice, restedSince } = part;
    const rested = restedSince !== null;
    return [
      {
        fillId: fill.id,
        bookId: fill.bookId,
        limitPrice: rested ? fill.fillPrice : limitPrice,
        sentAt: restedSince ?? fill.at,
        restedUntil: rested ? fill.at : null,
      },
    ];
  });
  if (sent.length === 0) return;
  await transaction`
    insert into shadow_orders (fill_id, org_id, limit_price, sent_at, rested_until)
    select r."fillId", a.org_id, r."limitPrice", r."sentAt", r."restedUntil" from jsonb_to_recordset(${transaction.json(sent)})
      as r("fillId" text, "bookId" text, "limitPrice" numeric, "sentAt" bigint, "restedUntil" bigint)
    join books b on b.id = r."bookId" and b.mode = 'paper' join agents a on a.id = b.agent_id and a.stage = 'shadow'`;
}

interface OrderRow {
  fill_id: string;
  instrument: InstrumentKey;
  side: 'buy' | 'sell';
  quantity: string;
  limit_price: string;
  sent_at: EpochMs;
  rested_until: EpochMs | null;
}

function toOrder(row: OrderRow): ShadowOrder {
  return {
    id: row.fill_id,
    instrument: row.instrument,
    side: row.side,
    quantity: plainDecimal(row.quantity),
    limitPrice: plainDecimal(row.limit_price),
    sentAt: row.sent_at,
    restedUntil: row.rested_until,
  };
}

export interface MeasuredOrder {
  readonly order: ShadowOrder;
  readonly measurement: ShadowMeasurement;
  /** Canonical JSON of the window. */
  readonly flow: string;
}

/** @param sql connections on which the feed signs */
export function createShadowStore(sql: Sql) {
  return {
    /** Returns the universes of agents at the shadow stage. */
    async instruments(): Promise<readonly InstrumentKey[]> {
      const rows = await sql<{ key: InstrumentKey }[]>`
        select distinct u ->> 'key' as key from agents a join manifests m on m.agent_id = a.id and m.version = a.manifest_version
        cross join lateral readable_elements(readable_json(m.canonical) -> 'universe') u where a.stage = 'shadow' and u ->> 'key' is not null`;
      return rows.map(({ key }) => key);
    },

    /** Returns unmeasured orders since an instant, oldest first. */
    async unmeasured(since: EpochMs, limit: number): Promise<readonly ShadowOrder[]> {
      const rows = await sql<OrderRow[]>`
        select o.fill_id, f.instrument, f.side, f.quantity, o.limit_price, o.sent_at, o.rested_until
        from shadow_orders o join fills f on f.id = o.fill_id
        where o.sent_at > ${since} and not exists (select 1 from shadow_windows w where w.fill_id = o.fill_id)
        order by row_number() over (partition by o.org_id order by o.sent_at), o.sent_at limit ${limit}`;
      return rows.map(toOrder);
    },

    /** Records measurements with the text of their flow. Existing ones stay unchanged. */
    async write(found: readonly MeasuredOrder[]): Promise<void> {
      await sql.begin(
        (transaction) =>
          transaction`
          insert into shadow_windows (fill_id, org_id, rule, from_at, until_at, trades, books, outcome, reason, quantity, price, digest, flow)
          select r.id, o.org_id, r.rule, r."from", r."until", r.trades, r.books, r.outcome, r.reason, r.quantity, r.price, r.digest, r.flow
          from jsonb_to_recordset(${transaction.json(found.map(toRow))}) as r(id text, rule text, "from" bigint, "until" bigint,
            trades int, books int, outcome text, reason text, quantity numeric, price numeric, digest text, flow text)
          join shadow_orders o on o.fill_id = r.id on conflict (fill_id) do nothing`,
      );
    },
  };
}

export type ShadowStore = ReturnType<typeof createShadowStore>;

const toRow = ({ order: { id }, measurement, flow }: MeasuredOrder) => ({ id, ...measurement, digest: flowDigest(flow), flow });

interface WindowRow extends OrderRow {
  agent_id: string | null;
  measured_at: EpochMs;
  rule: string | null;
  from_at: EpochMs;
  until_at: EpochMs;
  trades: number;
  books: number;
  outcome: string;
  reason: string | null;
  flow_quantity: string | null;
  flow_price: string | null;
  digest: string;
  flow: string;
  key_id: string | null;
}

/**
 * Returns problems of some or all windows: not signed by the feed, a digest that does not match, or a different result when measured again.
 */
export async function shadowFaults(
  sql: Sql | Transaction,
  feedKeys: readonly string[],
  fillIds: readonly string[] | null = null,
): Promise<readonly { readonly at: EpochMs; readonly agentId: string | null; readonly fault: string }[]> {
  const rows = await sql<WindowRow[]>`
    select w.*, w.quantity as flow_quantity, w.price as flow_price, f.instrument, f.side, f.quantity, o.limit_price, o.sent_at, o.rested_until, b.agent_id, s.key_id
    from shadow_windows w join shadow_orders o on o.fill_id = w.fill_id join fills f on f.id = w.fill_id join books b on b.id = f.book_id
    left join lateral (select c.key_id from trail_changes h join trail_batches c on c.xid = h.xid
      where h.name = 'shadow_windows' and hashtext(h.key) = hashtext(w.fill_id) and h.key = w.fill_id order by h.seq desc limit 1) s on true
    ${fillIds === null ? sql`` : sql`where w.fill_id = any(${fillIds as string[]}::text[])`} order by w.measured_at`;
  return rows.flatMap((row) => {
    const fault =
      row.key_id === null || !feedKeys.includes(row.key_id)
        ? `key ${row.key_id ?? 'of nobody'} put it on record, and it is no key of the feed`
        : measuredFault(row);
    return fault === null ? [] : [{ at: row.measured_at, agentId: row.agent_id, fault: `the flow beside fill ${row.fill_id}: ${fault}` }];
  });
}

function measuredFault(row: WindowRow): string | null {
  const digest = flowDigest(row.flow);
  if (digest !== row.digest) return `it hashes to ${digest}, its row says ${row.digest}`;
  const window = readFlow(row.flow);
  if (window === null) return 'it is no flow of a window';
  let again: ShadowMeasurement;
  try {
    again = measureShadow(toOrder(row), window);
  } catch (error) {
    return (error as Error).message;
  }
  const said = [row.rule, row.from_at, row.until_at, row.trades, row.books, row.outcome, row.reason].join(' ');
  const found = [again.rule, again.from, again.until, again.trades, again.books, again.outcome, again.reason].join(' ');
  const same = said === found && isEqual(row.flow_quantity, again.quantity) && isEqual(row.flow_price, again.price);
  return same
    ? null
    : `it comes to ${again.outcome} ${again.quantity ?? ''} at ${again.price ?? 'no price'}, its row says ${row.outcome} ${row.flow_quantity ?? ''} at ${row.flow_price ?? 'no price'}`;
}

const isEqual = (one: string | null, other: string | null): boolean =>
  one === null || other === null ? one === other : new Decimal(one).eq(other);

/** Names invalid windows; none in a database without this migration. */
export async function verifyShadowWindows(
  sql: Transaction,
  keys: readonly TrustedKey[],
  complain: (at: EpochMs, agentId: string | null, part: string, detail: string) => unknown,
): Promise<void> {
  const [ready] = await sql<{ ready: boolean }[]>`select to_regclass('shadow_windows') is not null as ready`;
  if (ready?.ready !== true) return;
  const feeds = keys.filter(({ writer }) => writer === 'feed').map(({ id }) => id);
  for (const { at, agentId, fault } of await shadowFaults(sql, feeds)) complain(at, agentId, 'shadow flow', fault);
}
