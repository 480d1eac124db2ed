/** Ports of trading, with domain values. Stores, venues and the signer implement them. */
import type { Autonomy, Stage } from '../domain/agents/agent.ts';
import type { OpenProposal, TradingBook } from '../domain/books/book.ts';
import type { TransitAmount } from '../domain/bridge/transit.ts';
import type { RiskRejection } from '../domain/agents/decision.ts';
import type { AccountFacts } from '../domain/books/free-dollars.ts';
import type { Manifest } from '../domain/manifest/manifest.ts';
import type { ExchangeRequest } from '../domain/orders/exchange-request.ts';
import type { ExecutionMode } from '../domain/orders/order.ts';
import type { OrderBook } from '../domain/market/order-book.ts';
import type { PredictionMarket } from '../domain/prediction/market.ts';
import type { Quote, ReferencePrice } from '../domain/market/quote.ts';
import type { Outcome } from '../domain/values/refusal.ts';
import type { BookSums } from '../domain/risk/context.ts';
import type { DisabledVenues, PoolLiquidity } from '../domain/risk/order-context.ts';
import type { RiskPreferences } from '../domain/risk/preferences.ts';
import type { BoundDollars } from '../domain/take/live-capital.ts';
import type { EpochMs } from '../domain/values/time.ts';
import type { ExecutableVenue, InstrumentKey } from '../domain/market/venue.ts';

/** Newest received quote of each instrument. */
export interface LatestQuotes {
  latest(key: InstrumentKey): Quote | ReferencePrice | null;
}

/** Books of venues when an order is placed. */
export interface VenueBooks {
  /**
   * Reads up to `levels` per side. A followed book with at least `least` per side (default `levels`) is enough. Its `edge` tells its known
   * depth. Refuses with `not_found` or `unavailable`.
   */
  read(venue: ExecutableVenue, instrument: string, levels: number, least?: number): Promise<Outcome<OrderBook>>;
}

/** A book of an organization. `version` counts bookings, from 0. */
export interface AccountBook {
  readonly id: string;
  /** Null for a manual book. */
  readonly agentId: string | null;
  readonly version: number;
  readonly state: TradingBook;
}

/** Present facts about an agent for its orders. */
export interface AgentFacts {
  readonly id: string;
  readonly stage: Stage;
  readonly autonomy: Autonomy;
  readonly manifest: Manifest;
  readonly manifestVersion: number;
  readonly paused: boolean;
  /** Control epoch of the organization. A halt begins a new one. */
  readonly epoch: number;
}

/** Manual book of an organization, and its surroundings. */
export interface ManualAccount {
  readonly epoch: number;
  readonly preferences: RiskPreferences;
  /** Null before the first booking. */
  readonly book: AccountBook | null;
  /** Exposure of the organization in its other books of that mode. */
  readonly others: BookSums;
  /** Accounts besides its live books. Empty for paper. */
  readonly accounts: AccountFacts;
  /** Claims on those accounts by vaults, armed Takes and people's requests. Empty for paper. */
  readonly bound: Omit<BoundDollars, 'facts'>;
  /** Orders pending on the manual book, which reserve capacity there. */
  readonly waiting: readonly OpenProposal[];
}

/** Risk reads of an organization, its agents and its books. */
export interface RiskReads {
  /** Returns null if the organization has no such agent. */
  agent(orgId: string, agentId: string): Promise<AgentFacts | null>;
  /** Returns the books that an agent trades now, by id, with open proposals. Books without events are missing. */
  agentBooks(agentId: string): Promise<ReadonlyMap<string, AccountBook>>;
  /** Returns the exposure of the organization's books of a mode except one, at a cost independent of their number. */
  otherBooks(orgId: string, mode: ExecutionMode, exceptBookId: string): Promise<BookSums>;
  /** Returns the newest reserve check of the organization, and its live books. */
  accounts(orgId: string): Promise<AccountFacts>;
  /** Returns the inputs of assessing a manual order, all at one moment. */
  manualAccount(orgId: string, mode: ExecutionMode): Promise<ManualAccount>;
  /** Every book of the organization of one mode. */
  books(orgId: string, mode: ExecutionMode): Promise<readonly AccountBook[]>;
  /** Returns all orders pending on a manual book, which reserve capacity there. */
  waitingOn(orgId: string, bookId: string): Promise<readonly OpenProposal[]>;
  /** Returns submitted transfers of the organization that have not ended. */
  inTransit(orgId: string): Promise<readonly TransitAmount[]>;
  /** Returns the organization's mandate. Version 0 is the defaults. */
  preferences(orgId: string): Promise<{ readonly version: number; readonly preferences: RiskPreferences }>;
  epoch(orgId: string): Promise<number>;
  /** Returns the last liquidity of instruments' pools received after `since`. Instruments without one are missing. */
  liquidity(instruments: readonly InstrumentKey[], since: EpochMs): Promise<ReadonlyMap<InstrumentKey, PoolLiquidity>>;
  /** Returns the prediction markets of outcomes, by market id. */
  outcomeMarkets(instruments: readonly InstrumentKey[]): Promise<ReadonlyMap<string, PredictionMarket>>;
}

