/** Context and events of a prediction-market order. */
import type { Fill } from '../../src/domain/books/book.ts';
import type { DecimalString } from '../../src/domain/values/decimal.ts';
import type { OutcomeSide } from '../../src/domain/prediction/market.ts';
import type { OnchainTerms } from '../../src/domain/prediction/order.ts';
import type { ManualOrderContext, ManualOrderInput } from '../manual-order/order.ts';

/** Input of an order. Plain JSON. A paper order begins in its final state. A live one waits for its transaction. */
export interface PredictionOrderInput extends ManualOrderInput {
  readonly marketId: string;
  readonly outcome: OutcomeSide;
  readonly begins: 'prepared' | 'filled' | 'partially_filled' | 'failed';
  /** Null for a paper order. */
  readonly onchain: OnchainTerms | null;
}

/** Context of an order. Plain JSON, stored in the snapshot. */
export interface PredictionOrderContext extends PredictionOrderInput, ManualOrderContext {
  readonly feesUsd: DecimalString;
  /** Ids of booked fills. Each is booked once, however often the venue reports it. */
  readonly booked: readonly string[];
  /** Refunded part of the deposit, or null until the venue closes the order. */
  readonly refundUsd: DecimalString | null;
  /** Number of venue queries since the last change. */
  readonly looks: number;
}

/** News of a venue about an order on its chain. Every answer repeats all fills. */
export type VenueNews =
  | { readonly outcome: 'open'; readonly fills: readonly Fill[] }
  /** Closed order without further fills. `refundUsd` is the refunded part of its deposit, or null if the venue has not said. */
  | {
      readonly outcome: 'filled' | 'cancelled' | 'failed';
      readonly fills: readonly Fill[];
      readonly refundUsd: DecimalString | null;
      readonly reason: string | null;
    }
  /** Inconclusive answer. The query is repeated. */
  | { readonly outcome: 'unknown'; readonly detail: string };

/** Status of the transaction that opens the order. */
export type TransactionNews =
  | { readonly outcome: 'transaction_waits' | 'transaction_sent' | 'transaction_final' }
  /** The transaction will never land, or landed and failed. No order exists. */
  | { readonly outcome: 'transaction_ended'; readonly reason: string; readonly detail: string };

export type PredictionOrderEvent =
  /** The signed transaction is verified and handed to the chain. */
  | { readonly type: 'transaction.submitted' }
  /** The transaction is final: the venue has the order. */
  | { readonly type: 'transaction.finalized' }
  | { readonly type: 'activity.done'; readonly key: string; readonly kind: string; readonly answer: VenueNews | TransactionNews }
  | { readonly type: 'activity.given_up'; readonly key: string; readonly kind: string; readonly detail: string };
