/**
 * Parses the spot exchange's answers about an order: state, trades, and the fills for the book. See
 * docs/reference/outside/spot-exchange.md.
 */
import type { Fill, FillQuote } from '../../../domain/books/book.ts';
import { computeSlippageBps } from '../../../domain/orders/costs.ts';
import { Decimal, type DecimalString, isPositive, plainDecimal } from '../../../domain/values/decimal.ts';
import type { Order } from '../../../domain/orders/order.ts';
import type { EpochMs } from '../../../domain/values/time.ts';
import { knownFields } from '../known-fields.ts';
import { isCount, wireDecimal } from '../wire-decimal.ts';
import type { SpotInstrument } from './instruments.ts';
import { PROVIDER } from './map.ts';

/** Documented members of an order in all answers, including special kinds of orders. */
export const ORDER_FIELDS = knownFields('binance:order', [
  'symbol orderId orderListId clientOrderId origClientOrderId transactTime price origQty executedQty origQuoteOrderQty ' +
    'cummulativeQuoteQty status timeInForce type side stopPrice icebergQty time updateTime isWorking workingTime ' +
    'selfTradePreventionMode expiryReason fills preventedMatchId preventedQuantity strategyId strategyType trailingDelta ' +
    'trailingTime usedSor workingFloor pegPriceType pegOffsetType pegOffsetValue peggedPrice',
  { fills: 'price qty commission commissionAsset tradeId matchType allocId' },
]);
export const MY_TRADES_FIELDS = knownFields(
  'binance:myTrades',
  'symbol id orderId orderListId price qty quoteQty commission commissionAsset time isBuyer isMaker isBestMatch',
);

/** State of an order at the venue. */
export interface SpotOrderState {
  readonly orderId: number;
  readonly status: string;
  readonly executed: DecimalString;
  readonly expiryReason: string | null;
  /** Limit price of an open resting order, else null. */
  readonly restingAt: DecimalString | null;
  readonly at: EpochMs;
}

/** Trade of an order. */
export interface SpotTrade {
  readonly id: number;
  readonly price: DecimalString;
  readonly quantity: DecimalString;
  readonly commission: DecimalString;
  readonly commissionAsset: string;
  readonly at: EpochMs;
}

/** Final states of an order. */
const ENDED: ReadonlySet<string> = new Set(['FILLED', 'CANCELED', 'REJECTED', 'EXPIRED', 'EXPIRED_IN_MATCH']);

export function hasEnded({ status }: Pick<SpotOrderState, 'status'>): boolean {
  return ENDED.has(status);
}

const toFields = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};

/** Reads the answer of `POST /order` or `GET /order`; null if it lacks a required member. */
export function readOrderState(body: unknown): SpotOrderState | null {
  const { orderId, status, executedQty, expiryReason, transactTime, updateTime, type, timeInForce, price } = toFields(body);
  const executed = wireDecimal(executedQty);
  const at = transactTime ?? updateTime;
  if (!isCount(orderId) || typeof status !== 'string' || executed === null || executed.startsWith('-') || !isCount(at)) return null;
  return {
    orderId,
    status,
    executed,
    expiryReason: typeof expiryReason === 'string' ? expiryReason : null,
    restingAt: restsAt({ type, timeInForce, price, status }),
    at,
  };
}

/** Returns an order's resting price; null for an order that takes at once, and after its end. */
export function restsAt(order: {
  readonly type: unknown;
  readonly timeInForce: unknown;
  readonly price: unknown;
  readonly status: string;
}): DecimalString | null {
  const rests = order.type === 'LIMIT_MAKER' || (order.type === 'LIMIT' && order.timeInForce === 'GTC');
  return rests && !ENDED.has(order.status) ? wireDecimal(order.price) : null;
}

/**
 * Parses the rows of `fills` (`POST /order`) or `GET /myTrades`, which use different members. Returns null if a row is unreadable or the
 * sum differs from `executed`, the quantity executed in them. @param at time of rows without one
 */
