/**
 * Measures the fill that its venue's flow would have given a shadow order: quantity and price. Pure and repeatable. An unproven part is
 * unknown, never good.
 */
import type { BookLevel } from '../market/order-book.ts';
import { findCostModel } from '../orders/costs.ts';
import { Decimal, type DecimalString, isDecimalString, isPositive, plainDecimal } from '../values/decimal.ts';
import { floorToStep, findMarketStep } from '../market/market-step.ts';
import { computeAveragePrice, takenFrom } from '../orders/paper-fill.ts';
import type { EpochMs } from '../values/time.ts';
import { type InstrumentKey, splitInstrumentKey, VENUE_FACTS } from '../market/venue.ts';
import type { FlowRule } from '../venues/venue-facts.ts';
import type { FlowBook, FlowPrint, FlowSpan, FlowWindow } from './flow.ts';

/** Paper order of an agent at the shadow stage. */
export interface ShadowOrder {
  /** Id of the paper fill. */
  readonly id: string;
  readonly instrument: InstrumentKey;
  readonly side: 'buy' | 'sell';
  /** Quantity filled on paper in base units, which is measured against the flow. */
  readonly quantity: DecimalString;
  /** Worst accepted price. For a resting order, its resting price. */
  readonly limitPrice: DecimalString;
  /** Time at which it was sent, or began to rest. */
  readonly sentAt: EpochMs;
  /** Time at which the remainder was withdrawn, or null for an order that took liquidity at once. */
  readonly restedUntil: EpochMs | null;
}

/** Reasons of an unknown result. */
export const UNKNOWN_REASONS = ['no_rule', 'not_received', 'gap', 'trades_missing', 'too_much', 'size_unknown'] as const;
type UnknownReason = (typeof UNKNOWN_REASONS)[number];

/** Result of a measurement. `trades` and `books` were received within the window. */
export interface ShadowMeasurement {
  /** Null if the venue sends nothing to measure by. */
  readonly rule: FlowRule | null;
  readonly from: EpochMs;
  readonly until: EpochMs;
  readonly trades: number;
  readonly books: number;
  readonly outcome: 'measured' | 'unknown';
  /** Null if it was measured. */
  readonly reason: UnknownReason | null;
  /** Quantity that the flow gives, at most the order's, or null if unknown. */
  readonly quantity: DecimalString | null;
  /** Average price of that quantity, or null if it is unknown or nothing was given. */
  readonly price: DecimalString | null;
}

/** Maximum trades of a window. Larger windows are not kept. */
export const MOST_TRADES = 5_000;
/** Time in milliseconds to wait for a trade after the window: only a later trade proves that none before it is missing. */
const NEXT_TRADE_MS = 30_000;

interface Found {
  readonly quantity: Decimal;
  readonly price: Decimal | null;
}

type Verdict = Found | UnknownReason;

const NOTHING: Found = { quantity: new Decimal(0), price: null };

/** Returns the window of an order: from its sending until its venue could no longer fill it. */
export function computeFlowSpan({ instrument, sentAt, restedUntil }: ShadowOrder): FlowSpan {
  const { limits, flowRule } = VENUE_FACTS[splitInstrumentKey(instrument).venue];
  const rule = restedUntil !== null && flowRule !== 'book_and_trades' ? null : flowRule;
  const arrival = sentAt + findCostModel(instrument).latencyMs;
  const booksUntil = rule === 'pool_state' ? arrival + limits.maxAgeMs : arrival;
  const until = Math.max(booksUntil, restedUntil ?? booksUntil);
  return { instrument, rule, from: sentAt, arrival, booksUntil, until, maxAgeMs: limits.maxAgeMs };
}

/** Returns the time at which an order can be measured, when everything relevant has been received or never will be. */
export function measurableAt(order: ShadowOrder): EpochMs {
  return computeFlowSpan(order).until + (order.restedUntil === null ? 1_000 : NEXT_TRADE_MS);
}

/** Measures an order. @throws Error if the window belongs to another order, an impossible state. */
export function measureShadow(order: ShadowOrder, window: FlowWindow): ShadowMeasurement {
  const { instrument, rule, from, arrival, until } = window;
  if (instrument !== order.instrument || from !== order.sentAt || arrival < from || until < Math.max(arrival, order.restedUntil ?? 0))
    throw new Error(`the flow of ${instrument} is not that of order ${order.id}`);
  const inside = ({ at }: { readonly at: EpochMs }): boolean => at > from && at <= until;
  const verdict = judgeFlow(order, window);
  const isKnown = typeof verdict !== 'string';
  return {
    rule,
    from,
    until,
    trades: window.trades.filter(inside).length,
    books: window.books.filter(inside).length,
    outcome: isKnown ? 'measured' : 'unknown',
    reason: isKnown ? null : verdict,
    quantity: isKnown ? plainDecimal(verdict.quantity) : null,
    price: isKnown && verdict.price !== null ? plainDecimal(verdict.price) : null,
  };
}

