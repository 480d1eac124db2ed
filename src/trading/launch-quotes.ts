/** Quote tokens of curves, and their present price. */
import type { Clock } from '../../streams/clock/clock.ts';
import { Decimal, type DecimalString, plainDecimal } from '../domain/values/decimal.ts';
import { type QuoteToken, findQuoteToken, type TokenDollars } from '../domain/launch/quote-tokens.ts';
import { midPrice } from '../domain/market/valuation.ts';
import type { InstrumentKey } from '../domain/market/venue.ts';
import { createLiveQuotes, type LatestQuotes } from './live-marks.ts';

/** Creates a look-up of quote tokens in the catalog and their prices by live quotes. Nothing is ordered at these prices. */
export function createLaunchQuotes(quotes: LatestQuotes, clock: Pick<Clock, 'now'>) {
  const liveQuote = createLiveQuotes(quotes, clock);
  return {
    /** Returns null if no curve is quoted in the mint. */
    token: (mint: string): QuoteToken | null => findQuoteToken(mint, clock.now()),
    /** Returns null without a live price. */
    dollars({ pricedBy, multiplier }: QuoteToken): TokenDollars | null {
      if (pricedBy === null) return { perToken: '1', instrument: null, observedAt: clock.now() };
      const quote = liveQuote(pricedBy);
      const middle = quote === null ? null : midPrice(quote.bid, quote.ask);
      if (quote === null || middle === null) return null;
      return { perToken: plainDecimal(new Decimal(middle).times(multiplier)), instrument: pricedBy, observedAt: quote.observedAt };
    },
  };
}

export type LaunchQuotes = ReturnType<typeof createLaunchQuotes>;

/** Returns the US dollars of one whole quote token at the live bid, or null. */
export function quoteDollars(bid: (instrument: InstrumentKey) => string | null, clock: Pick<Clock, 'now'>) {
  return (mint: string): DecimalString | null => {
    const token = findQuoteToken(mint, clock.now());
    if (token === null || token.pricedBy === null) return token === null ? null : '1';
    const price = bid(token.pricedBy);
    return price === null ? null : plainDecimal(new Decimal(price).times(token.multiplier));
  };
}
