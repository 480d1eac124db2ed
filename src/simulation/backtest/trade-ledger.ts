/**
 * Cash and positions of a simulated book in scaled integers held in doubles. They are exact below 2^53 units, which is at least eight
 * times the capital. Rounding is always against the agent.
 */

import type { TradeCosts } from '../../domain/backtest/assumptions.ts';
import { averageOverBest, halveDepth } from '../../domain/orders/costs.ts';
import type { DecimalString } from '../../domain/values/decimal.ts';
import type { MarketStep } from '../../domain/market/published-steps.ts';
import { stepScale } from '../../domain/values/exact.ts';

/** Significant digits of a fill price, at the first price of the history. */
const FILL_DIGITS = 7;
const LARGEST = 2 ** 53;

/**
 * Rounds a number down or up to a whole unit. A number within double rounding error of a whole unit is that unit, as in exact arithmetic.
 */
export function floorUnits(value: number): number {
  const whole = Math.round(value);
  return Math.abs(value - whole) <= slack(value) ? whole : Math.floor(value);
}

export function ceilUnits(value: number): number {
  const whole = Math.round(value);
  return Math.abs(value - whole) <= slack(value) ? whole : Math.ceil(value);
}

/**
 * Returns the rounding tolerance: eight units in the last place and at least a millionth of a unit, because sums and differences lose
 * more than their last place.
 */
function slack(value: number): number {
  return Math.max(1e-6, Math.abs(value) * 2 ** -50);
}

/** Rounds a value computed only by products and quotients, whose error is at most eight units in the last place. */
function wholeOfProduct(value: number, round: (value: number) => number): number {
  const whole = Math.round(value);
  return Math.abs(value - whole) <= Math.abs(value) * 2 ** -50 ? whole : round(value);
}

/** Returns an amount in units: whole where the amount is a multiple of the unit. @param unit units per one */
export function toWholeUnits(amount: number, unit: number): number {
  return wholeOfProduct(amount * unit, (between) => between);
}

/** Units of a book. A money unit is 10^-moneyDecimals US dollars. */
export interface BookUnits {
  readonly moneyDecimals: number;
  /** Money units per US dollar. */
  readonly unit: number;
}

/** Returns the finest money unit at which eight times the capital is an exact integer. */
export function bookUnits(capitalUsd: DecimalString): BookUnits {
  const capital = Math.max(1, Number(capitalUsd));
  const moneyDecimals = Math.min(12, Math.max(0, Math.floor(Math.log10(LARGEST / (capital * 8)))));
  return { moneyDecimals, unit: 10 ** moneyDecimals };
}

/** Units of one instrument. Price units x quantity units = money units. */
export interface InstrumentUnits {
  readonly priceDecimals: number;
  readonly priceUnit: number;
  readonly quantityDecimals: number;
  readonly quantityUnit: number;
  /** Lot in quantity units and tick in price units. If a unit is coarser, it is the step. */
  readonly lot: number;
  readonly tick: number;
  readonly costs: TradeCosts;
}

/** Returns the units of an instrument. @param firstPrice first price of the history; later prices change no unit */
export function instrumentUnits(firstPrice: number, book: BookUnits, costs: TradeCosts, step: MarketStep): InstrumentUnits {
  const wanted = FILL_DIGITS - 1 - Math.floor(Math.log10(firstPrice));
  const priceDecimals = Math.min(book.moneyDecimals, Math.max(0, wanted));
  const quantityDecimals = book.moneyDecimals - priceDecimals;
  return {
    priceDecimals,
    priceUnit: 10 ** priceDecimals,
    quantityDecimals,
    quantityUnit: 10 ** quantityDecimals,
    lot: 10 ** Math.max(0, quantityDecimals - stepScale(step.lot)),
    tick: 10 ** Math.max(0, priceDecimals - stepScale(step.tick)),
    costs,
  };
}

/**
 * Returns the fill price in price units: the middle moved by half the spread and by the depth that the notional walks, rounded against
 * the trader.
 */