function judgeFlow(order: ShadowOrder, window: FlowWindow): Verdict {
  const { rule, arrival, maxAgeMs, books } = window;
  if (rule === null) return 'no_rule';
  if (window.trades.length > MOST_TRADES) return 'too_much';
  const before = books.findLast(({ at }) => at <= arrival);
  if (before === undefined) return 'not_received';
  // Everything between the used book and the end of the window must have been received.
  const since = Math.min(before.at, window.from);
  if (window.gaps.some(({ from, until }) => from <= window.until && (until === null || until > since))) return 'gap';
  if (order.restedUntil !== null) return restedIn(order, window, before);
  if (rule !== 'pool_state') return takenIn(order, before);
  const after = books.find(({ at }) => at > arrival);
  if (after === undefined || arrival - before.at > maxAgeMs) return 'not_received';
  return worse(order.side, takenIn(order, before), takenIn(order, after));
}

/** Returns what a book or a pool gives at once. */
function takenIn(order: ShadowOrder, book: FlowBook): Verdict {
  const levels = order.side === 'buy' ? book.asks : book.bids;
  const best = levels[0];
  if (best === undefined || isBeyond(order, best.price)) return NOTHING;
  const taken = takenFrom(order, levels, book.liquidityUsd);
  if (taken === null) return 'size_unknown';
  return taken.quantity.gt(0) ? { quantity: taken.quantity, price: computeAveragePrice(order.side, taken) } : NOTHING;
}

/** Returns the worse of two results: the one that gives less, or the same at a worse price. */
function worse(side: ShadowOrder['side'], one: Verdict, other: Verdict): Verdict {
  if (typeof one === 'string') return one;
  if (typeof other === 'string') return other;
  if (!one.quantity.eq(other.quantity)) return one.quantity.lt(other.quantity) ? one : other;
  if (one.price === null || other.price === null) return one;
  return (side === 'buy' ? one.price.gt(other.price) : one.price.lt(other.price)) ? one : other;
}

/** True for a price that the order does not accept. */
function isBeyond({ side, limitPrice }: Pick<ShadowOrder, 'side' | 'limitPrice'>, price: DecimalString): boolean {
  return side === 'buy' ? new Decimal(limitPrice).lt(price) : new Decimal(limitPrice).gt(price);
}

/**
 * Returns what trades give to an order at the end of the queue at its price: all volume beyond the price, and volume at the price in excess
 * of the queue ahead. Orders ahead are assumed to stay.
 */
function restedIn(order: ShadowOrder, window: FlowWindow, joined: FlowBook): Verdict {
  const { arrival } = window;
  if (!isWhole(window.trades, arrival, window.until)) return 'trades_missing';
  // Post-only: the venue refuses it if it would take liquidity.
  const opposite = (order.side === 'buy' ? joined.asks : joined.bids)[0];
  if (opposite !== undefined && !isBeyond(order, opposite.price)) return NOTHING;
  const price = new Decimal(order.limitPrice);
  const isThrough = (other: DecimalString): boolean => (order.side === 'buy' ? price.gt(other) : price.lt(other));
  let through = new Decimal(0);
  let at = new Decimal(0);
  for (const trade of window.trades) {
    if (trade.at <= arrival || trade.at > window.until) continue;
    if (isThrough(trade.price)) through = through.plus(trade.quantity);
    else if (price.eq(trade.price)) at = at.plus(trade.quantity);
  }
  const ahead = queueAhead(order, joined);
  const beyondQueue = ahead === null ? new Decimal(0) : Decimal.max(0, at.minus(ahead));
  const { lot } = findMarketStep(order.instrument);
  const quantity = new Decimal(floorToStep(Decimal.min(order.quantity, through.plus(beyondQueue)), lot));
  return quantity.gt(0) ? { quantity, price } : NOTHING;
}

/** True if trade numbers have no gap and include one before and one after the window. */
function isWhole(trades: readonly FlowPrint[], after: EpochMs, until: EpochMs): boolean {
  const [first, last] = [trades[0], trades.at(-1)];
  if (first === undefined || last === undefined || first.at > after || last.at <= until) return false;
  return trades.every(({ sequence }, n) => sequence === first.sequence + n);
}

/** Returns the quantity ahead of an order that joins at its price, or null if the received book does not reach it. */
function queueAhead({ side, limitPrice }: ShadowOrder, book: FlowBook): Decimal | null {
  const levels = side === 'buy' ? book.bids : book.asks;
  const price = new Decimal(limitPrice);
  const own = levels.find((level) => price.eq(level.price));
  if (own !== undefined) return readSize(own);
  const deepest = levels.at(-1);
  if (deepest === undefined) return new Decimal(0);
  return (side === 'buy' ? price.gt(deepest.price) : price.lt(deepest.price)) ? new Decimal(0) : null;
}

function readSize({ size }: BookLevel): Decimal | null {
  return isDecimalString(size) && (isPositive(size) || new Decimal(size).isZero()) ? new Decimal(size) : null;
}
