/**
 * Requests to the spot exchange for an organization's account. The worker states and signs the request. The signer process builds it, so
 * that an account's key signs only these requests.
 */
import { canonicalJson, sha256Hex } from '../values/canonical-json.ts';
import type { DecimalString } from '../values/decimal.ts';
import { isUuid, UUID_PATTERN } from '../values/ids.ts';
import type { Order } from './order.ts';
import { type EpochMs, MINUTE_MS } from '../values/time.ts';
import { splitInstrumentKey } from '../market/venue.ts';

/** Resting price of an order. A `postOnly` order never takes liquidity: it is refused if it would. */
export interface RestsAt {
  readonly price: DecimalString;
  readonly postOnly: boolean;
}

/** Kinds of requests. `key` identifies an order: a proposal or a manual order, with `:<n>` appended for each further part. */
export type ExchangeAsk =
  /** `restAt` is the resting price, or null for an order that takes at once. */
  | { readonly kind: 'order'; readonly key: string; readonly order: Order; readonly restAt: RestsAt | null }
  | { readonly kind: 'look_up' | 'cancel'; readonly key: string; readonly symbol: string }
  /** `orderId` is the exchange's own order number. `fromId` is the number of the first trade. */
  | { readonly kind: 'trades'; readonly symbol: string; readonly orderId: number; readonly fromId: number }
  | { readonly kind: 'account' }
  /** Reports of the account's orders, over the exchange's websocket API. */
  | { readonly kind: 'user_stream' };

/** Requests made over HTTP. */
export type RestAsk = Exclude<ExchangeAsk, { readonly kind: 'user_stream' }>;

/** A request of one account. */
export interface ExchangeRequest {
  readonly orgId: string;
  readonly ask: ExchangeAsk;
  /** Milliseconds since 1970 by the exchange's clock. */
  readonly timestamp: EpochMs;
  /** Milliseconds after `timestamp` from which the exchange refuses the request. */
  readonly recvWindow: number;
}

interface ExchangeEndpoint {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  /** Request weight. */
  readonly weight: number;
}

/** Maximum trades in one answer of the exchange. */
export const MOST_TRADES = 1_000;

/** Maximum receive window of the exchange, in milliseconds. */
export const MAX_RECV_WINDOW_MS = MINUTE_MS;

const ENDPOINTS: Readonly<Record<RestAsk['kind'], ExchangeEndpoint>> = {
  order: { method: 'POST', path: '/api/v3/order', weight: 1 },
  look_up: { method: 'GET', path: '/api/v3/order', weight: 4 },
  cancel: { method: 'DELETE', path: '/api/v3/order', weight: 1 },
  trades: { method: 'GET', path: '/api/v3/myTrades', weight: 20 },
  account: { method: 'GET', path: '/api/v3/account', weight: 20 },
};

export function findEndpoint({ kind }: Pick<RestAsk, 'kind'>): ExchangeEndpoint {
  return ENDPOINTS[kind];
}

/** Returns the exchange's client order id of a key: always the same, at most 36 characters of its alphabet. */
export function deriveClientOrderId(key: string): string {
  return `sg-${sha256Hex(key).slice(0, 32)}`;
}

/** Returns the exchange's parameters for the order's execution. */
function toTerms(order: Order, restAt: RestsAt | null): Readonly<Record<string, string>> {
  if (restAt === null) return { type: 'LIMIT', timeInForce: 'IOC', price: order.limitPrice };
  const { price, postOnly } = restAt;
  return postOnly ? { type: 'LIMIT_MAKER', price } : { type: 'LIMIT', timeInForce: 'GTC', price };
}

function toParameters(ask: RestAsk): Readonly<Record<string, string>> {
  switch (ask.kind) {
    case 'order': {
      const { order, restAt } = ask;
      return {
        symbol: splitInstrumentKey(order.instrument).instrument,
        side: order.side.toUpperCase(),
        ...toTerms(order, restAt),
        quantity: order.quantity,
        newClientOrderId: deriveClientOrderId(ask.key),
        newOrderRespType: 'FULL',
      };
    }
    case 'look_up':
    case 'cancel':
      return { symbol: ask.symbol, origClientOrderId: deriveClientOrderId(ask.key) };
    case 'trades':
      return { symbol: ask.symbol, orderId: String(ask.orderId), fromId: String(ask.fromId), limit: String(MOST_TRADES) };
    case 'account':
      return { omitZeroBalances: 'true' };
  }
}

