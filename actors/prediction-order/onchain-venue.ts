/** The on-chain counterpart of the prediction venues, as live orders need it. Boot supplies one. */
import type { DecimalString } from '../../src/domain/values/decimal.ts';
import type { Order } from '../../src/domain/orders/order.ts';
import type { OutcomeSide, PredictionBook, PredictionMarket } from '../../src/domain/prediction/market.ts';
import type { Outcome } from '../../src/domain/values/refusal.ts';
import type { ChainClient } from '../prepared-transaction/chain-client.ts';
import type { PredictionOrderContext, VenueNews } from './protocol.ts';

/** Offer of the venue: an unsigned transaction and the resulting order. */
export interface OnchainOffer {
  readonly transactionBase64: string;
  readonly lastValidBlockHeight: number;
  /** The blockhash that the venue says its transaction has. */
  readonly blockhash: string;
  readonly venueMarketId: string;
  readonly orderAccount: string;
  readonly escrowAccount: string | null;
  readonly positionAccount: string;
  /** Contracts, a multiple of 0.01. */
  readonly quantity: DecimalString;
  /** The worst price that it will be filled at. */
  readonly limitPrice: DecimalString;
}

/** Order to open from a wallet, and for a purchase the deposit that the venue spends. */
export interface OfferRequest {
  readonly wallet: string;
  readonly market: PredictionMarket;
  readonly outcome: OutcomeSide;
  readonly order: Order;
  readonly depositUsd: DecimalString;
  readonly positionAccount: string | null;
}

export interface OnchainVenue {
  /** The stablecoin that deposits are made in. */
  readonly stable: { readonly mint: string; readonly decimals: number };
  /** Programs of the venue that its transactions may call. */
  readonly programs: readonly string[];
  /**
   * Asks for an order; nothing happens on the chain. A buy is asked for by its deposit, in US dollars; a sell by its
   * contracts and the account of the position. Refused as `state_conflict` if the venue refuses, as `unavailable` if it does not answer.
   */
  offer(request: OfferRequest): Promise<Outcome<OnchainOffer>>;
  /** Returns the state of an order whose transaction is final. @throws if the venue does not answer. */
  news(orderId: string, context: PredictionOrderContext): Promise<VenueNews>;
}

/** The venue and its chain, as one process reaches them. */
export interface OnchainPredictions {
  readonly venue: OnchainVenue & {
    book(market: PredictionMarket): Promise<PredictionBook>;
    /** Contracts by the account of each position of a wallet. @throws if the venue does not tell. */
    positions(owner: string): Promise<ReadonlyMap<string, DecimalString>>;
  };
  readonly chain: Pick<ChainClient, 'simulate' | 'lookupTable' | 'blockHeight'>;
}
