/** Store of delegations, which are granted once, revoked once and never changed, and of orders passed to the delegated signer. */
import type { ActorRecord } from '../../../domain/agents/actor-step.ts';
import type { Delegation, TraderKind } from '../../../domain/identity/delegation.ts';
import type { Order } from '../../../domain/orders/order.ts';
import type { Page, PageOf } from '../../../domain/values/page.ts';
import { writeRecords } from '../actors/actor-records.ts';
import { createActorStore, inTransaction } from '../actors/actor-store.ts';
import type { Sql, Transaction } from '../database.ts';
import { exposureVersionOf } from '../orders/prepared-transaction-store.ts';
import { readProposalFacts, type ProposalFacts } from '../orders/proposal-facts.ts';
import { pageOfRows } from '../page-of-rows.ts';
import { DelegationLost, lockDelegation } from './execution-permit.ts';
import type { Quote, ReferencePrice } from '../../../domain/market/quote.ts';
import type { EpochMs } from '../../../domain/values/time.ts';

/** A transaction submitted to the delegated signer. */
export interface DelegatedOrder {
  readonly orderId: string;
  readonly orgId: string;
  readonly agentId: string;
  readonly proposalId: string;
  readonly delegationId: string;
  readonly order: Order;
  /** Quotes on which risk accepted it, and which value the organization's holdings. */
  readonly heard: readonly (Quote | ReferencePrice)[];
  readonly preparedAt: EpochMs;
}

interface Row {
  readonly id: string;
  readonly number: number;
  readonly org_id: string;
  readonly trader: TraderKind;
  readonly agent_id: string;
  readonly wallet: string;
  readonly signer_wallet: string;
  readonly max_notional_usd: string;
  readonly expires_at: number;
  readonly issued_at: number;
  readonly nonce: string;
  readonly owner_signature: string;
  readonly granted_by: string;
  readonly granted_at: number;
  readonly revoked_at: number | null;
  readonly revoked_by: string | null;
}

const readDelegations = (sql: Sql | Transaction) => sql`
  select d.id, d.number, d.org_id, d.trader, d.agent_id, d.wallet, d.signer_wallet, d.max_notional_usd::text, d.expires_at, d.issued_at, d.nonce,
    d.owner_signature, d.granted_by, d.granted_at, r.revoked_at, r.revoked_by
  from delegations d left join delegation_revocations r on r.delegation_id = d.id`;

/** Reads the newest delegation of an agent or Take in any state; null if there is none. */
export async function newestDelegation(sql: Sql, orgId: string, agentId: string): Promise<Delegation | null> {
  const [row] = await sql<
    Row[]
  >`${readDelegations(sql)} where d.org_id = ${orgId} and d.agent_id = ${agentId} order by d.number desc limit 1`;
  return row === undefined ? null : delegationOf(row);
}

