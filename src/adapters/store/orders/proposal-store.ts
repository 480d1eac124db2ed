/** Trade proposals as commands, lists and halts read them. Every read of the outside names the organization. */
import { type Proposal, type ProposalTransaction, type ProposalView, proposal } from '../../../../actors/proposal/resource.ts';
import type { ProposalReads } from '../../../../api/v1/agent-orders/ports.ts';
import { proposalTransactionId } from '../../../domain/orders/execution.ts';
import { withFills } from '../books/order-fills.ts';
import type { Sql } from '../database.ts';
import { createRowReads } from '../resource-rows.ts';

/** Reads of proposals, and whether an order of one may be on its way. */
export interface ProposalStore extends ProposalReads {
  /** True if an order may be on its way to its venue at this moment. */
  leaseIsHeld(proposalId: string): Promise<boolean>;
}

export function createProposalStore(sql: Sql): ProposalStore {
  const reads = createRowReads(sql, proposal);

  async function viewsOf(rows: readonly Proposal[]): Promise<ProposalView[]> {
    const transactions = await transactionsOf(rows);
    return withFills(
      sql,
      rows,
      ({ filledQuantity }) => filledQuantity !== '0',
      (row, fills) => ({ ...row, fills, transaction: transactions.get(proposalTransactionId(row.id)) ?? null }),
    );
  }

  /** The transactions of proposals on the primary chain, by their ids. */
  async function transactionsOf(rows: readonly Proposal[]): Promise<ReadonlyMap<string, ProposalTransaction>> {
    const ids = rows.filter(({ order }) => order.venue === 'spotchain' && order.mode === 'live').map(({ id }) => proposalTransactionId(id));
    if (ids.length === 0) return new Map();
    const found = await sql<
      ProposalTransaction[]
    >`select id, state, wallet, executor from prepared_transactions where id = any(${ids}::uuid[])`;
    return new Map(found.map((transaction) => [transaction.id, transaction]));
  }

  return {
    async list(orgId, { state, agentId }, page) {
      const narrowed = sql`${state === undefined ? sql`` : sql`and state = ${state}`} ${agentId === undefined ? sql`` : sql`and agent_id = ${agentId}`}`;
      const { items, next } = await reads.list(orgId, page, narrowed);
      return { items: await viewsOf(items), next };
    },

    async leaseIsHeld(proposalId) {
      const rows = await sql`select 1 from execution_leases where key = ${proposalId} and held_until > clock_timestamp()`;
      return rows.length > 0;
    },

    /** Null if the organization has no such proposal. */
    async find(orgId, proposalId) {
      const found = await reads.find(orgId, proposalId);
      return found === null ? null : ((await viewsOf([found]))[0] as ProposalView);
    },
  };
}
