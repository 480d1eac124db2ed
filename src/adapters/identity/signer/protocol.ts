/** Protocol of the signer process: its input lines and its answers. */

import type { CatalogSource } from '../../../domain/catalog/catalog.ts';
import type { RiskRejection } from '../../../domain/agents/decision.ts';
import type { ExchangeRequest } from '../../../domain/orders/exchange-request.ts';

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

/** Result of signing a request to the spot exchange. */
export type ExchangeSignature =
  /** `query` is the complete signed query. `apiKey` identifies the account's key at the exchange and proves nothing. */
  | { readonly outcome: 'signed'; readonly apiKey: string; readonly query: string }
  | { readonly outcome: 'refused'; readonly code: string; readonly detail: string }
  | { readonly outcome: 'unavailable'; readonly reason: string; readonly detail: string };

/** Client that has requests to the spot exchange signed. */
export interface ExchangeSigner {
  /** Requests a signature. @param signature The worker's, over `exchangeRequestText`. */
  signRequest(request: ExchangeRequest, signature: string): Promise<ExchangeSignature>;
}

/** Has requests to the spot exchange signed, each with the key of its organization's account. */
export type SignExchangeRequest = (request: ExchangeRequest) => Promise<ExchangeSignature>;

/** Secrets of the signer process. `key` is null if it is in a file, or if no swaps are signed. */
export interface SignerKeys {
  readonly key: string | null;
  readonly appSecret: string;
}

/** First input line. */
export interface SignerSecret {
  /** Null if they are in the inherited descriptor, from which a restarted process can read them again. */
  readonly keys: SignerKeys | null;
  readonly keyFile: string | null;
  readonly appId: string;
  /** Log level of the service. */
  readonly logLevel: string;
}

/** Second input line, sent once the database runs. */
export interface SignerAddresses {
  readonly databaseUrl: string;
  /** URL of the remote signer; null if no swaps are signed, like the node's. */
  readonly url: string | null;
  readonly socket: string;
  /** State folder with the writers' public keys and the record of signings. */
  readonly home: string;
  readonly rpcUrl: string | null;
  /** Addresses of market makers that may sign besides a wallet. */
  readonly makers: readonly string[];
  /** Maximum US dollars that are signed for within 24 hours. */
  readonly dailyLimitUsd: string;
  /** Maximum US dollars of one organization's purchases at the spot exchange within 24 hours. */
  readonly exchangeDailyLimitUsd: string;
  readonly isSandboxed: boolean;
  /** Source of the service's catalog, which lists the permitted mints. */
  readonly catalog: CatalogSource;
}

/** Answer to either line, one line on standard output. `publicKey` is null if no swaps are signed. */
export type SignerTold = { readonly ok: true; readonly publicKey: string | null } | { readonly ok: false; readonly wrong: string };