/**
 * Returns the query of a request as signed and sent, percent-encoded, without its signature. Requests over the websocket API include the
 * API key among their parameters, which are signed in order of name.
 */
export function exchangeQuery({ ask, timestamp, recvWindow }: Omit<ExchangeRequest, 'orgId'>, apiKey: string): string {
  if (ask.kind === 'user_stream')
    return new URLSearchParams({ apiKey, recvWindow: String(recvWindow), timestamp: String(timestamp) }).toString();
  return new URLSearchParams({ ...toParameters(ask), recvWindow: String(recvWindow), timestamp: String(timestamp) }).toString();
}

/** Returns the text of a request that the worker signs. */
export function exchangeRequestText(request: ExchangeRequest): string {
  return `sevengate exchange request 1\n${canonicalJson(request)}\n`;
}

const KEY = new RegExp(`^${UUID_PATTERN}(:[1-9]\\d{0,4})?$`);
const SYMBOL = /^[A-Z0-9]{2,20}$/;

/** Reads a request from untrusted data, or returns null if it is not one. */
export function readExchangeRequest(value: unknown): ExchangeRequest | null {
  if (typeof value !== 'object' || value === null) return null;
  const { orgId, ask, timestamp, recvWindow } = value as Partial<Record<keyof ExchangeRequest, unknown>>;
  if (typeof orgId !== 'string' || !isUuid(orgId) || typeof ask !== 'object' || ask === null) return null;
  const isWindow = Number.isSafeInteger(recvWindow) && (recvWindow as number) > 0 && (recvWindow as number) <= MAX_RECV_WINDOW_MS;
  if (!Number.isSafeInteger(timestamp) || !isWindow || !isAsk(ask as Partial<Record<string, unknown>>)) return null;
  return value as ExchangeRequest;
}

function isAsk({ kind, key, symbol, order, restAt, orderId, fromId }: Partial<Record<string, unknown>>): boolean {
  const isKeyed = typeof key === 'string' && KEY.test(key);
  const isListed = typeof symbol === 'string' && SYMBOL.test(symbol);
  if (kind === 'account' || kind === 'user_stream') return true;
  const isNumber = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0;
  if (kind === 'trades') return isListed && isNumber(orderId) && isNumber(fromId);
  if (kind === 'look_up' || kind === 'cancel') return isKeyed && isListed;
  return kind === 'order' && isKeyed && typeof order === 'object' && order !== null && (restAt === null || isRestsAt(restAt));
}

function isRestsAt(value: unknown): boolean {
  const { price, postOnly } = Object(value) as Partial<Record<keyof RestsAt, unknown>>;
  return typeof price === 'string' && typeof postOnly === 'boolean';
}

/** Returns why a new key is refused, or null. `before` is the account of the organization's orders so far. */
export function keyChange(asked: {
  readonly account: string;
  readonly before: string | null;
  readonly others: readonly { readonly orgId: string; readonly account: string }[];
  /** True if the key belongs to another account than before. */
  readonly changes: boolean;
  /** Number of live orders without a final result. */
  readonly openOrders: number;
}): string | null {
  const { account, before, others, changes, openOrders } = asked;
  const other = others.find((one) => one.account === account);
  if (other !== undefined)
    return `account ${account} belongs to organization ${other.orgId}: the orders of two organizations never meet in one account`;
  if (before === null || before === account) return null;
  if (!changes) return `the key is of account ${account}, and the orders of the organization went to ${before}: --other-account changes it`;
  return openOrders > 0
    ? `${openOrders} live orders are open on account ${before}: nobody could ask what became of them with a key of another account`
    : null;
}
