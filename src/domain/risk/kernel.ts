/**
 * Comparisons of the pre-trade risk function, on doubles that hold whole numbers below 2^52, where doubles are exact. A larger order is
 * assessed on big integers by the same comparisons.
 */
import { Decimal, type DecimalString, isDecimalString } from '../values/decimal.ts';
import { findMarketStep } from '../market/market-step.ts';
import type { Order } from '../orders/order.ts';
import type { LimitCapacities } from './capacity.ts';
import { RISK_BITS } from './codes.ts';
import { ceilDivide, floorScaled, powerOfTen, toRatio, stepScale, USD_SCALE } from '../values/exact.ts';

/** Maximum integer that doubles represent exactly here, with one bit to spare. */
const EXACT = 2 ** 52;
const EXACT_BIG = BigInt(EXACT);
const POWERS: readonly number[] = Array.from({ length: 16 }, (_, exponent) => 10 ** exponent);

/** Prepared values of one instrument, against which any number of orders is assessed. */
export interface RiskFrame {
  readonly capacities: LimitCapacities;
  /** Remaining capacity of each limit in micro-dollars, clamped to ±2^52. */
  readonly bounds: Float64Array;
  readonly bits: Int32Array;
  /** Limits that a buy of any size breaches. */
  readonly buyMask: number;
  readonly sellMask: number;
  /** Lots available for a sale. */
  readonly availableLots: bigint;
  readonly available: number;
  /** Worst price within the slippage budget, on the tick, or null if no live quote prices the order. */
  readonly worstBuy: DecimalString | null;
  readonly worstSell: DecimalString | null;
  readonly worstBuyTicks: number;
  readonly worstSellTicks: number;
}

/** An order as numbers. */
export interface OrderFigures {
  readonly buys: boolean;
  readonly exactLots: bigint | null;
  readonly lots: number;
  /** Micro-dollars, rounded up. */
  readonly exactNotional: bigint | null;
  readonly notional: number;
  /** Null if the price is on the tick and every number is exact as a double. */
  readonly limitPrice: DecimalString | null;
  readonly ticks: number;
}

/** Returns the limits that an order breaches as a mask of `RISK_BITS`, or 0 if it passes. Hot path without allocations. */
export function findBreaches(frame: RiskFrame, order: OrderFigures): number {
  if (order.limitPrice !== null) return findExactBreaches(frame, order, order.limitPrice);
  if (!order.buys) {
    let mask = frame.sellMask;
    if (order.lots > frame.available) mask |= RISK_BITS.reduce_only;
    if (order.ticks < frame.worstSellTicks) mask |= RISK_BITS.slippage_budget_breach;
    return mask;
  }
  const { bounds, bits } = frame;
  const { notional } = order;
  let mask = frame.buyMask;
  for (let i = 0; i < bounds.length; i++) if (notional > (bounds[i] as number)) mask |= bits[i] as number;
  if (order.ticks > frame.worstBuyTicks) mask |= RISK_BITS.slippage_budget_breach;
  return mask;
}

function findExactBreaches(frame: RiskFrame, order: OrderFigures, limitPrice: DecimalString): number {
  const worst = order.buys ? frame.worstBuy : frame.worstSell;
  const slipped = worst !== null && (order.buys ? new Decimal(limitPrice).gt(worst) : new Decimal(limitPrice).lt(worst));
  const slippage = slipped ? RISK_BITS.slippage_budget_breach : 0;
  if (!order.buys) {
    return frame.sellMask | slippage | (readExactLots(order) > frame.availableLots ? RISK_BITS.reduce_only : 0);
  }
  const notional = readExactNotional(order);
  return frame.capacities.reduce((mask, { code, free }) => (notional > free ? mask | RISK_BITS[code] : mask), frame.buyMask | slippage);
}

export function readExactNotional(order: OrderFigures): bigint {
  return order.exactNotional ?? BigInt(order.notional);
}

export function readExactLots(order: OrderFigures): bigint {
  return order.exactLots ?? BigInt(order.lots);
}

/** Converts a big integer to the nearest double in the exact range. Comparisons with exact doubles give the same result. */
export function bounded(value: bigint): number {
  return value > EXACT_BIG ? EXACT : value < -EXACT_BIG ? -EXACT : Number(value);
}

