/** Transfers between the chains. */
import type { BridgeCommands } from '../../../actors/bridge-transfer/commands.ts';
import type { BridgeTransferStore } from '../../../src/adapters/store/bridge/bridge-transfer-store.ts';
import { type RouteGroup, renamed } from '../../route.ts';
import { quoteBridge } from './quote.ts';
import { getBridgeStatus } from './status.ts';
import { submitBridge } from './submission.ts';
import { getBridgeTransferTimeline } from './timeline.ts';
import { listBridgeTransfers } from './transfers.ts';

declare module '../../route.ts' {
  interface ApiPorts {
    readonly bridge: {
      readonly reads: Pick<BridgeTransferStore, 'list' | 'find' | 'steps'>;
      readonly commands: BridgeCommands;
    };
  }
}

export const bridgeRoutes: RouteGroup = {
  tag: {
    name: 'bridge',
    position: 190,
    description:
      'Stablecoin transfers between the primary chain and the EVM chain. Quote, sign the source transaction, submit it or its hash, and follow the status. The provider, the source chain and the destination chain are reported apart; `unknown` means that they contradict each other.',
  },
  routes: [
    quoteBridge,
    submitBridge,
    getBridgeStatus,
    listBridgeTransfers,
    ...renamed(getBridgeTransferTimeline, {
      url: '/v1/bridge/transfers/:id/course',
      name: 'getBridgeTransferCourse',
      since: '2026-11-27',
    }),
  ],
};
