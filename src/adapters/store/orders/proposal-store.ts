/** Reads of trade proposals for commands, lists and halts. Every read of the API takes the organization. */
import { type Proposal, type ProposalTransaction, type ProposalView, proposal } from '../../../../actors/proposal/resource.ts';
import { isOpenProposal, type ProposalState, proposalTransactionId } from '../../../domain/orders/execution.ts';
import type { Page, PageOf } from '../../../domain/values/page.ts';
import { withFills } from '../books/order-fills.ts';
import type { Sql } from '../database.ts';
import { createRowReads } from '../resource-rows.ts';

/** Builds the condition of the partial index that has the state. It holds no parameter, from which no plan could tell the index. */
function inPart(sql: Sql, state: ProposalState) {
  const isOpen = sql`state in ('pending_approval', 'approved', 'executing', 'unknown')`;
  return isOpenProposal(state) ? isOpen : sql`not ${isOpen}`;
}

export function createProposalStore(sql: Sql) {
  const reads = createRowReads(sql, proposal);

  async function readViews(rows: readonly Proposal[]): Promise<ProposalView[]> {
    const transactions = await readTransactions(rows);
    return withFills(
      sql,
      rows,
      ({ filledQuantity }) => filledQuantity !== '0',
      (row, fills) => ({ ...row, fills, transaction: transactions.get(proposalTransactionId(row.id)) ?? null }),
    );
  }

  /** Returns the transactions of proposals on the primary chain by proposal id. */
  async function readTransactions(rows: readonly Proposal[]): Promise<ReadonlyMap<string, ProposalTransaction>> {
    const ids = rows.filter(({ order }) => order.venue === 'spotchain' && order.mode === 'live').map(({ id }) => proposalTransactionId(id));
    if (ids.length === 0) return new Map();
    const found = await sql<
      ProposalTransaction[]
    >`select id, state, wallet, executor from prepared_transactions where id = any(${ids}::uuid[])`;
    return new Map(found.map((transaction) => [transaction.id, transaction]));
  }

  return {
    async list(
      orgId: string,
      { state, agentId }: { readonly state?: ProposalState; readonly agentId?: string },
      page: Page,
    ): Promise<PageOf<ProposalView>> {
      const narrowed = sql`${state === undefined ? sql`` : sql`and state = ${state} and ${inPart(sql, state)}`} ${agentId === undefined ? sql`` : sql`and agent_id = ${agentId}`}`;
      const { items, next } = await reads.list(orgId, page, narrowed);
      return { items: await readViews(items), next };
    },

    /** Returns true if an order may be under way to its venue now. */
    async leaseIsHeld(proposalId: string): Promise<boolean> {
      const rows = await sql`select 1 from execution_leases where key = ${proposalId} and held_until > clock_timestamp()`;
      return rows.length > 0;
    },

    /** Returns a proposal; null if the organization has none with the id. */
    async find(orgId: string, proposalId: string): Promise<ProposalView | null> {
      const found = await reads.find(orgId, proposalId);
      return found === null ? null : ((await readViews([found]))[0] as ProposalView);
    },
  };
}

/** Reads of trade proposals, newest first. Each takes the organization; a foreign proposal is answered like a missing one. */
export type ProposalStore = ReturnType<typeof createProposalStore>;