/** Creates the reads and writes of delegations for the API, the command handler and executions. */
export function createDelegationStore(sql: Sql) {
  return {
    newest: (orgId: string, agentId: string): Promise<Delegation | null> => newestDelegation(sql, orgId, agentId),

    /** Returns a delegation; null if the organization has none with the id. */
    async find(orgId: string, id: string): Promise<Delegation | null> {
      const [row] = await sql<Row[]>`${readDelegations(sql)} where d.org_id = ${orgId} and d.id = ${id}`;
      return row === undefined ? null : delegationOf(row);
    },

    /** Lists delegations, newest first. The position is the last one's number. */
    async list(orgId: string, agentId: string | null, { limit, after }: Page): Promise<PageOf<Delegation>> {
      const rows = await sql<Row[]>`${readDelegations(sql)} where d.org_id = ${orgId}
        ${agentId === null ? sql`` : sql`and d.agent_id = ${agentId}`} ${after === null ? sql`` : sql`and d.number < ${Number(after)}`}
        order by d.number desc limit ${limit + 1}`;
      const page = pageOfRows(rows, limit, ({ number }) => String(number));
      return { items: page.items.map(delegationOf), next: page.next };
    },

    /** Writes a delegation with its command's records; false, with nothing written, if its text was used before. */
    async grant(delegation: Delegation, challenge: string, records: readonly ActorRecord[]): Promise<boolean> {
      try {
        await inTransaction(sql, async (transaction) => {
          await transaction`
            insert into delegations (id, org_id, trader, agent_id, wallet, signer_wallet, max_notional_usd, expires_at, issued_at, nonce, challenge, owner_signature, granted_by, granted_at)
            values (${delegation.id}, ${delegation.orgId}, ${delegation.trader}, ${delegation.agentId}, ${delegation.wallet}, ${delegation.signerWallet}, ${delegation.maxNotionalUsd},
              ${delegation.expiresAt}, ${delegation.issuedAt}, ${delegation.nonce}, ${challenge}, ${delegation.ownerSignature}, ${delegation.grantedBy}, ${delegation.grantedAt})`;
          await writeRecords(transaction, records);
        });
        return true;
      } catch (error) {
        if ((error as { constraint_name?: string }).constraint_name === 'delegation_signed_once') return false;
        throw error;
      }
    },

    /** Revokes a delegation; false if it is revoked already. */
    async revoke(delegation: Delegation, records: readonly ActorRecord[]): Promise<boolean> {
      try {
        await inTransaction(sql, async (transaction) => {
          await lockDelegation(transaction, delegation.id);
          await transaction`insert into delegation_revocations (delegation_id, org_id, revoked_by, revoked_at)
            values (${delegation.id}, ${delegation.orgId}, ${delegation.revokedBy}, ${delegation.revokedAt})`;
          await writeRecords(transaction, records);
        });
        return true;
      } catch (error) {
        if ((error as { constraint_name?: string }).constraint_name === 'delegation_revocations_pkey') return false;
        throw error;
      }
    },

    /** Records an order that is passed to the signer; repeating it changes nothing. */
    async note(order: DelegatedOrder): Promise<void> {
      await sql.begin(
        (transaction) => transaction`
        insert into delegated_orders (order_id, org_id, agent_id, proposal_id, delegation_id, order_body, heard, prepared_at)
        values (${order.orderId}, ${order.orgId}, ${order.agentId}, ${order.proposalId}, ${order.delegationId}, ${sql.json(order.order)},
          ${sql.json(order.heard)}, ${order.preparedAt})
        on conflict (order_id) do nothing`,
      );
    },
  };
}

export type DelegationStore = ReturnType<typeof createDelegationStore>;

/** Creates the store of orders passed to the delegated signer. */
export function createDelegatedOrderStore(sql: Sql) {
  const { newest, note } = createDelegationStore(sql);
  return {
    /** Returns the newest delegation of the agent, in any state, or null. */
    newest,
    /** Records what is submitted to the signer. Idempotent. */
    note,
    load: createActorStore(sql).load,
    /** Returns the version of the facts behind an assessment of a book, as text. */
    exposureVersion: (orgId: string, bookId: string): Promise<string> => exposureVersionOf(sql, orgId, bookId),
    /** True for the error of a step whose delegation was revoked. */
    isDelegationLost: (error: unknown): boolean => error instanceof DelegationLost,
    /** Returns null if there is no proposal with this id. */
    proposal: (id: string): Promise<ProposalFacts | null> => readProposalFacts(sql, id),
  };
}

export type DelegatedOrderStore = ReturnType<typeof createDelegatedOrderStore>;

/** Reads the order that the signer was asked to sign under this id, or null. */
export async function delegatedOrder(sql: Sql, orderId: string): Promise<DelegatedOrder | null> {
  const [row] = await sql<
    {
      order_id: string;
      org_id: string;
      agent_id: string;
      proposal_id: string;
      delegation_id: string;
      order_body: Order;
      heard: DelegatedOrder['heard'];
      prepared_at: number;
    }[]
  >`select order_id, org_id, agent_id, proposal_id, delegation_id, order_body, heard, prepared_at from delegated_orders where order_id = ${orderId}`;
  if (row === undefined) return null;
  return {
    orderId: row.order_id,
    orgId: row.org_id,
    agentId: row.agent_id,
    proposalId: row.proposal_id,
    delegationId: row.delegation_id,
    order: row.order_body,
    heard: row.heard,
    preparedAt: row.prepared_at,
  };
}

function delegationOf(row: Row): Delegation {
  return {
    id: row.id,
    orgId: row.org_id,
    trader: row.trader,
    agentId: row.agent_id,
    wallet: row.wallet,
    signerWallet: row.signer_wallet,
    maxNotionalUsd: row.max_notional_usd,
    expiresAt: row.expires_at,
    issuedAt: row.issued_at,
    nonce: row.nonce,
    ownerSignature: row.owner_signature,
    grantedBy: row.granted_by,
    grantedAt: row.granted_at,
    revokedAt: row.revoked_at,
    revokedBy: row.revoked_by,
  };
}