/** Converts a plain non-negative decimal to units of 10^-scale. NaN if it is not a whole number of them or not exact as a double. */
function scaledNumber(text: DecimalString, scale: number): number {
  let value = 0;
  let decimals = -1;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === 46) {
      if (decimals >= 0) return Number.NaN;
      decimals = 0;
      continue;
    }
    const digit = code - 48;
    if (digit < 0 || digit > 9) return Number.NaN;
    if (decimals >= scale) {
      if (digit !== 0) return Number.NaN;
      continue;
    }
    value = value * 10 + digit;
    if (decimals >= 0) decimals++;
    if (value >= EXACT) return Number.NaN;
  }
  const scaled = value * (POWERS[scale - Math.max(0, decimals)] ?? Number.NaN);
  return scaled < EXACT ? scaled : Number.NaN;
}

/** Returns quantity x price in micro-dollars, rounded up, in doubles. NaN if a product is not exact. */
function notionalNumber(lots: number, lotScale: number, ticks: number, tickScale: number): number {
  const product = lots * ticks;
  const excess = lotScale + tickScale - USD_SCALE;
  // Written so that NaN fails it.
  if (!(product < EXACT)) return Number.NaN;
  if (excess <= 0) return product * (POWERS[-excess] ?? Number.NaN) < EXACT ? product * (POWERS[-excess] as number) : Number.NaN;
  const unit = POWERS[excess] ?? Number.NaN;
  const whole = Math.floor(product / unit);
  // The quotient may have been rounded to a neighbour; the products are exact.
  return whole * unit >= product ? whole : whole + 1;
}

/**
 * Reads an order's numbers. @throws RangeError if the quantity is not a positive whole number of lots, the price is not positive, the
 * stated notional is not quantity x limit price, or a buy is reduce-only. Each is a defect of the order's creator.
 */
export function readOrderFigures(order: Order): OrderFigures {
  if (order.reduceOnly !== (order.side === 'sell'))
    throw new RangeError(`order ${order.id}: reduceOnly must be true for a sell and false for a buy`);
  const { lot, tick } = findMarketStep(order.instrument);
  const lotScale = stepScale(lot);
  const tickScale = stepScale(tick);
  const lots = scaledNumber(order.quantity, lotScale);
  const ticks = scaledNumber(order.limitPrice, tickScale);
  const notional = notionalNumber(lots, lotScale, ticks, tickScale);
  const buys = order.side === 'buy';
  if (notional > 0 && notional === scaledNumber(order.notionalUsd, USD_SCALE)) {
    return { buys, exactLots: null, lots, exactNotional: null, notional, limitPrice: null, ticks };
  }
  return readExactFigures(order, lotScale);
}

function readExactFigures(order: Order, lotScale: number): OrderFigures {
  for (const text of [order.quantity, order.limitPrice, order.notionalUsd])
    if (!isDecimalString(text)) throw new RangeError(`order ${order.id}: ${JSON.stringify(text)} is not a plain decimal`);
  const quantity = toRatio(order.quantity);
  const price = toRatio(order.limitPrice);
  const exactLots = floorScaled(order.quantity, lotScale);
  if (exactLots <= 0n || exactLots * quantity.denominator !== quantity.numerator * powerOfTen(lotScale)) {
    throw new RangeError(`${order.quantity} is not a positive whole number of lots of ${order.instrument}`);
  }
  if (price.numerator <= 0n) throw new RangeError(`order ${order.id} has no limit price above zero`);
  const exactNotional = ceilDivide(quantity.numerator * price.numerator * powerOfTen(USD_SCALE), quantity.denominator * price.denominator);
  const stated = toRatio(order.notionalUsd);
  if (stated.numerator * powerOfTen(USD_SCALE) !== exactNotional * stated.denominator) {
    throw new RangeError(`order ${order.id} states a notional of ${order.notionalUsd} for ${order.quantity} at ${order.limitPrice}`);
  }
  return {
    buys: order.side === 'buy',
    exactLots,
    lots: Number.NaN,
    exactNotional,
    notional: Number.NaN,
    limitPrice: order.limitPrice,
    ticks: Number.NaN,
  };
}
