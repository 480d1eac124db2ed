/**
 * Fill of an order within the bar after its decision, by the manifest's execution algorithm: taken at the open, resting first, or in
 * slices. A bar gives neither the order of its prices nor their times, so a path is assumed: the price moves straight from open to close,
 * low and high widen evenly around it, and volume is spread evenly over time and range. The part of a bar outside of the window fills no
 * resting order. If finer bars are stored, the assumption applies to each of them.
 */
import type { Assumptions } from '../../domain/backtest/assumptions.ts';
import { findCostModel } from '../../domain/orders/costs.ts';
import { fallbackOnVenue, MIN_SLICE_USD, REST_MS, SLICES } from '../../domain/orders/execution-plan.ts';
import type { Manifest } from '../../domain/manifest/manifest.ts';
import type { OrderSide } from '../../domain/orders/order.ts';
import { type ExecutableVenue, type InstrumentKey, splitInstrumentKey } from '../../domain/market/venue.ts';
import {
  ceilUnits,
  computeFee,
  computeFillPrice,
  floorUnits,
  type InstrumentUnits,
  lotsWithinLimit,
  toWholeUnits,
} from './trade-ledger.ts';

/** Execution of an instrument's orders within a bar. */
export type BarCourse =
  | { readonly kind: 'take' }
  /** `makerFeeBps` is the venue's fee for the part that rested. */
  | { readonly kind: 'rest'; readonly restMs: number; readonly makerFeeBps: number }
  | { readonly kind: 'slices'; readonly count: number; readonly everyMs: number };

export const TAKEN_AT_OPEN: BarCourse = { kind: 'take' };

/** Bar that an order executes in. Prices are US dollars, the volume is in base units. */
interface MetBar {
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
  readonly volume: number;
}

/** Consecutive bars of one length: the bar that an order executes in, or the finer bars within it. */
export interface MetBars {
  readonly barMs: number;
  /** Bars; at least one. */
  readonly bars: readonly MetBar[];
}

/** Order in units. A buy fills within its limit. A sell fills at any price, and its limit only states its worth. */
export interface BarOrder {
  readonly side: OrderSide;
  readonly quantity: number;
  readonly limit: number;
}

/** Fill of an order: average price in units, rounded against the trader. `rested` is the notional that paid the maker fee. */
export interface BarFill {
  readonly quantity: number;
  readonly price: number;
  readonly fees: number;
  readonly rested: number;
}

/** Returns the execution of an instrument's orders. Orders of a stop-loss always take. */
export function chooseBarCourse(
  { algorithm, urgency }: Pick<Manifest, 'algorithm' | 'urgency'>,
  key: InstrumentKey,
  { costMultiplier }: Pick<Assumptions, 'costMultiplier'>,
): BarCourse {
  const venue = splitInstrumentKey(key).venue as ExecutableVenue;
  if (algorithm === 'taker_immediate' || fallbackOnVenue(algorithm, venue) !== null) return TAKEN_AT_OPEN;
  if (algorithm === 'twap') return { kind: 'slices', ...SLICES[urgency] };
  return {
    kind: 'rest',
    restMs: REST_MS[urgency],
    makerFeeBps: findCostModel(key).makerFeeBps * costMultiplier,
  };
}

/**
 * Fills an order from the first of the bars on, or returns null if nothing fills within its limit. @param unit money units per US dollar
 */
export function fillOnBars(order: BarOrder, met: MetBars, course: BarCourse, units: InstrumentUnits, unit: number): BarFill | null {
  const first = met.bars[0] as MetBar;
  if (course.kind === 'take') return taken(order, first.open, units);
  return course.kind === 'rest' ? restedFirst(order, first, met.barMs, course, units) : inSlices(order, met, course, units, unit);
}

/** Fills at once at one price. A buy fills only within its limit, like in paper trading. */
function taken({ side, quantity: wanted, limit }: BarOrder, middle: number, units: InstrumentUnits): BarFill | null {
  const quantity = side === 'buy' ? lotsWithinLimit(middle, wanted, limit, units) : wanted;
  if (quantity === 0) return null;
  const price = computeFillPrice(side, middle, quantity, units);
  return { quantity, price, fees: computeFee(quantity * price, units.costs), rested: 0 };
}

