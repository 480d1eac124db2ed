/** Context and events of a person's order on the spot exchange. */
import type { SeenTrades } from '../../src/domain/orders/execution.ts';
import type { OrderPart } from '../../src/domain/orders/execution-plan.ts';
import type { EpochMs } from '../../src/domain/values/time.ts';
import type { ManualOrderContext, ManualOrderInput } from '../manual-order/order.ts';
import type { ExecutionEvent, RestingAt, RestingTerms } from '../proposal/protocol.ts';

/** Input of an order. Plain JSON. A paper order begins in its final state or resting. A live one begins unexecuted. */
export interface MarketOrderInput extends ManualOrderInput {
  readonly begins: 'approved' | 'resting' | 'filled' | 'partially_filled' | 'failed';
  /** Resting terms. Absent for an order that fills at once or lapses. */
  readonly resting?: RestingTerms;
}

/** Context of an order. Plain JSON, stored in the snapshot. */
export interface MarketOrderContext extends MarketOrderInput, ManualOrderContext {
  /** End of the last execution lease, or null before the first. */
  readonly leaseUntil: EpochMs | null;
  /** Field that the shared execution worker reads of proposals. Always false for manual orders. */
  readonly readsReference: false;
  /** Remaining part of a resting order, as the execution worker reads it. Absent if the order does not rest. */
  readonly part?: OrderPart;
  /** Resting price, and the time up to which market activity was checked. Null if it does not rest. */
  readonly rest?: RestingAt | null;
  readonly seen?: SeenTrades | null;
  /** Reason for the requested cancellation; null if none was requested. */
  readonly stopped?: string | null;
}

export type MarketOrderEvent = ExecutionEvent | { readonly type: 'cancel'; readonly reason: string };
