/** Prices of the native coins in which bridge chains charge fees. */
import { Decimal, type DecimalString, plainDecimal } from '../values/decimal.ts';
import type { Quote } from '../market/quote.ts';
import type { InstrumentKey } from '../market/venue.ts';
import type { BridgeChain } from './quote.ts';

/** Priced instrument of each chain's native coin, and the decimals of its smallest unit. */
const COINS: Readonly<Record<BridgeChain, { readonly instrument: InstrumentKey; readonly decimals: number }>> = {
  spotchain: { instrument: 'spotexchange:SOLUSDT', decimals: 9 },
  evmvenue: { instrument: 'spotexchange:ETHUSDT', decimals: 18 },
};

/**
 * Converts an amount in a chain's smallest unit to US dollars, at the ask and rounded up to a millionth. Null if the coin has no live
 * quote. `quote` returns the live quote of an instrument, or null.
 */
export function coinDollars(
  quote: (instrument: InstrumentKey) => Pick<Quote, 'ask'> | null,
): (chain: BridgeChain, units: bigint) => DecimalString | null {
  return (chain, units) => {
    const { instrument, decimals } = COINS[chain];
    const ask = quote(instrument)?.ask ?? null;
    if (ask === null) return null;
    const coins = new Decimal(String(units)).div(new Decimal(10).pow(decimals));
    return plainDecimal(coins.times(ask).toDecimalPlaces(6, Decimal.ROUND_UP));
  };
}
