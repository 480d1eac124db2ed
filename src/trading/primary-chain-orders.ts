/**
 * Client of agents and Takes for the primary chain. The delegated signer signs orders of agents at `policy_auto` or `autonomous` and of
 * Takes. Everything else is prepared for the owner's wallet: orders below those levels, and exits that no delegation covers, so that a
 * position can always be exited.
 */
import type { ExecutionClient, SubmitInfo } from '../../actors/proposal/execution-client.ts';
import { EXECUTES_BY_ITSELF } from '../domain/agents/agent.ts';
import type { VenueAnswer } from '../domain/orders/execution.ts';
import type { Order } from '../domain/orders/order.ts';
import type { DelegatedOrders } from './delegated-orders.ts';
import { type ProposalSwaps, rejected } from './proposal-swaps.ts';
import type { DelegatedOrderStore } from '../adapters/store/delegations/delegation-store.ts';
import type { ProposalFacts } from '../adapters/store/orders/proposal-facts.ts';

interface PrimaryChainOrderDeps {
  readonly store: Pick<DelegatedOrderStore, 'proposal'>;
  readonly swaps: Pick<ProposalSwaps, 'lookUp'>;
  /** Null if no delegated signer is configured. */
  readonly delegated: DelegatedOrders | null;
  readonly owner: (order: Order<'spotchain'>, info: SubmitInfo<'spotchain'>, facts: ProposalFacts) => Promise<VenueAnswer>;
}

export function createPrimaryChainOrders({ store, swaps, delegated, owner }: PrimaryChainOrderDeps): ExecutionClient<'spotchain'> {
  /** Returns why the delegated signer does not sign an order, or null if it may. */
  async function undelegated(order: Order<'spotchain'>, facts: ProposalFacts) {
    if (delegated === null)
      return { code: 'feature_disabled', detail: 'no process of this service signs for owners: set IDP_AUTHORIZATION_PRIVATE_KEY' };
    return delegated.refusal(order, facts);
  }

  return {
    async submit(order, info) {
      const facts = await store.proposal(info.key);
      if (facts === null) return rejected('feature_disabled', 'only proposals of agents and Takes trade on the primary chain');
      if (!EXECUTES_BY_ITSELF.has(facts.autonomy)) return owner(order, info, facts);
      const refusal = await undelegated(order, facts);
      if (refusal === null && delegated !== null) return delegated.submit(order, info, facts);
      if (facts.reduceOnly) return owner(order, info, facts);
      return rejected(refusal?.code ?? 'delegation_missing', refusal?.detail ?? 'no owner of a wallet has delegated to it');
    },
    lookUp: swaps.lookUp,
  };
}
