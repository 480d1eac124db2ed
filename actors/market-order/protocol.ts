/** What a person's order on the spot exchange remembers and what it receives. */
import type { EpochMs } from '../../src/domain/time.ts';
import type { ManualOrderContext, ManualOrderInput } from '../manual-order/order.ts';
import type { ExecutionEvent } from '../proposal/protocol.ts';

/** Plain JSON. A paper order begins where it ends; a live one is to be executed. */
export interface MarketOrderInput extends ManualOrderInput {
  readonly begins: 'approved' | 'filled' | 'partially_filled' | 'failed';
}

/** Plain JSON: it lies in the snapshot. */
export interface MarketOrderContext extends MarketOrderInput, ManualOrderContext {
  /** The lease to execute, as it was last taken; null before. */
  readonly leaseUntil: EpochMs | null;
  /** Read by the activity worker of executions, which people's orders share with proposals. */
  readonly readsReference: false;
}

export type MarketOrderEvent = ExecutionEvent;
