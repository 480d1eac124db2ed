/** Manual orders on prediction markets. */
import type { LivePredictionOrders, PredictionOrderCommands } from '../../../actors/prediction-order/commands.ts';
import type { PredictionOrderStore } from '../../../src/adapters/store/orders/prediction-order-store.ts';
import { type RouteGroup } from '../../route.ts';
import { executePredictionOrder } from './execute.ts';
import { getPredictionOrder } from './get.ts';
import { listPredictionOrders } from './list.ts';
import { placePaperPredictionOrder } from './paper.ts';
import { preparePredictionOrder } from './prepare.ts';

declare module '../../route.ts' {
  interface ApiPorts {
    readonly predictionOrders: {
      readonly reads: Pick<PredictionOrderStore, 'list' | 'find'>;
      readonly commands: PredictionOrderCommands;
      readonly live: LivePredictionOrders;
    };
  }
}

export const predictionOrderRoutes: RouteGroup = {
  tag: {
    name: 'prediction-orders',
    position: 150,
    description:
      'Manual orders on prediction markets. On paper the order fills at once. On chain: prepare, sign the transaction in your wallet, execute, then poll. An executed order is open, not filled. A changed transaction is refused with `signed_bytes_differ`.',
  },
  routes: [placePaperPredictionOrder, preparePredictionOrder, executePredictionOrder, listPredictionOrders, getPredictionOrder],
};
