/** What a person's order on the spot exchange remembers and what it receives. */
import type { SeenTrades } from '../../src/domain/execution.ts';
import type { OrderPart } from '../../src/domain/execution-plan.ts';
import type { EpochMs } from '../../src/domain/time.ts';
import type { ManualOrderContext, ManualOrderInput } from '../manual-order/order.ts';
import type { ExecutionEvent, RestingAt, RestingTerms } from '../proposal/protocol.ts';

/** Plain JSON. A paper order begins where it ends, or rests; a live one is to be executed. */
export interface MarketOrderInput extends ManualOrderInput {
  readonly begins: 'approved' | 'resting' | 'filled' | 'partially_filled' | 'failed';
  /** How it rests; absent of an order that takes at once or lapses. */
  readonly resting?: RestingTerms;
}

/** Plain JSON: it lies in the snapshot. */
export interface MarketOrderContext extends MarketOrderInput, ManualOrderContext {
  /** The lease to execute, as it was last taken; null before. */
  readonly leaseUntil: EpochMs | null;
  /** Read by the activity worker of executions, which people's orders share with proposals. */
  readonly readsReference: false;
  /** What of it still rests, as the activity worker knows an order's part; absent of an order that does not rest. */
  readonly part?: OrderPart;
  /** Where it rests, and up to when what the market did has been looked at; null where it does not rest. */
  readonly rest?: RestingAt | null;
  readonly seen?: SeenTrades | null;
  /** Who or what asked for it to be taken back; null where nobody did. */
  readonly stopped?: string | null;
}

export type MarketOrderEvent = ExecutionEvent | { readonly type: 'cancel'; readonly reason: string };
