/** Manual orders on the spot exchange. */
import type { MarketOrderCommands } from '../../../actors/market-order/command-handler.ts';
import type { MarketOrderReads } from '../../../src/adapters/store/orders/market-order-store.ts';
import { type RouteGroup } from '../../route.ts';
import { cancelMarketOrder } from './cancel.ts';
import { getMarketOrder } from './get.ts';
import { listMarketOrders } from './list.ts';
import { placePaperOrder } from './paper.ts';
import { placeSpotexchangeOrder } from './spotexchange-live.ts';

declare module '../../route.ts' {
  interface ApiPorts {
    readonly marketOrders: {
      readonly reads: MarketOrderReads;
      readonly commands: MarketOrderCommands;
    };
  }
}

export const marketOrderRoutes: RouteGroup = {
  tag: {
    name: 'market-orders',
    position: 140,
    description:
      'Manual orders on the spot exchange, on paper or live. They pass the same pre-trade risk function as orders of agents. Live orders require `SVC_LIVE_SPOTEXCHANGE_ENABLED`. Poll the order for its outcome: `unknown` means that the exchange has not reported it yet.',
  },
  routes: [placePaperOrder, placeSpotexchangeOrder, cancelMarketOrder, listMarketOrders, getMarketOrder],
};
