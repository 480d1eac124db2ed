/** What an order on a prediction market remembers and what it hears. */
import type { Fill } from '../../src/domain/book.ts';
import type { DecimalString } from '../../src/domain/decimal.ts';
import type { RiskAttribution } from '../../src/domain/decision.ts';
import type { Order } from '../../src/domain/order.ts';
import type { OutcomeSide } from '../../src/domain/prediction-market.ts';
import type { EpochMs } from '../../src/domain/time.ts';

/**
 * `prepared`: its transaction waits for a signature. `submitted`: it is on its way to the chain. `open`: it is final, and
 * the venue has the order; nothing of it is filled. `cancelled`: the venue closed it and gave back what was not filled.
 */
export const PREDICTION_ORDER_STATES = ['prepared', 'submitted', 'open', 'partially_filled', 'filled', 'cancelled', 'failed'] as const;
export type PredictionOrderState = (typeof PREDICTION_ORDER_STATES)[number];

/** What a live order is on the chain and at its venue. */
export interface OnchainTerms {
  /** Whose wallet pays and owns the position. */
  readonly wallet: string;
  /** The prepared transaction that opens it. */
  readonly transactionId: string;
  /** The venue's own names of market, order account and position. */
  readonly venueMarketId: string;
  readonly orderAccount: string;
  readonly positionAccount: string;
  /** What the transaction pays into escrow, in US dollars of the stablecoin; zero for a sell. */
  readonly depositUsd: DecimalString;
  /** The token account that the deposit waits in; null where the venue names none. */
  readonly escrowAccount: string | null;
}

/** Plain JSON. A paper order begins where it ends; a live one waits for its transaction. */
export interface PredictionOrderInput {
  readonly order: Order;
  readonly marketId: string;
  readonly outcome: OutcomeSide;
  readonly begins: 'prepared' | 'filled' | 'partially_filled' | 'failed';
  /** Null for a paper order. */
  readonly onchain: OnchainTerms | null;
  /** The executable price when it was placed. */
  readonly decisionPrice: DecimalString;
  readonly risk: RiskAttribution;
  readonly placedBy: string;
  /** The organization's control epoch that it was placed in; a halt ends it. */
  readonly epoch: number;
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
export interface PredictionOrderContext extends PredictionOrderInput {
  readonly filledQuantity: DecimalString;
  readonly filledNotionalUsd: DecimalString;
  readonly feesUsd: DecimalString;
  /** Fills that were booked, by id: each is booked once however often the venue tells of it. */
  readonly booked: readonly string[];
  /** What came back of the deposit; null until the venue closed the order. */
  readonly refundUsd: DecimalString | null;
  /** How often the venue was asked since something happened. */
  readonly looks: number;
}

/** What a venue says of an order that its chain has. Every fill is told every time. */
export type VenueNews =
  | { readonly outcome: 'open'; readonly fills: readonly Fill[] }
  /** It will not be filled any further; `refundUsd` is what of its deposit came back, null where the venue has not said. */
  | {
      readonly outcome: 'filled' | 'cancelled' | 'failed';
      readonly fills: readonly Fill[];
      readonly refundUsd: DecimalString | null;
      readonly reason: string | null;
    }
  /** Nothing can be concluded from the answer: asked again. */
  | { readonly outcome: 'unknown'; readonly detail: string };

/** Where the transaction stands that is to open the order. */
export type TransactionNews =
  | { readonly outcome: 'transaction_waits' | 'transaction_sent' | 'transaction_final' }
  /** It will never land, or landed and failed: there is no order. */
  | { readonly outcome: 'transaction_ended'; readonly reason: string; readonly detail: string };

export type PredictionOrderEvent =
  /** The signed transaction is verified and handed to the chain. */
  | { readonly type: 'transaction.submitted' }
  /** The transaction is final: the venue has the order. */
  | { readonly type: 'transaction.finalized' }
  | { readonly type: 'errand.done'; readonly key: string; readonly kind: string; readonly answer: VenueNews | TransactionNews }
  | { readonly type: 'errand.given_up'; readonly key: string; readonly kind: string; readonly detail: string };
