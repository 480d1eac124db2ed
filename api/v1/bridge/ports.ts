/** Ports of the bridge routes. */
import type { BridgeCommands } from '../../../actors/bridge-transfer/commands.ts';
import type { TransferState } from '../../../src/domain/bridge/axes.ts';
import type { TransferStep } from '../../../src/domain/bridge/course.ts';
import type { BridgeTransfer } from '../../../actors/bridge-transfer/resource.ts';
import type { Page, PageOf } from '../../page.ts';

/** Reads of transfers, newest first; a foreign one answers null, exactly as a missing one. */
interface BridgeTransferReads {
  /** Quotes that nobody took only if they are asked for by their state. */
  list(orgId: string, filter: { readonly state?: TransferState }, page: Page): Promise<PageOf<BridgeTransfer>>;
  find(orgId: string, id: string): Promise<BridgeTransfer | null>;
  /** Committed steps, ascending. Empty if the organization has no such transfer. */
  steps(orgId: string, id: string): Promise<readonly TransferStep[]>;
}

export interface BridgePorts {
  readonly reads: BridgeTransferReads;
  readonly commands: BridgeCommands;
}
