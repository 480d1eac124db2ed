/** Marketplace: listings, and checkouts with the licenses and imports that they create. */
import { createCommandHandler } from '../../../actors/agent/commands.ts';
import { createCheckoutHandler } from '../../../actors/checkout/commands.ts';
import { checkoutKind } from '../../../actors/checkout/effects.ts';
import { checkoutWorkers } from '../../../actors/checkout/execution.ts';
import { createListingHandler } from '../../../actors/listing/commands.ts';
import type { ApiPorts } from '../../../api/route.ts';
import { verifyEd25519 } from '../../adapters/solana/ed25519.ts';
import { isSilence } from '../../adapters/json-rpc.ts';
import { createActorStore } from '../../adapters/store/actors/actor-store.ts';
import { createAgentDirectory } from '../../adapters/store/agents/agent-directory.ts';
import { createCheckoutStore } from '../../adapters/store/marketplace/checkout-store.ts';
import { createListingStore } from '../../adapters/store/marketplace/listing-store.ts';
import { readExposureVersion, toCapacityObstacle } from '../../adapters/store/orders/prepared-transaction-store.ts';
import { controlEpoch } from '../../adapters/store/risk/risk-reads.ts';
import type { ActorCapability } from './capability.ts';

export const checkoutCapability = {
  kind: checkoutKind,
  machineFile: 'actors/checkout/machine.ts',

  workers: ({ store, runtime, trading }) =>
    trading?.primaryChain ? checkoutWorkers({ runtime, load: store.load, chain: trading.primaryChain.chain }) : {},

  callers({ sql, runtime, primaryChain, clock, newId }): Pick<ApiPorts, 'marketplace'> {
    const listings = createListingStore(sql);
    const checkouts = createCheckoutStore(sql);
    const commands = createCheckoutHandler({
      runtime,
      load: createActorStore(sql).load,
      store: { ...checkouts, listing: listings.find, rules: listings.rules },
      chain: primaryChain?.chain ?? null,
      agents: createCommandHandler({ runtime, agents: createAgentDirectory(sql), clock, newId }),
      verifySignature: verifyEd25519,
      epoch: (orgId) => controlEpoch(sql, orgId),
      exposureVersion: (orgId) => readExposureVersion(sql, orgId, ''),
      obstacleOf: toCapacityObstacle,
      isSilence,
      clock,
      newId,
    });
    return {
      marketplace: {
        listings: { reads: listings, commands: createListingHandler({ store: listings, clock, newId }) },
        checkouts: { reads: checkouts, commands },
      },
    };
  },
} satisfies ActorCapability;