export function readTrades(rows: unknown, executed: DecimalString, at: EpochMs): readonly SpotTrade[] | null {
  if (!Array.isArray(rows)) return null;
  const trades = new Map<number, SpotTrade>();
  for (const row of rows as unknown[]) {
    const { tradeId, id, price, qty, commission, commissionAsset, time } = toFields(row);
    const name = tradeId ?? id;
    const [amount, each, fee] = [wireDecimal(qty), wireDecimal(price), wireDecimal(commission)];
    if (!isCount(name) || amount === null || each === null || fee === null || typeof commissionAsset !== 'string') return null;
    if (!isPositive(amount) || !isPositive(each)) return null;
    trades.set(name, { id: name, price: each, quantity: amount, commission: fee, commissionAsset, at: isCount(time) ? time : at });
  }
  const sum = [...trades.values()].reduce((total, { quantity }) => total.plus(quantity), new Decimal(0));
  return sum.eq(executed) ? [...trades.values()].sort((a, b) => a.id - b.id) : null;
}

/** Returns commission assets that are neither the instrument's base nor its quote. */
export function foreignAssets(trades: readonly SpotTrade[], { baseAsset, quoteAsset }: SpotInstrument): readonly SpotTrade[] {
  return trades.filter(
    ({ commission, commissionAsset }) => isPositive(commission) && commissionAsset !== baseAsset && commissionAsset !== quoteAsset,
  );
}

interface BookingInfo {
  readonly instrument: SpotInstrument;
  readonly decisionPrice: DecimalString;
  /** Quote on which the order was sent; null after a look-up, where the execution replaces it. */
  readonly quote: FillQuote | null;
  /** Returns the price of a commission asset in quote units at a trade; called for foreign assets only. */
  readonly priceOf: (trade: SpotTrade) => DecimalString;
}

/** Returns the fills, one per trade, with the commission as fee. */
export function fillsOfTrades(order: Order, trades: readonly SpotTrade[], info: BookingInfo): readonly Fill[] {
  return trades.map((trade) => toFill(order, trade, computeArrived(order, trade, info), info));
}

/** Returns the moved base units; of a purchase, without commission taken from them. */
export function computeArrived({ side }: Pick<Order, 'side'>, trade: SpotTrade, { instrument }: Pick<BookingInfo, 'instrument'>): Decimal {
  const isTakenOut = side === 'buy' && trade.commissionAsset === instrument.baseAsset;
  return new Decimal(trade.quantity).minus(isTakenOut ? trade.commission : 0);
}

/** Returns the reported commission in US dollars. */
function commissionUsd(trade: SpotTrade, { instrument, priceOf }: BookingInfo): Decimal {
  const commission = new Decimal(trade.commission);
  if (commission.isZero() || trade.commissionAsset === instrument.quoteAsset) return commission;
  return commission.times(trade.commissionAsset === instrument.baseAsset ? trade.price : priceOf(trade));
}

function toFill(order: Order, trade: SpotTrade, quantity: Decimal, info: BookingInfo): Fill {
  const { instrument } = info.instrument;
  return {
    // Two organizations may be the buyer and the seller of one trade.
    id: `${PROVIDER}:${instrument}:${trade.id}:${order.id}`,
    orderId: order.id,
    bookId: order.bookId,
    instrument: order.instrument,
    side: order.side,
    quantity: plainDecimal(quantity),
    ...(quantity.eq(trade.quantity) ? {} : { executedQuantity: plainDecimal(trade.quantity) }),
    fillPrice: plainDecimal(trade.price),
    feeUsd: plainDecimal(commissionUsd(trade, info)),
    notionalUsd: plainDecimal(quantity.times(trade.price)),
    decisionPrice: info.decisionPrice,
    slippageBps: computeSlippageBps(order.side, info.decisionPrice, trade.price),
    at: trade.at,
    quotes: [info.quote ?? { source: `${PROVIDER}:execution`, observedAt: trade.at, bid: null, ask: null }],
  };
}
