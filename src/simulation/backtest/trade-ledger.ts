/**
 * Cash and positions of a simulated book in scaled integers held in doubles: exact below 2^53 units, which is never less
 * than eight times the capital; what rounds, rounds against the agent.
 */

import type { TradeCosts } from '../../domain/backtest/assumptions.ts';
import { averageOverBest, oneSideOf } from '../../domain/orders/costs.ts';
import type { DecimalString } from '../../domain/values/decimal.ts';
import type { MarketStep } from '../../domain/market/market-step.ts';
import { stepScale } from '../../domain/risk/exact.ts';

/** Significant digits of a fill price at the first price of the history. */
const FILL_DIGITS = 7;
const LARGEST = 2 ** 53;

/**
 * The whole units below or above a number that double arithmetic may have moved off a whole one by its last bits: within
 * that error it is the whole one, as exact arithmetic would have it.
 */
export function floorUnits(value: number): number {
  const whole = Math.round(value);
  return Math.abs(value - whole) <= slack(value) ? whole : Math.floor(value);
}

export function ceilUnits(value: number): number {
  const whole = Math.round(value);
  return Math.abs(value - whole) <= slack(value) ? whole : Math.ceil(value);
}

/** Eight units in the last place, and never less than a millionth of a unit: sums and differences lose more than their last place. */
function slack(value: number): number {
  return Math.max(1e-6, Math.abs(value) * 2 ** -50);
}

/** The whole units of a value that products and quotients alone led to, which is wrong by eight units in the last place at most. */
function wholeOfProduct(value: number, round: (value: number) => number): number {
  const whole = Math.round(value);
  return Math.abs(value - whole) <= Math.abs(value) * 2 ** -50 ? whole : round(value);
}

/** The units of a book: money counts in 10^-moneyDecimals US dollars. */
export interface BookUnits {
  readonly moneyDecimals: number;
  /** Money units of one dollar. */
  readonly unit: number;
}

/** The finest money unit at which eight times the capital still is an exact integer. */
export function bookUnits(capitalUsd: DecimalString): BookUnits {
  const capital = Math.max(1, Number(capitalUsd));
  const moneyDecimals = Math.min(12, Math.max(0, Math.floor(Math.log10(LARGEST / (capital * 8)))));
  return { moneyDecimals, unit: 10 ** moneyDecimals };
}

/** The units of one instrument: price units x quantity units are money units. */
export interface InstrumentUnits {
  readonly priceDecimals: number;
  readonly priceUnit: number;
  readonly quantityDecimals: number;
  readonly quantityUnit: number;
  /** Quantity units of one lot and price units of one tick; if a unit is the coarser one, it is the step. */
  readonly lot: number;
  readonly tick: number;
  readonly costs: TradeCosts;
}

/** @param firstPrice the first price of the history; later ones change no unit. */
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

/** Price units of a fill: the middle moved by half the spread and along the depth that the notional walks, rounded away from the trader. */
export function fillPriceOf(side: 'buy' | 'sell', middle: number, quantity: number, units: InstrumentUnits): number {
  const best = bestOf(side, middle, units);
  const average = best * averageOverBest(side, (best * quantity) / units.quantityUnit, units.costs);
  return side === 'buy'
    ? wholeOfProduct(average * units.priceUnit, Math.ceil)
    : Math.max(1, wholeOfProduct(average * units.priceUnit, Math.floor));
}

/** Quantity units of a buy, whole lots, whose average price stays within its limit; at most `wanted`. */
export function lotsWithinLimit(middle: number, wanted: number, limit: number, units: InstrumentUnits): number {
  if (fillPriceOf('buy', middle, wanted, units) <= limit) return wanted;
  const { lot, priceUnit, quantityUnit, costs } = units;
  // The average over the best price is U / (U - N): it reaches the limit at this notional of the best price.
  const best = bestOf('buy', middle, units);
  const atLimit = (1 - (best * priceUnit) / limit) * oneSideOf(costs);
  if (atLimit <= 0) return 0;
  const isWithin = (lots: number): boolean => fillPriceOf('buy', middle, lots * lot, units) <= limit;
  let lots = Math.min(Math.ceil(wanted / lot) - 1, Math.floor(((atLimit / best) * quantityUnit) / lot));
  while (lots > 0 && !isWithin(lots)) lots--;
  while ((lots + 1) * lot < wanted && isWithin(lots + 1)) lots++;
  return Math.max(0, lots) * lot;
}

function bestOf(side: 'buy' | 'sell', middle: number, { costs }: InstrumentUnits): number {
  return (middle * (10_000 + (side === 'buy' ? 1 : -1) * costs.halfSpreadBps)) / 10_000;
}

/** The venue's fee of a notional, both in money units, rounded up. */
export function feeOf(notional: number, costs: TradeCosts): number {
  return ceilUnits((notional / 10_000) * costs.feeBps);
}

/** Funding in money units of a quantity whose every unit paid so many millionths of a US dollar, rounded up. */
export function fundingOf(quantity: number, micros: number, { priceUnit }: InstrumentUnits): number {
  const [paid, perMicro] = [BigInt(quantity) * BigInt(micros) * BigInt(priceUnit), 1_000_000n];
  return Number(paid / perMicro) + (paid > 0n && paid % perMicro !== 0n ? 1 : 0);
}

const ZERO = 48;

/** Whole units as a plain decimal. */
export function unitsText(units: number, decimals: number): DecimalString {
  if (decimals === 0 || units === 0) return String(units + 0);
  const digits = String(Math.abs(units)).padStart(decimals + 1, '0');
  let end = digits.length;
  while (end > digits.length - decimals && digits.charCodeAt(end - 1) === ZERO) end--;
  const [whole, part] = [digits.slice(0, -decimals), digits.slice(digits.length - decimals, end)];
  return `${units < 0 ? '-' : ''}${whole}${part === '' ? '' : `.${part}`}`;
}

/** A closed trade, or one that is still open at the end (`exit` null). */
export interface Trade {
  /** Place of the instrument in the universe. */
  readonly instrument: number;
  /** The bar at whose close it was decided; it was filled at the next bar's open. */
  readonly entryBar: number;
  readonly exitBar: number | null;
  /** Milliseconds from the close of the exit bar to the exit's decision: above zero within the bar after it. */
  readonly exitAfterMs: number;
  readonly quantity: number;
  /** Price units. */
  readonly entryPrice: number;
  readonly exitPrice: number | null;
  /** Money units. */
  readonly fees: number;
  /** Money units paid as funding while it was open; below zero if received. */
  readonly funding: number;
  /** Profit after fees and funding. */
  readonly profit: number | null;
  readonly entrySlippageBps: number;
  readonly exitSlippageBps: number | null;
  /** Inputs of either order's cost that history held, as bits of `SEEN`. */
  readonly entrySeen: number;
  readonly exitSeen: number | null;
  /** The worst and the best price of its bars against the entry, in percent. */
  readonly worstPct: number;
  readonly bestPct: number;
  /** Bits of the exit rules that passed when it was closed, by word. */
  readonly exitRules: readonly number[];
  /** True if the venue ended it at its maintenance margin. */
  readonly isLiquidated: boolean;
}
