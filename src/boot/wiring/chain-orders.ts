/** Client of live orders on the primary chain in a worker process, with or without a signer for owners. */
import type { ExecutionClient } from '../../../actors/proposal/execution-client.ts';
import type { PreTrade } from '../../../actors/proposal/present-verdict.ts';
import type { Runtime } from '../../../actors/runtime/runtime.ts';
import type { Clock } from '../../../streams/clock/clock.ts';
import { verifyEd25519 } from '../../adapters/solana/ed25519.ts';
import { isSilence } from '../../adapters/json-rpc.ts';
import type { Sql } from '../../adapters/store/database.ts';
import { createDelegatedOrderStore } from '../../adapters/store/delegations/delegation-store.ts';
import { toCapacityObstacle } from '../../adapters/store/orders/prepared-transaction-store.ts';
import { createOwnerWallets } from '../../adapters/store/orders/proposal-facts.ts';
import { createDelegatedOrders, type DelegatedOrderDeps } from '../../trading/delegated-orders.ts';
import { createOwnerOrders } from '../../trading/owner-orders.ts';
import { createPrimaryChainOrders } from '../../trading/primary-chain-orders.ts';
import { createProposalSwaps } from '../../trading/proposal-swaps.ts';
import type { LatestQuotes } from '../../trading/live-marks.ts';
import type { RiskReads } from '../../adapters/store/risk/risk-reads.ts';
import type { PrimaryChain } from '../../adapters/venues/spotchain/access.ts';

interface ChainOrderDeps extends PrimaryChain {
  readonly sql: Sql;
  readonly runtime: Pick<Runtime, 'start' | 'deliver'>;
  readonly reads: RiskReads;
  readonly preTrade: PreTrade;
  readonly bus: LatestQuotes;
  readonly clock: Pick<Clock, 'now'>;
  /** Signer for owners, or null if there is none. */
  readonly signing: Pick<DelegatedOrderDeps, 'signer' | 'signAsWorker'> | null;
}

/** Creates the client for live orders of agents and Takes. */
export function createChainOrders({ sql, signing, ...deps }: ChainOrderDeps): ExecutionClient<'spotchain'> {
  const shared = {
    ...deps,
    store: createDelegatedOrderStore(sql),
    verifySignature: verifyEd25519,
    obstacleOf: toCapacityObstacle,
    isSilence,
  };
  const swaps = createProposalSwaps(shared);
  return createPrimaryChainOrders({
    store: shared.store,
    swaps,
    delegated: signing === null ? null : createDelegatedOrders({ ...shared, ...signing, swaps }),
    owner: createOwnerOrders({ swaps, store: createOwnerWallets(sql) }),
  });
}