export function computeFillPrice(side: 'buy' | 'sell', middle: number, quantity: number, units: InstrumentUnits): number {
  const best = computeBest(side, middle, units);
  const average = best * averageOverBest(side, (best * quantity) / units.quantityUnit, units.costs);
  return side === 'buy'
    ? wholeOfProduct(average * units.priceUnit, Math.ceil)
    : Math.max(1, wholeOfProduct(average * units.priceUnit, Math.floor));
}

/** Returns the largest quantity of a buy, in whole lots and at most `wanted`, whose average price is within its limit. */
export function lotsWithinLimit(middle: number, wanted: number, limit: number, units: InstrumentUnits): number {
  if (computeFillPrice('buy', middle, wanted, units) <= limit) return wanted;
  const { lot, priceUnit, quantityUnit, costs } = units;
  // The average over the best price is U / (U - N), which reaches the limit at this notional at the best price.
  const best = computeBest('buy', middle, units);
  const atLimit = (1 - (best * priceUnit) / limit) * halveDepth(costs);
  if (atLimit <= 0) return 0;
  const isWithin = (lots: number): boolean => computeFillPrice('buy', middle, lots * lot, units) <= limit;
  let lots = Math.min(Math.ceil(wanted / lot) - 1, Math.floor(((atLimit / best) * quantityUnit) / lot));
  while (lots > 0 && !isWithin(lots)) lots--;
  while ((lots + 1) * lot < wanted && isWithin(lots + 1)) lots++;
  return Math.max(0, lots) * lot;
}

function computeBest(side: 'buy' | 'sell', middle: number, { costs }: InstrumentUnits): number {
  return (middle * (10_000 + (side === 'buy' ? 1 : -1) * costs.halfSpreadBps)) / 10_000;
}

/** Returns the venue's fee of a notional, both in money units, rounded up. */
export function computeFee(notional: number, costs: TradeCosts): number {
  return ceilUnits((notional / 10_000) * costs.feeBps);
}

/** Returns the funding of a quantity in money units, given the millionths of a US dollar paid per unit, rounded up. */
export function computeFunding(quantity: number, micros: number, { priceUnit }: InstrumentUnits): number {
  const [paid, perMicro] = [BigInt(quantity) * BigInt(micros) * BigInt(priceUnit), 1_000_000n];
  return Number(paid / perMicro) + (paid > 0n && paid % perMicro !== 0n ? 1 : 0);
}

const ZERO = 48;

/** Formats whole units as a plain decimal. */
export function unitsText(units: number, decimals: number): DecimalString {
  if (decimals === 0 || units === 0) return String(units + 0);
  const digits = String(Math.abs(units)).padStart(decimals + 1, '0');
  let end = digits.length;
  while (end > digits.length - decimals && digits.charCodeAt(end - 1) === ZERO) end--;
  const [whole, part] = [digits.slice(0, -decimals), digits.slice(digits.length - decimals, end)];
  return `${units < 0 ? '-' : ''}${whole}${part === '' ? '' : `.${part}`}`;
}

/** Closed trade, or one still open at the end (`exit` null). */
export interface Trade {
  /** Index of the instrument in the universe. */
  readonly instrument: number;
  /** Bar at whose close the entry was decided. It filled at the next bar's open. */
  readonly entryBar: number;
  readonly exitBar: number | null;
  /** Milliseconds from the close of the exit bar to the exit's decision; above zero if it was decided within the next bar. */
  readonly exitAfterMs: number;
  readonly quantity: number;
  /** Entry price in price units. */
  readonly entryPrice: number;
  readonly exitPrice: number | null;
  /** Fees in money units. */
  readonly fees: number;
  /** Funding paid while it was open, in money units; negative if received. */
  readonly funding: number;
  /** Profit after fees and funding in money units, or null while it is open. */
  readonly profit: number | null;
  readonly entrySlippageBps: number;
  readonly exitSlippageBps: number | null;
  /** Cost inputs of entry and exit that the history had, as flags of `SEEN`. */
  readonly entrySeen: number;
  readonly exitSeen: number | null;
  /** Worst and best price while it was open, in percent of the entry price. */
  readonly worstPct: number;
  readonly bestPct: number;
  /** Bits of the exit rules that passed at the close, by word. */
  readonly exitRules: readonly number[];
  /** True if the venue liquidated it. */
  readonly isLiquidated: boolean;
}
