/** Port of the on-chain prediction venue for live orders. Boot supplies it. */
import type { DecimalString } from '../../src/domain/values/decimal.ts';
import type { Order } from '../../src/domain/orders/order.ts';
import type { OutcomeSide, PredictionBook, PredictionMarket } from '../../src/domain/prediction/market.ts';
import type { Outcome } from '../../src/domain/values/refusal.ts';
import type { ChainClient } from '../prepared-transaction/chain-client.ts';
import type { PredictionOrderContext, VenueNews } from './machine.ts';

/** Offer of the venue: an unsigned transaction and the resulting order. */
export interface OnchainOffer {
  readonly transactionBase64: string;
  readonly lastValidBlockHeight: number;
  /** Blockhash of the transaction according to the venue. */
  readonly blockhash: string;
  readonly venueMarketId: string;
  readonly orderAccount: string;
  readonly escrowAccount: string | null;
  readonly positionAccount: string;
  /** Contracts, a multiple of 0.01. */
  readonly quantity: DecimalString;
  /** Contracts in millionths, as the venue counts them. */
  readonly contracts: DecimalString;
  /** Worst fill price. */
  readonly limitPrice: DecimalString;
}

/** Order to open from a wallet. A purchase includes the deposit that the venue spends. */
export interface OfferRequest {
  readonly wallet: string;
  readonly market: PredictionMarket;
  readonly outcome: OutcomeSide;
  readonly order: Order;
  readonly depositUsd: DecimalString;
  readonly positionAccount: string | null;
}

export interface OnchainVenue {
  /** Stablecoin of deposits. */
  readonly stable: { readonly mint: string; readonly decimals: number };
  /** Programs of the venue that its transactions may call. */
  readonly programs: readonly string[];
  /**
   * Requests an offer without touching the chain. A buy is requested by its deposit in US dollars, a sell by its contracts and the position
   * account. Refuses with `state_conflict` if the venue refuses and with `unavailable` if it does not answer.
   */
  offer(request: OfferRequest): Promise<Outcome<OnchainOffer>>;
  /** Returns the state of an order whose transaction is final. @throws if the venue does not answer. */
  news(orderId: string, context: PredictionOrderContext): Promise<VenueNews>;
}

/** The venue and its chain. */
export interface OnchainPredictions {
  readonly venue: OnchainVenue & {
    book(market: PredictionMarket): Promise<PredictionBook>;
    /** Returns the contracts by position account of a wallet. @throws if the venue does not answer. */
    positions(owner: string): Promise<ReadonlyMap<string, DecimalString>>;
  };
  readonly chain: Pick<ChainClient, 'simulate' | 'lookupTable' | 'blockHeight'>;
}
