/** Store ports of people's orders. */
import type { MarketOrderCommands } from '../../../actors/market-order/commands.ts';
import type { MarketOrderView } from '../../../actors/market-order/resource.ts';
import type { ExecutionMode } from '../../../src/domain/orders/order.ts';
import type { Page, PageOf } from '../../page.ts';

/** Reads of people's orders on the spot exchange, newest first; a foreign order answers null, exactly as a missing one. */
export interface MarketOrderReads {
  list(orgId: string, filter: { readonly mode?: ExecutionMode; readonly open?: boolean }, page: Page): Promise<PageOf<MarketOrderView>>;
  find(orgId: string, id: string): Promise<MarketOrderView | null>;
}

export interface MarketOrderPorts {
  readonly reads: MarketOrderReads;
  readonly commands: MarketOrderCommands;
}
