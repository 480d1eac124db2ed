/** Outside ports of trading. Stores, venues and the signer implement them; all values are the domain's. */
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

/** The newest quote of each instrument that this process has been told of. */
export interface LatestQuotes {
  latest(key: InstrumentKey): Quote | ReferencePrice | null;
}

/** Books of venues at the moment of an order. */
export interface VenueBooks {
  /**
   * Reads at most `levels` of each side. A followed book that holds at least `least` of each (default `levels`) is enough; its `edge` says
   * how far it is known. Refuses with `not_found` or `unavailable`.
   */
  read(venue: ExecutableVenue, instrument: string, levels: number, least?: number): Promise<Outcome<OrderBook>>;
}

/** A book of an organization. `version` counts what was booked; zero was never booked to. */
export interface AccountBook {
  readonly id: string;
  /** Null for the book of the organization's people. */
  readonly agentId: string | null;
  readonly version: number;
  readonly state: TradingBook;
}

/** An agent as its orders depend on it at this moment. */
export interface AgentFacts {
  readonly id: string;
  readonly stage: Stage;
  readonly autonomy: Autonomy;
  readonly manifest: Manifest;
  readonly manifestVersion: number;
  readonly paused: boolean;
  /** The organization's control epoch; a halt begins a new one. */
  readonly epoch: number;
}

/** The manual book of an organization and what counts beside it. */
export interface ManualAccount {
  /** The organization's control epoch. */
  readonly epoch: number;
  readonly preferences: RiskPreferences;
  /** Null if nothing was booked to it. */
  readonly book: AccountBook | null;
  /** Exposure of the organization in its other books of that mode. */
  readonly others: BookSums;
  /** Accounts beside its live books; none of paper books. */
  readonly accounts: AccountFacts;
  /** Claims on those accounts of vaults, armed Takes and what people asked for; none on paper. */
  readonly bound: Omit<BoundDollars, 'facts'>;
  /** Orders that wait on the manual book and reserve capacity there. */
  readonly waiting: readonly OpenProposal[];
}

/** Risk reads of an organization, its agents and its books. */
export interface RiskReads {
  /** Null if the organization has no such agent. */
  agent(orgId: string, agentId: string): Promise<AgentFacts | null>;
  /** The books that an agent trades in now, by id, with what is open on them; one that nothing has happened to is left out. */
  agentBooks(agentId: string): Promise<ReadonlyMap<string, AccountBook>>;
  /** Exposure of the organization in its books of one mode except one. Its cost does not grow with their number. */
  otherBooks(orgId: string, mode: ExecutionMode, exceptBookId: string): Promise<BookSums>;
  /** The newest comparison of the organization's accounts, and its live books. */
  accounts(orgId: string): Promise<AccountFacts>;
  /** Inputs of assessing a person's order, all of one moment. */
  manualAccount(orgId: string, mode: ExecutionMode): Promise<ManualAccount>;
  /** Every book of the organization of one mode. */
  books(orgId: string, mode: ExecutionMode): Promise<readonly AccountBook[]>;
  /** Reads all orders that wait on a manual book and reserve capacity there. */
  waitingOn(orgId: string, bookId: string): Promise<readonly OpenProposal[]>;
  /** Transfers of the organization that were submitted and have not ended. */
  inTransit(orgId: string): Promise<readonly TransitAmount[]>;
  /** The organization's mandate. Version zero: it never said anything, and the defaults hold. */
  preferences(orgId: string): Promise<{ readonly version: number; readonly preferences: RiskPreferences }>;
  /** The organization's control epoch. */
  epoch(orgId: string): Promise<number>;
  /** The liquidity of instruments' pools as it was received last, after `since`; an instrument without one is left out. */
  liquidity(instruments: readonly InstrumentKey[], since: EpochMs): Promise<ReadonlyMap<InstrumentKey, PoolLiquidity>>;
  /** The prediction markets of outcomes, by market id. */
  outcomeMarkets(instruments: readonly InstrumentKey[]): Promise<ReadonlyMap<string, PredictionMarket>>;
}

/** Reads of every order assessment. */
export interface RiskDeps {
  readonly reads: RiskReads;
  readonly bus: LatestQuotes;
  readonly clock: { now(): EpochMs };
  /** The venues whose live orders an organization cannot have carried out; null asks for an order of a person. */
  readonly disabledVenues: (autonomy: Autonomy | null, orgId: string) => DisabledVenues;
}

/** Answer of the signer. Asking again is harmless: the same message has one signature. */
export type SignerAnswer =
  | { readonly outcome: 'signed'; readonly signedBase64: string }
  /** Refused as things stand. `code` names the missing condition. */
  | { readonly outcome: 'refused'; readonly code: string; readonly detail: string; readonly rejections?: readonly RiskRejection[] }
  /** Unknown whether it was signed. Nothing was broadcast. */
  | { readonly outcome: 'unavailable'; readonly reason: string; readonly detail: string };

/** Has prepared transactions signed. */
export interface SignerClient {
  /** @param signature the worker's, over `delegatedOrderText`. */
  sign(orderId: string, signature: string): Promise<SignerAnswer>;
}

/** Has requests to the spot exchange signed. */
export interface ExchangeSigner {
  /** @param signature the worker's, over `exchangeRequestText`. */
  signRequest(request: ExchangeRequest, signature: string): Promise<ExchangeSignature>;
}

/** Result of signing a request to the spot exchange. */
export type ExchangeSignature =
  /** `query` is the whole signed query; `apiKey` names the account's key to the exchange and proves nothing. */
  | { readonly outcome: 'signed'; readonly apiKey: string; readonly query: string }
  | { readonly outcome: 'refused'; readonly code: string; readonly detail: string }
  | { readonly outcome: 'unavailable'; readonly reason: string; readonly detail: string };

/** Has requests to the spot exchange signed, each with the key of its organization's account. */
export type SignExchangeRequest = (request: ExchangeRequest) => Promise<ExchangeSignature>;

/** The keys of organizations at the spot exchange, as the signer process alone has them. */
export interface ExchangeKeys {
  /** Returns the key as stored in its file at this moment, so that a replaced key counts at once. Null if there is none. */
  of(orgId: string): {
    readonly apiKey: string;
    /** True if a signature of this key on a stream request would also open a session that orders without signatures. */
    readonly opensSessions: boolean;
    sign(query: string): string;
  } | null;
}

/** Answer of the remote signer. */
export type RemoteAnswer =
  /** Unverified signature. The caller compares it with its request. */
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
   * Counts a signing before it is requested, whatever the result. @returns why it must not be signed: the window is used up, or this order
   * was signed with another message; null if it is counted.
   */
  count(signing: {
    readonly orderId: string;
    /** SHA-256 of the message, hexadecimal. */
    readonly digest: string;
    readonly notionalUsd: string;
    readonly at: EpochMs;
  }): string | null;
}

/** The identity provider's signing API. */
export interface RemoteSigner {
  /** @param unsigned the whole wire transaction. */
  signTransaction(wallet: string, unsigned: Uint8Array, idempotencyKey: string): Promise<RemoteAnswer>;
}
