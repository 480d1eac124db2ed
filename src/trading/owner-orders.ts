/**
 * Orders on the primary chain that the owner's wallet signs: the proposal's order waits as a prepared transaction until it is signed or its
 * blockhash expires. Nothing is sent without that signature.
 */
import type { SubmitInfo } from '../../actors/proposal/execution-client.ts';
import type { VenueAnswer } from '../domain/orders/execution.ts';
import type { Order } from '../domain/orders/order.ts';
import { type ProposalSwaps, rejected } from './proposal-swaps.ts';
import type { ProposalFacts, OwnerWallets } from '../adapters/store/orders/proposal-facts.ts';

interface OwnerOrderDeps {
  readonly swaps: Pick<ProposalSwaps, 'prepare'>;
  readonly store: OwnerWallets;
}

const NO_WALLET =
  'no wallet of the primary chain is known that could sign it: POST /v1/wallets/challenge and POST /v1/wallets link one by its owner’s signature';

/** Prepares orders for their owners' wallets. */
export function createOwnerOrders({ swaps, store }: OwnerOrderDeps) {
  return async (order: Order<'spotchain'>, info: SubmitInfo<'spotchain'>, facts: ProposalFacts): Promise<VenueAnswer> => {
    const wallet = await store.walletOf(facts, order);
    if (wallet === null) return rejected('wallet_missing', NO_WALLET);
    const prepared = await swaps.prepare(order, info, facts, { wallet, executor: 'user' });
    if (!prepared.ok) return rejected(prepared.refusal.code, prepared.refusal.detail);
    return {
      outcome: 'unknown',
      detail: `transaction ${prepared.value.id} waits for the signature of ${wallet}`,
      underWay: true,
      awaitsSignature: true,
    };
  };
}
