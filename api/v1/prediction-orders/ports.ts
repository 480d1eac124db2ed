/** Store ports of prediction-market orders. */
import type { LivePredictionOrders, PredictionOrderCommands } from '../../../actors/prediction-order/commands.ts';
import type { PredictionOrderView } from '../../../actors/prediction-order/resource.ts';
import type { ExecutionMode } from '../../../src/domain/orders/order.ts';
import type { PredictionOrderState } from '../../../src/domain/prediction/order.ts';
import type { Page, PageOf } from '../../page.ts';

/** Reads of orders on prediction markets, newest first; a foreign order answers null, exactly as a missing one. */
export interface PredictionOrderReads {
  list(
    orgId: string,
    filter: { readonly mode?: ExecutionMode; readonly state?: PredictionOrderState; readonly marketId?: string },
    page: Page,
  ): Promise<PageOf<PredictionOrderView>>;
  find(orgId: string, id: string): Promise<PredictionOrderView | null>;
}

export interface PredictionOrderPorts {
  readonly reads: PredictionOrderReads;
  readonly commands: PredictionOrderCommands;
  readonly live: LivePredictionOrders;
}
