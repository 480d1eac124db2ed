/** Store ports of the swap routes. */

import type { PreparedTransactionView } from '../../../actors/prepared-transaction/resource.ts';
import type { SwapCommands } from '../../../actors/prepared-transaction/swap-commands.ts';
import type { Page, PageOf } from '../../page.ts';

/** Reads of swaps, newest first; a foreign one answers null, exactly as a missing one. */
export interface SwapReads {
  list(orgId: string, page: Page): Promise<PageOf<PreparedTransactionView>>;
  find(orgId: string, id: string): Promise<PreparedTransactionView | null>;
}

export interface SwapPorts {
  readonly reads: SwapReads;
  readonly commands: SwapCommands;
}
