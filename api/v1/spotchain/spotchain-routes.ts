/** Swaps on the primary chain. */
import type { SwapCommands } from '../../../actors/prepared-transaction/swap-commands.ts';
import type { SwapReads } from '../../../src/adapters/store/orders/prepared-transaction-store.ts';
import { type RouteGroup } from '../../route.ts';
import { executeSwap } from './execute.ts';
import { getSwap } from './get-order.ts';
import { listSwaps } from './list-orders.ts';
import { prepareSwap } from './prepare.ts';
import { quoteSwap } from './quote.ts';

declare module '../../route.ts' {
  interface ApiPorts {
    readonly swaps: {
      readonly reads: SwapReads;
      readonly commands: SwapCommands;
    };
  }
}

export const spotchainRoutes: RouteGroup = {
  tag: {
    name: 'spotchain',
    position: 160,
    description:
      'Swaps on the primary chain, signed by your own wallet. Quote, prepare, sign exactly the prepared bytes, execute, then poll until `finalized`. A prepared swap expires with its blockhash after about a minute. Changed bytes are refused with `signed_bytes_differ` and nothing is sent.',
  },
  routes: [quoteSwap, prepareSwap, executeSwap, listSwaps, getSwap],
};
