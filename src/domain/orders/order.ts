/** Orders for paper and live, and their size. */
import type { Stage } from '../agents/agent.ts';
import type { Fill } from '../books/book.ts';
import { findMarketStep, floorToStep } from '../market/market-step.ts';
import { priceStepExponent } from '../market/published-steps.ts';
import type { Quote } from '../market/quote.ts';
import { type ExecutableVenue, type InstrumentKey, splitInstrumentKey } from '../market/venue.ts';
import { Decimal, type DecimalString, plainDecimal } from '../values/decimal.ts';
import { ceilDivide, floorDivide, powerOfTen, scaledText, stepScale, toRatio, USD_SCALE, usdText } from '../values/exact.ts';

/** `paper`: filled by the fill model against live quotes. `live`: sent to the venue. */
export const EXECUTION_MODES = ['paper', 'live'] as const;
export type ExecutionMode = (typeof EXECUTION_MODES)[number];

/** Books are long only: a buy opens or increases a position, a sell reduces one. */
export const ORDER_SIDES = ['buy', 'sell'] as const;
export type OrderSide = (typeof ORDER_SIDES)[number];

/** Origins of an order: an agent's proposal, a person, a Take, or a delegated signer's session. */
const ORDER_ORIGINS = ['proposal', 'manual', 'take', 'delegated'] as const;
export type OrderOrigin = (typeof ORDER_ORIGINS)[number];

/** An order on venue `V`, before or after risk. Execution clients accept only `RiskApproved<Order>`. */
export interface Order<V extends ExecutableVenue = ExecutableVenue> {
  /** Id of the proposal that made the order. Its own reservation is left out of the assessment. */
  readonly id: string;
  readonly origin: OrderOrigin;
  readonly mode: ExecutionMode;
  readonly bookId: string;
  readonly venue: V;
  readonly instrument: InstrumentKey;
  readonly side: OrderSide;
  /** True for every sell: it may close a position and never open one. */
  readonly reduceOnly: boolean;
  /** Quantity in base units, a whole number of the instrument's lots. */
  readonly quantity: DecimalString;
  /** Worst acceptable price: the maximum of a buy, the minimum of a sell. */
  readonly limitPrice: DecimalString;
  /** quantity x limitPrice, rounded up to a millionth of a US dollar. */
  readonly notionalUsd: DecimalString;
  /** Slippage budget: maximum distance of the limit price beyond the executable price, in basis points of that price. */
  readonly maxSlippageBps: number;
}

/** Part of a quote that an order needs. A `Quote<V>` is one. `observedOrderQuote` makes one from an observation. */
export type OrderQuote<V extends ExecutableVenue = ExecutableVenue> = Pick<
  Quote<V>,
  'venue' | 'instrument' | 'bid' | 'ask' | 'observedAt' | 'quality' | 'flags'
>;

/** True for an order on this venue. Restores the venue's type after it was lost in data. An approved order stays approved. */
export function isOrderOn<O extends Order, V extends ExecutableVenue>(order: O, venue: V): order is O & Order<V> {
  return order.venue === venue;
}

/** Returns the execution mode of a stage: paper until capital is at risk. */
export function toExecutionMode(stage: Stage): ExecutionMode {
  return stage === 'limited_live' || stage === 'live' ? 'live' : 'paper';
}

/** Returns quantity x price in US dollars, rounded up to a millionth: the maximum cost of an order without fees. */
export function computeNotionalUsd(quantity: DecimalString, price: DecimalString): DecimalString {
  const { numerator: lots, denominator: perLot } = toRatio(quantity);
  const { numerator: ticks, denominator: perTick } = toRatio(price);
  return usdText(ceilDivide(lots * ticks * powerOfTen(USD_SCALE), perLot * perTick));
}

/** Fields that are chosen. The others follow from them. */
type OrderParts<V extends ExecutableVenue> = Omit<Order<V>, 'venue' | 'notionalUsd' | 'reduceOnly'>;

/** Completes an order: its venue is the instrument's, a sell is reduce-only, and the notional is quantity x limit price. */
export function completeOrder(parts: OrderParts<ExecutableVenue>): Order {
  const { venue } = splitInstrumentKey(parts.instrument);
  return {
    id: parts.id,
    origin: parts.origin,
    mode: parts.mode,
    bookId: parts.bookId,
    venue: venue as ExecutableVenue,
    instrument: parts.instrument,
    side: parts.side,
    reduceOnly: parts.side === 'sell',
    quantity: parts.quantity,
    limitPrice: parts.limitPrice,
    notionalUsd: computeNotionalUsd(parts.quantity, parts.limitPrice),
    maxSlippageBps: parts.maxSlippageBps,
  };
}

/**
 * Returns the worst acceptable price for a slippage budget: the touch moved by the budget, on the venue's price grid, never beyond the
 * budget and never better than the touch.
 */
