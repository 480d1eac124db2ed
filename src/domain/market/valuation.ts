/** Fair-value gap, gap to mark, basis, and the only conversion of a quote into an order's price. */
import { Decimal, type DecimalString, isDecimalString, isPositive, plainDecimal } from '../values/decimal.ts';
import type { OrderQuote } from '../orders/order.ts';
import type { ExecutableVenue } from './venue.ts';

/** Four units in the last place of a double: twice the rounding error of one parse or one operation. */
const ULPS = 2 ** -51;

/**
 * Returns (value - base) / base x 100, rounded half-even to 8 decimals as exact arithmetic would. A ratio, hence a number. Null if the base
 * is not positive or a text is not a plain decimal, because an unknown ratio must fail the rules that use it. Uses doubles if their error
 * cannot reach the next rounding step. The few ratios near a step are computed exactly.
 */
export function percentAbove(value: DecimalString, base: DecimalString): number | null {
  if (!isDecimalString(value) || !isDecimalString(base) || !isPositive(base)) return null;
  const v = Number(value);
  const b = Number(base);
  // In steps of 1e-8 percent.
  const steps = ((v - b) / b) * 1e10;
  const error = (((Math.abs(v) + b) / b) * 1e10 + Math.abs(steps)) * ULPS;
  const toHalf = Math.abs(steps - Math.floor(steps) - 0.5);
  if (toHalf > error && b > 1e-300 && Math.abs(steps) < 2 ** 52) return Math.round(steps) / 1e8 + 0;
  return exactPercentAbove(value, base);
}

/** Returns the same ratio by decimal arithmetic only. Adding zero turns negative zero into zero. */
export function exactPercentAbove(value: DecimalString, base: DecimalString): number {
  const divisor = new Decimal(base);
  return new Decimal(value).minus(divisor).times(100).div(divisor).toDecimalPlaces(8).toNumber() + 0;
}

/** Returns the fair-value gap in percent: positive is a premium of the token over the reference price, negative a discount. */
export function premiumPct(tokenMid: DecimalString, referencePrice: DecimalString): number | null {
  return percentAbove(tokenMid, referencePrice);
}

/**
 * Returns the valuation that a live token price implies: price x (mark valuation / mark price), in US dollars. Null if the mark is not
 * positive.
 */
export function impliedValuation(tokenPrice: DecimalString, markPrice: DecimalString, markValuation: DecimalString): DecimalString | null {
  if (!isPositive(markPrice)) return null;
  return plainDecimal(new Decimal(tokenPrice).times(markValuation).div(markPrice).toDecimalPlaces(8));
}

/** Returns the gap to mark in percent, of valuations, or of prices if both are of the same token (the ratio is the same). */
export function gapToMarkPct(implied: DecimalString, mark: DecimalString): number | null {
  return percentAbove(implied, mark);
}

/** Returns the basis in percent: how far the perpetual's mark is above the spot price of the same asset. */
export function basisPct(perpetualMark: DecimalString, spot: DecimalString): number | null {
  return percentAbove(perpetualMark, spot);
}

/** Returns (bid + ask) / 2, exact, or null if one side is missing. */
export function midPrice(bid: DecimalString | null, ask: DecimalString | null): DecimalString | null {
  return bid === null || ask === null ? null : plainDecimal(new Decimal(bid).plus(ask).div(2));
}

/** A price that an order on venue `V` may use, or the risk rejection code if there is none. */
type ExecutablePrice<V extends ExecutableVenue> =
  | { readonly ok: true; readonly venue: V; readonly executablePrice: DecimalString }
  | { readonly ok: false; readonly code: 'quote_not_live' | 'venue_mismatch'; readonly problem: string };

/**
 * Returns the price at which an order of the given side would trade against a quote: the ask for a buy, the bid for a sell. The only way
 * from a quote to an order's price. Only a `live` quote has one, and only on its own venue: another venue's quote does not compile, and is
 * refused at run time if its type was lost.
 */
export function executablePrice<V extends ExecutableVenue>(
  quote: Omit<OrderQuote<V>, 'observedAt'>,
  venue: NoInfer<V>,
  side: 'buy' | 'sell',
): ExecutablePrice<V> {
  if (quote.venue !== venue) {
    return { ok: false, code: 'venue_mismatch', problem: `a quote of ${quote.venue} cannot price an order on ${venue}` };
  }
  if (quote.quality !== 'live') {
    const flags = quote.flags.length === 0 ? '' : ` (${quote.flags.join(', ')})`;
    return {
      ok: false,
      code: 'quote_not_live',
      problem: `the quote of ${quote.venue}:${quote.instrument} is ${quote.quality}${flags}, only a live one can price an order`,
    };
  }
  const price = side === 'buy' ? quote.ask : quote.bid;
  if (price === null || !isDecimalString(price) || !isPositive(price)) {
    return {
      ok: false,
      code: 'quote_not_live',
      problem: `the quote of ${quote.venue}:${quote.instrument} has no ${side === 'buy' ? 'ask' : 'bid'}`,
    };
  }
  return { ok: true, venue, executablePrice: price };
}
