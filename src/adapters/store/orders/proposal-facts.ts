/** Facts behind a proposal's transaction on the primary chain: the proposal, its owner, and the signing wallet. */
import type { OwnerOrderDeps } from '../../../trading/owner-orders.ts';
import type { ProposalFacts } from '../../../trading/proposal-swaps.ts';
import type { Sql } from '../database.ts';

/** Returns the facts; null if there is no such proposal. */
export async function readProposalFacts(sql: Sql, id: string): Promise<ProposalFacts | null> {
  const [row] = await sql<ProposalFacts[]>`
    select p.org_id as "orgId", p.agent_id as "agentId", t.kind as trader, t.autonomy, p.state, p.epoch, p.reads_reference as "readsReference",
      p.manifest_hash as "manifestHash", p.side = 'exit' as "reduceOnly", p.decision_id is null as flattens
    from proposals p join traders t on t.id = p.agent_id and t.org_id = p.org_id where p.id = ${id}`;
  return row ?? null;
}

/** Creates the look-up of the wallet that signs for an agent's or Take's book; null if none is known. */
export function createOwnerWallets(sql: Sql): OwnerOrderDeps['store'] {
  return {
    async walletOf({ orgId, agentId }, { bookId, instrument }) {
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
