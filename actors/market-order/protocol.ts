/** What a person's order on the spot exchange remembers and what it hears. */
import type { Fill } from '../../src/domain/book.ts';
import type { DecimalString } from '../../src/domain/decimal.ts';
import type { RiskAttribution } from '../../src/domain/decision.ts';
import type { Order } from '../../src/domain/order.ts';
import type { EpochMs } from '../../src/domain/time.ts';
import type { ExecutionAnswer } from '../proposal/protocol.ts';

/** In the words of trade proposals, without what only a proposal can come to. */
export const MARKET_ORDER_STATES = [
  'approved',
  'executing',
  'filled',
  'partially_filled',
  'failed',
  'unknown',
  'cancelled',
  'blocked_by_risk',
] as const;
export type MarketOrderState = (typeof MARKET_ORDER_STATES)[number];

/** Plain JSON. A paper order begins where it ends; a live one is to be executed. */
export interface MarketOrderInput {
  readonly order: Order;
  readonly begins: 'approved' | 'filled' | 'partially_filled' | 'failed';
  /** The executable price when it was placed. */
  readonly decisionPrice: DecimalString;
  readonly risk: RiskAttribution;
  readonly placedBy: string;
  /** The organization's control epoch that it was placed in; a halt ends it. */
  readonly epoch: number;
  /** Why it was not filled; null else. */
  readonly reason: string | null;
  readonly detail: string | null;
  readonly fills: readonly Fill[];
  /** What its book begins with where it is the book's first. */
  readonly capitalUsd: DecimalString;
  /** The book's version that risk judged it on: what is filled at once is booked on that one or not at all. */
  readonly bookVersion: number;
  readonly createdAt: EpochMs;
}

/** Plain JSON: it lies in the snapshot. */
export interface MarketOrderContext extends MarketOrderInput {
  /** The lease to execute, as it was last taken; null before. */
  readonly leaseUntil: EpochMs | null;
  readonly filledQuantity: DecimalString;
  readonly filledNotionalUsd: DecimalString;
  /** Read by the carrier of executions, which people's orders share with proposals. */
  readonly readsReference: false;
}

export type MarketOrderEvent =
  | { readonly type: 'execution.begun'; readonly key: string; readonly leaseUntil: EpochMs; readonly leaseMs: number }
  | { readonly type: 'errand.done'; readonly key: string; readonly kind: string; readonly answer: ExecutionAnswer }
  | { readonly type: 'errand.given_up'; readonly key: string; readonly kind: string; readonly detail: string };
