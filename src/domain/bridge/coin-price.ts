/** What the coins are worth that the chains of bridges are paid in. */
import { Decimal, type DecimalString, plainDecimal } from '../decimal.ts';
import type { Quote } from '../quote.ts';
import type { InstrumentKey } from '../venue.ts';
import type { BridgeChain } from './quote.ts';

/** Where the coin of each chain is priced, and how many decimals its smallest unit has. */
const COINS: Readonly<Record<BridgeChain, { readonly instrument: InstrumentKey; readonly decimals: number }>> = {
  spotchain: { instrument: 'spotexchange:SOLUSDT', decimals: 9 },
  evmvenue: { instrument: 'spotexchange:ETHUSDT', decimals: 18 },
};

/**
 * So many of the smallest units of a chain's coin in US dollars, at the ask and rounded up to a millionth: never less than
 * is paid. Null where the coin has no live quote. `quote` answers with the live quote of an instrument, or null.
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