/** Reads of every order assessment. */
export interface RiskDeps {
  readonly reads: RiskReads;
  readonly bus: LatestQuotes;
  readonly clock: { now(): EpochMs };
  /** Returns the venues without live orders for an organization. Null means a manual order. */
  readonly disabledVenues: (autonomy: Autonomy | null, orgId: string) => DisabledVenues;
}

/** Answer of the signer. Repeating a request is harmless: the same message has one signature. */
export type SignerAnswer =
  | { readonly outcome: 'signed'; readonly signedBase64: string }
  /** Refused for now. `code` names the missing condition. */
  | { readonly outcome: 'refused'; readonly code: string; readonly detail: string; readonly rejections?: readonly RiskRejection[] }
  /** Unknown if it was signed. Nothing was broadcast. */
  | { readonly outcome: 'unavailable'; readonly reason: string; readonly detail: string };

/** Client that has prepared transactions signed. */
export interface SignerClient {
  /** Requests a signature. @param signature The worker's, over `delegatedOrderText`. */
  sign(orderId: string, signature: string): Promise<SignerAnswer>;
}

/** Client that has requests to the spot exchange signed. */
export interface ExchangeSigner {
  /** Requests a signature. @param signature The worker's, over `exchangeRequestText`. */
  signRequest(request: ExchangeRequest, signature: string): Promise<ExchangeSignature>;
}

/** Result of signing a request to the spot exchange. */
export type ExchangeSignature =
  /** `query` is the complete signed query. `apiKey` identifies the account's key at the exchange and proves nothing. */
  | { readonly outcome: 'signed'; readonly apiKey: string; readonly query: string }
  | { readonly outcome: 'refused'; readonly code: string; readonly detail: string }
  | { readonly outcome: 'unavailable'; readonly reason: string; readonly detail: string };

/** Has requests to the spot exchange signed, each with the key of its organization's account. */
export type SignExchangeRequest = (request: ExchangeRequest) => Promise<ExchangeSignature>;

/** Keys of organizations at the spot exchange, which only the signer process has. */
export interface ExchangeKeys {
  /** Returns the key stored in its file now, so that a replaced key applies at once. Null if there is none. */
  of(orgId: string): {
    readonly apiKey: string;
    /** True if a signature of this key on a stream request would also open a session that places orders without signatures. */
    readonly opensSessions: boolean;
    sign(query: string): string;
  } | null;
}

/** Answer of the remote signer. */
export type RemoteAnswer =
  /** Unverified signature, which the caller compares with its request. */
  | { readonly outcome: 'signed'; readonly signed: Uint8Array }
  | {
      readonly outcome: 'refused';
      readonly code: 'signer_unauthorized' | 'signer_delegation_missing' | 'signer_refused';
      readonly detail: string;
    }
  /** `reason`: `timeout`, `unreachable`, `too_large`, `http_<status>` or `malformed`. */
  | { readonly outcome: 'unavailable'; readonly reason: string; readonly detail: string };

/** Record of the signer's signatures, stored where no database password reaches. */
export interface SigningLedger {
  /**
   * Counts a signing before it is requested, whatever its result. Returns why it must not be signed (the window is used up, or this order
   * was signed with another message), or null if it is counted.
   */
  count(signing: {
    readonly orderId: string;
    /** SHA-256 of the message in hexadecimal. */
    readonly digest: string;
    readonly notionalUsd: string;
    readonly at: EpochMs;
  }): string | null;
}

/** Signing API of the identity provider. */
export interface RemoteSigner {
  /** Requests a signature. @param unsigned The whole wire transaction. */
  signTransaction(wallet: string, unsigned: Uint8Array, idempotencyKey: string): Promise<RemoteAnswer>;
}
