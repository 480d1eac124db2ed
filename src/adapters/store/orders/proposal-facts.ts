/** Facts behind a proposal's transaction on the primary chain: the proposal, its owner, and the signing wallet. */
import type { Sql } from '../database.ts';
import type { Autonomy } from '../../../domain/agents/agent.ts';
import type { TraderKind } from '../../../domain/identity/delegation.ts';
import type { ProposalState } from '../../../domain/orders/execution.ts';
import type { Order } from '../../../domain/orders/order.ts';

/** Facts about a proposal and the present state of its agent or Take. */
export interface ProposalFacts {
  readonly orgId: string;
  readonly trader: TraderKind;
  /** Id of the agent or the Take. */
  readonly agentId: string;
  readonly autonomy: Autonomy;
  readonly state: ProposalState;
  readonly epoch: number;
  readonly readsReference: boolean;
  readonly manifestHash: string;
  readonly reduceOnly: boolean;
  /** True if a kill switch or a person closes a position. */
  readonly flattens: boolean;
}

/** Returns the facts; null if there is no such proposal. */
export async function readProposalFacts(sql: Sql, id: string): Promise<ProposalFacts | null> {
  const [row] = await sql<ProposalFacts[]>`
    select p.org_id as "orgId", p.agent_id as "agentId", t.kind as trader, t.autonomy, p.state, p.epoch, p.reads_reference as "readsReference",
      p.manifest_hash as "manifestHash", p.side = 'exit' as "reduceOnly", p.decision_id is null as flattens
    from proposals p join traders t on t.id = p.agent_id and t.org_id = p.org_id where p.id = ${id}`;
  return row ?? null;
}

/** Creates the look-up of the wallet that signs for an agent's or Take's book. */
export function createOwnerWallets(sql: Sql) {
  return {
    /**
     * Returns the wallet that signs for an agent's or Take's book: the one whose newest swap bought the holding, else the one delegated to
     * it, else the one that the organization proved last, or null.
     */
    async walletOf(
      { orgId, agentId }: Pick<ProposalFacts, 'orgId' | 'agentId'>,
      { bookId, instrument }: Pick<Order, 'bookId' | 'instrument'>,
    ): Promise<string | null> {
      const [row] = await sql<{ wallet: string }[]>`
        select wallet from (
          select 1 as rank, t.number, t.wallet from prepared_transactions t join books b on b.id = t.book_id
            where t.org_id = ${orgId} and t.purpose = 'swap' and t.state = 'finalized' and t.book_id = ${bookId}
              and (t.instrument = ${instrument} or b.holdings <> '[]')
          union all
          select 2, d.number, d.wallet from delegations d where d.org_id = ${orgId} and d.agent_id = ${agentId}
            and not exists (select 1 from delegation_revocations r where r.delegation_id = d.id)
          union all
          select 3, w.proved_at, w.address from linked_wallets w where w.org_id = ${orgId} and w.chain = 'spotchain'
        ) known order by rank, number desc limit 1`;
      return row?.wallet ?? null;
    },
  };
}

export type OwnerWallets = ReturnType<typeof createOwnerWallets>;