export function computeLimitPrice(instrument: InstrumentKey, side: OrderSide, touch: DecimalString, maxSlippageBps: number): DecimalString {
  const scale = stepScale(findMarketStep(instrument).tick);
  const price = toRatio(touch);
  const budget = toRatio(plainDecimal(maxSlippageBps));
  const whole = 10_000n * budget.denominator;
  // In ticks: the touch, and the touch moved by the budget, over one denominator.
  const touchTicks = price.numerator * whole * powerOfTen(scale);
  const moved = (touchTicks / whole) * (side === 'buy' ? whole + budget.numerator : whole - budget.numerator);
  const denominator = price.denominator * whole;
  const round = side === 'buy' ? floorDivide : ceilDivide;
  const ticks = round(moved, denominator);
  const step = powerOfTen(priceStepExponent(instrument, ticks, scale));
  const stepped = round(ticks, step) * step;
  const beyondTouch = side === 'buy' ? stepped * denominator >= touchTicks : stepped * denominator <= touchTicks;
  return beyondTouch ? scaledText(stepped, scale) : plainDecimal(touch);
}

/** Inputs of an order's size. `notionalUsd` limits a buy, `heldQuantity` a sell. Both are used in full. */
export interface SizeRequest {
  readonly id: string;
  readonly origin: OrderOrigin;
  readonly mode: ExecutionMode;
  readonly bookId: string;
  readonly instrument: InstrumentKey;
  readonly side: OrderSide;
  /** Executable price of the side: the ask for a buy, the bid for a sell. */
  readonly touch: DecimalString;
  readonly maxSlippageBps: number;
  /** Full size of a buy, such as the manifest's `maxTradeNotionalUsd`. */
  readonly notionalUsd: DecimalString;
  /** Full size of a sell: the whole position. */
  readonly heldQuantity: DecimalString;
  /** Replaces both sizes: a quantity in base units, rounded down to whole lots. */
  readonly askedQuantity?: DecimalString;
  /** Worst price of the order's own. It can only tighten the limit. */
  readonly worstPrice?: DecimalString;
}

/**
 * Sizes an order in whole lots: the maximum that the full size pays for at the worst acceptable price. Null if that is less than one lot.
 */
export function sizeOrder(request: SizeRequest): Order | null {
  const { id, origin, mode, bookId, instrument, side, touch, maxSlippageBps } = request;
  const limitPrice = chooseTighter(side, computeLimitPrice(instrument, side, touch, maxSlippageBps), request.worstPrice);
  const price = new Decimal(limitPrice);
  if (side === 'buy' && !price.isPositive()) return null;
  const { lot } = findMarketStep(instrument);
  const whole = side === 'buy' ? new Decimal(request.notionalUsd).div(price) : request.heldQuantity;
  const quantity = floorToStep(request.askedQuantity ?? whole, lot);
  if (!new Decimal(quantity).gt(0)) return null;
  return completeOrder({ id, origin, mode, bookId, instrument, side, quantity, limitPrice, maxSlippageBps });
}

/** Returns the tighter of two limits. */
function chooseTighter(side: OrderSide, limit: DecimalString, worst: DecimalString | undefined): DecimalString {
  if (worst === undefined) return limit;
  const closer = side === 'buy' ? new Decimal(worst).lt(limit) : new Decimal(worst).gt(limit);
  return closer ? plainDecimal(worst) : limit;
}

/** Returns the order with another quantity, such as the headroom that risk reports. */
export function resized(order: Order, quantity: DecimalString): Order {
  return completeOrder({ ...order, quantity });
}

type Amount = 'quantity' | 'notionalUsd' | 'feeUsd';
type Amounts = Pick<Fill, Amount | 'fillPrice' | 'executedQuantity'>;

/** Adds one amount of all fills, as the venue executed them and before commission, to `before`. Exact. */
export function sumFills(amount: Amount, fills: readonly Amounts[], before: DecimalString = '0'): DecimalString {
  return plainDecimal(fills.reduce((sum, fill) => sum.plus(executedAmount(amount, fill)), new Decimal(before)));
}

function executedAmount(amount: Amount, fill: Amounts): Decimal | DecimalString {
  if (fill.executedQuantity === undefined || amount === 'feeUsd') return fill[amount];
  return amount === 'quantity' ? fill.executedQuantity : new Decimal(fill.executedQuantity).times(fill.fillPrice);
}

/**
 * Tightens the limit price to the slippage budget on the present quote. A limit never loosens: a buy whose market rose keeps its limit and
 * may go unfilled, and one whose market fell is not judged as beyond its budget. Without a price on its side the order stays unchanged.
 */
export function atPresentPrice(order: Order, quote: Pick<OrderQuote, 'bid' | 'ask'> | null): Order {
  const touch = quote === null ? null : order.side === 'buy' ? quote.ask : quote.bid;
  if (touch === null || !new Decimal(touch).gt(0)) return order;
  const budgeted = computeLimitPrice(order.instrument, order.side, touch, order.maxSlippageBps);
  const closer = order.side === 'buy' ? new Decimal(budgeted).lt(order.limitPrice) : new Decimal(budgeted).gt(order.limitPrice);
  return closer ? completeOrder({ ...order, limitPrice: budgeted }) : order;
}