/** Rests at the near side of the open, where trades beyond its price within the window fill it. The rest is taken at the window's end. */
function restedFirst(
  order: BarOrder,
  bar: MetBar,
  barMs: number,
  { restMs, makerFeeBps }: Extract<BarCourse, { readonly kind: 'rest' }>,
  units: InstrumentUnits,
): BarFill | null {
  const { side } = order;
  const windowMs = Math.min(restMs, barMs);
  const price = nearPrice(order, bar.open, units);
  const rested = Math.min(order.quantity, tradedBeyond(side, price, bar, { windowMs, barMs }, units));
  const quantity = order.quantity - rested;
  const rest = quantity > 0 ? taken({ ...order, quantity }, middleAt(bar, windowMs / barMs), units) : null;
  if (rested === 0) return rest;
  const [maker, taker] = [rested * price, rest === null ? 0 : rest.quantity * rest.price];
  const filled = rested + (rest?.quantity ?? 0);
  return {
    quantity: filled,
    price: computeAverage(side, maker + taker, filled),
    fees: ceilUnits((maker / 10_000) * makerFeeBps + (taker / 10_000) * units.costs.feeBps),
    rested: maker,
  };
}

/** Returns the near side's price in units, rounded against the trader. A buy's price never exceeds its limit. */
function nearPrice({ side, limit }: BarOrder, open: number, { costs, priceUnit }: InstrumentUnits): number {
  const sign = side === 'buy' ? -1 : 1;
  const near = ((open * (10_000 + sign * costs.halfSpreadBps)) / 10_000) * priceUnit;
  return side === 'buy' ? Math.min(limit, ceilUnits(near)) : Math.max(1, floorUnits(near));
}

/**
 * Returns the quantity, in units of whole lots, that trades beyond a price in a window from the open. Prices are compared in price units
 * times the bar's milliseconds, which are whole numbers, because differences of fractions lose the last lot.
 */
function tradedBeyond(
  side: OrderSide,
  price: number,
  bar: MetBar,
  { windowMs, barMs }: { readonly windowMs: number; readonly barMs: number },
  { priceUnit, quantityUnit, lot }: InstrumentUnits,
): number {
  const [open, high, low] = [toWholeUnits(bar.open, priceUnit), toWholeUnits(bar.high, priceUnit), toWholeUnits(bar.low, priceUnit)];
  const lowest = open * barMs - (open - low) * windowMs;
  const highest = open * barMs + (high - open) * windowMs;
  const isPassed = side === 'buy' ? ceilUnits(lowest / barMs) < price : floorUnits(highest / barMs) > price;
  if (!isPassed) return 0;
  const beyond = side === 'buy' ? price * barMs - lowest : highest - price * barMs;
  const range = highest - lowest;
  const traded = ((bar.volume * quantityUnit * windowMs) / barMs) * (Math.min(beyond, range) / range);
  return floorUnits(traded / lot) * lot;
}

/** Fills slices of whole lots, as many as the live plan. If they would outlast the bars, they are spread evenly within them. */
function inSlices(
  order: BarOrder,
  { bars, barMs }: MetBars,
  { count, everyMs }: Extract<BarCourse, { readonly kind: 'slices' }>,
  units: InstrumentUnits,
  unit: number,
): BarFill | null {
  const { side, quantity, limit } = order;
  const lots = Math.floor(quantity / units.lot);
  const worth = Math.floor((quantity * limit) / unit / MIN_SLICE_USD);
  const slices = Math.max(1, Math.min(count, lots, worth));
  let [left, filled, notional] = [quantity, 0, 0];
  for (let n = 0; n < slices; n++) {
    const slice = n === slices - 1 ? left : Math.floor(left / (slices - n) / units.lot) * units.lot;
    left -= slice;
    const at = ((n * everyMs) / Math.max(bars.length * barMs, slices * everyMs)) * bars.length;
    const fill = taken({ ...order, quantity: slice }, middleAt(bars[Math.floor(at)] as MetBar, at % 1), units);
    if (fill === null) continue;
    filled += fill.quantity;
    notional += fill.quantity * fill.price;
  }
  if (filled === 0) return null;
  return { quantity: filled, price: computeAverage(side, notional, filled), fees: computeFee(notional, units.costs), rested: 0 };
}

/** Returns the middle price after a share of the bar. */
function middleAt({ open, close }: MetBar, share: number): number {
  return open + (close - open) * share;
}

/**
 * Returns the exact average price of several parts, in units rounded against the trader. It stays within a limit that the parts respect.
 */
function computeAverage(side: OrderSide, notional: number, quantity: number): number {
  let floor = Math.floor(notional / quantity);
  while ((floor + 1) * quantity <= notional) floor++;
  while (floor * quantity > notional) floor--;
  return side === 'sell' || floor * quantity === notional ? floor : floor + 1;
}

/** Powers of ten by the number of decimals of a history. */
const SCALES: readonly number[] = Array.from({ length: 19 }, (_, digits) => 10 ** digits);

/** Returns the assumed bid and ask around a close, in units of the history. The close is the middle. */
export function bestPrices(close: number, decimals: number, halfSpreadBps: number): { readonly bid: number; readonly ask: number } {
  const scale = SCALES[decimals] as number;
  const units = Math.round(close * scale);
  const half = ceilUnits((units * halfSpreadBps) / 10_000);
  return { bid: (units - half) / scale, ask: (units + half) / scale };
}
