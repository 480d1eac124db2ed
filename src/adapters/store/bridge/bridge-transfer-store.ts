/** Store of bridge transfers, with the reads of lists, limits and the portfolio. */
import type { SettledArrivals } from '../../../../actors/bridge-transfer/ports.ts';
import { bridgeTransfer } from '../../../../actors/bridge-transfer/resource.ts';
import type { ActorRecord } from '../../../domain/agents/actor-step.ts';
import { IN_TRANSIT_STATES, type TransferState } from '../../../domain/bridge/axes.ts';
import type { TransferStep } from '../../../domain/bridge/course.ts';
import type { BridgeProviderName } from '../../../domain/bridge/quote.ts';
import type { TransitAmount } from '../../../domain/bridge/transit.ts';
import type { Page } from '../../../domain/values/page.ts';
import type { Sql, Transaction } from '../database.ts';
import type { Query } from '../queries.ts';
import { createRowReads } from '../resource-rows.ts';

/** Assigns arrivals to their transfers. @throws Error if one is already assigned to another transfer, so that the step is not committed */
export async function writeBridgeArrivals(transaction: Transaction, rows: readonly ActorRecord[]): Promise<void> {
  const given = transaction`select * from jsonb_to_recordset(${transaction.json(rows)})
    as r(chain text, hash text, kind text, "transferId" uuid, "sourceChain" text, "sourceHash" text)`;
  await transaction`
    insert into bridge_arrivals (chain, hash, kind, transfer_id, source_chain, source_hash)
    select chain, hash, kind, "transferId", "sourceChain", "sourceHash" from (${given}) as g on conflict (chain, hash) do nothing`;
  const [other] = await transaction<{ hash: string; transfer_id: string }[]>`
    select a.hash, a.transfer_id from (${given}) as g join bridge_arrivals a on a.chain = g.chain and a.hash = g.hash
    where a.transfer_id <> g."transferId" limit 1`;
  if (other !== undefined) throw new Error(`the arrival ${other.hash} has settled transfer ${other.transfer_id} already`);
}

/** Finds the transfer that an arrival settled, over all organizations. */
export function settledArrivals(sql: Sql): SettledArrivals {
  return {
    async settledBy(chain, hash) {
      const [row] = await sql<{ id: string }[]>`select transfer_id as id from bridge_arrivals where chain = ${chain} and hash = ${hash}`;
      return row?.id ?? null;
    },
  };
}

/** Returns true for the error of a source transaction that belongs to another transfer of the organization. */
export function isHashTaken(error: unknown): boolean {
  const { code, constraint_name: constraint } = error as { code?: string; constraint_name?: string };
  return code === '23505' && constraint === 'bridge_transfers_by_hash';
}

export function createBridgeTransferStore(sql: Sql) {
  const { list, find } = createRowReads(sql, bridgeTransfer);
  return {
    find,

    /** Lists transfers, newest first. Quotes that were not accepted are listed only if their state is requested. */
    list: (orgId: string, { state }: { readonly state?: TransferState }, page: Page) =>
      list(orgId, page, state === undefined ? sql`and hash is not null` : sql`and state = ${state}`),

    /** Returns committed steps, ascending; empty if the organization has no such transfer. */
    async steps(orgId: string, id: string): Promise<readonly TransferStep[]> {
      return sql<TransferStep[]>`
        select s.at, coalesce(s.to_value->>'tracking', s.to_value #>> '{}') as state,
          case when s.event->'answer'->>'outcome' = 'seen' then s.event->'answer'->'sighting' end as sighting
        from steps s join bridge_transfers t on t.id = s.actor_id
        where t.id = ${id} and t.org_id = ${orgId} order by s.version`;
    },

    async openQuotes(orgId: string): Promise<number> {
      const [row] = await sql<
        { n: number }[]
      >`select count(*)::int as n from bridge_transfers where org_id = ${orgId} and state = 'quoted'`;
      return row?.n ?? 0;
    },

    /** Returns the organization's control epoch. */
    async epoch(orgId: string): Promise<number> {
      const [row] = await sql<{ epoch: number }[]>`select epoch from control where org_id = ${orgId}`;
      if (row === undefined) throw new Error(`organization ${orgId} has no control row`);
      return row.epoch;
    },
  };
}

export type BridgeTransferStore = ReturnType<typeof createBridgeTransferStore>;

/** Maximum number of transfers of one provider that are followed by pushes. Timers alone query the others. */
const MOST_FOLLOWED = 500;

/** Returns submitted transfers that have not ended and that the provider knows, newest first, in turns by organization. */
export function followedTransfers(
  sql: Sql,
  provider: BridgeProviderName,
): Promise<readonly { readonly id: string; readonly reference: string }[]> {
  return sql<{ id: string; reference: string }[]>`
    select id, body->>'reference' as reference from bridge_transfers
    where provider = ${provider} and state = any(${[...IN_TRANSIT_STATES]}::text[]) and body->>'reference' is not null
    order by row_number() over (partition by org_id order by number desc), number desc limit ${MOST_FOLLOWED}`;
}

/** Returns the organization's amounts in transit: they left one chain, or may have, and have not finally arrived. */
export function amountsInTransit(sql: Sql | Transaction, orgId: string): Query<readonly TransitAmount[]> {
  const statement = sql`
    select id, trim_scale(amount_usd)::text as "amountUsd", state, body->'axes'->'source'->>'state' as "sourceState",
      body->'axes'->'destination'->>'state' as "destinationState", body->'axes'->'refund'->>'state' as "refundState", changed_at as "changedAt"
    from bridge_transfers where org_id = ${orgId} and state = any(${[...IN_TRANSIT_STATES]}::text[]) order by number`;
  return { statement, read: (rows: TransitAmount[]) => rows };
}
