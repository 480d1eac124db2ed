/** Context and events of a person's order on the spot exchange. */
import type { SeenTrades } from '../../src/domain/orders/execution.ts';
import type { OrderPart } from '../../src/domain/orders/execution-plan.ts';
import type { EpochMs } from '../../src/domain/values/time.ts';
import type { ManualOrderContext, ManualOrderInput } from '../manual-order/order.ts';
import type { ExecutionEvent, RestingAt, RestingTerms } from '../proposal/protocol.ts';

/** Plain JSON. A paper order begins where it ends, or rests; a live one is to be executed. */
export interface MarketOrderInput extends ManualOrderInput {
  readonly begins: 'approved' | 'resting' | 'filled' | 'partially_filled' | 'failed';
  /** Resting terms; absent for an order that takes at once or lapses. */
  readonly resting?: RestingTerms;
}

/** Plain JSON, stored in the snapshot. */
export interface MarketOrderContext extends MarketOrderInput, ManualOrderContext {
  /** The lease to execute, as it was last taken; null before. */
  readonly leaseUntil: EpochMs | null;
  /** Field of the activity worker of executions, which people's orders share with proposals. */
  readonly readsReference: false;
  /** Remaining part of a resting order, in the form of the activity worker; absent if the order does not rest. */
  readonly part?: OrderPart;
  /** Resting price, and the time up to which market activity was checked; null if it does not rest. */
  readonly rest?: RestingAt | null;
  readonly seen?: SeenTrades | null;
  /** Reason for the requested cancellation; null if none was requested. */
  readonly stopped?: string | null;
}

export type MarketOrderEvent = ExecutionEvent | { readonly type: 'cancel'; readonly reason: string };
