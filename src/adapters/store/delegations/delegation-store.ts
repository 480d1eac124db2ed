/** Store of delegations, which are granted once, revoked once and never changed, and of orders passed to the delegated signer. */
import { type DelegatedOrder, type Delegation, delegatedOrder, delegation, revocation } from '../../../../actors/delegation/resource.ts';
import type { ActorRecord } from '../../../domain/agents/actor-step.ts';
import type { Page, PageOf } from '../../../domain/values/page.ts';
import { writeRecords } from '../actors/actor-records.ts';
import { createActorStore, inTransaction } from '../actors/actor-store.ts';
import type { Sql } from '../database.ts';
import { readExposureVersion } from '../orders/prepared-transaction-store.ts';
import { type ProposalFacts, readProposalFacts } from '../orders/proposal-facts.ts';
import { append, createRowReads, selectColumns } from '../resource-rows.ts';
import { DelegationLost } from './execution-permit.ts';

type Row = Readonly<Record<string, unknown>> & { readonly orgId: string };

/** Reads a delegation. The signed text is not read, because the terms make it up. */
function readDelegation(row: Readonly<Record<string, unknown>>): Delegation {
  const { challenge: _, ...granted } = delegation.view(row);
  const { delegationId: __, ...revoked } = revocation.view(row);
  return { orgId: (row as Row).orgId, ...granted, ...revoked };
}

/** Creates the reads of delegations. */
export function createDelegationReads(sql: Sql) {
  const rows = createRowReads(
    sql,
    { ...delegation, view: readDelegation },
    {
      columns: sql`t.org_id as "orgId", ${selectColumns(sql, revocation, 'r')}`,
      join: sql`left join delegation_revocations r on r.delegation_id = t.id`,
    },
  );
  return {
    find: rows.find,
    /** Lists delegations, newest first. */
    list: (orgId: string, agentId: string | null, page: Page): Promise<PageOf<Delegation>> =>
      rows.list(orgId, page, agentId === null ? sql`` : sql`and t.agent_id = ${agentId}`),
    /** Returns the newest delegation of an agent or Take in any state; null if there is none. */
    newest: (orgId: string, agentId: string): Promise<Delegation | null> =>
      rows.one(orgId, sql`t.agent_id = ${agentId} order by t.number desc limit 1`),
  };
}

/** Constraints that a repeated command violates. */
const REPEATED: ReadonlySet<unknown> = new Set(['delegation_signed_once', 'delegation_revocations_pkey']);

/** Creates the reads and writes of delegations for the API and the command handler. */
export function createDelegationStore(sql: Sql) {
  return {
    ...createDelegationReads(sql),

    /** Writes a command's records. False, with nothing written, if the text was used before or the delegation is revoked already. */
    async write(records: readonly ActorRecord[]): Promise<boolean> {
      try {
        await inTransaction(sql, (transaction) => writeRecords(transaction, records));
        return true;
      } catch (error) {
        if (REPEATED.has((error as { constraint_name?: string }).constraint_name)) return false;
        throw error;
      }
    },
  };
}

export type DelegationStore = ReturnType<typeof createDelegationStore>;

/** Creates the store of orders passed to the delegated signer. */
export function createDelegatedOrderStore(sql: Sql) {
  return {
    newest: createDelegationReads(sql).newest,
    /** Records what is submitted to the signer. Idempotent. */
    async note({ orgId, ...order }: DelegatedOrder): Promise<void> {
      const row = { type: 'delegated_order', ...delegatedOrder.record(orgId, order) };
      await sql.begin((transaction) => append(delegatedOrder)(transaction, [row]));
    },
    load: createActorStore(sql).load,
    /** Returns the version of the facts behind an assessment of a book, as text. */
    exposureVersion: (orgId: string, bookId: string): Promise<string> => readExposureVersion(sql, orgId, bookId),
    /** True for the error of a step whose delegation was revoked. */
    isDelegationLost: (error: unknown): boolean => error instanceof DelegationLost,
    /** Returns null if there is no proposal with this id. */
    proposal: (id: string): Promise<ProposalFacts | null> => readProposalFacts(sql, id),
  };
}

export type DelegatedOrderStore = ReturnType<typeof createDelegatedOrderStore>;

/** Reads the order that the signer was asked to sign under this id, or null. */
export async function readDelegatedOrder(sql: Sql, orderId: string): Promise<DelegatedOrder | null> {
  const [row] = await sql<Row[]>`
    select t.org_id as "orgId", ${selectColumns(sql, delegatedOrder)} from delegated_orders t where t.order_id = ${orderId}`;
  return row === undefined ? null : { orgId: row.orgId, ...delegatedOrder.view(row) };
}
