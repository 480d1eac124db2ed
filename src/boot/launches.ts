/** Launches as this process offers them: what curves may be quoted in, and what that is worth now. */
import type { LaunchQuotes } from '../../api/v1/launches/ports.ts';
import type { Clock } from '../../streams/clock.ts';
import type { BusQuote } from '../adapters/queue/quote-bus.ts';
import { Decimal, plainDecimal } from '../domain/decimal.ts';
import { quoteTokenOf } from '../domain/launch/quote-tokens.ts';
import { midPrice } from '../domain/valuation.ts';
import type { InstrumentKey } from '../domain/venue.ts';
import { createLiveQuotes } from '../trading/live-marks.ts';

/** Quote tokens by the catalog, and their dollars by live quotes. Nothing is ordered at these prices. */
export function createLaunchQuotes(bus: { latest(key: InstrumentKey): BusQuote | null }, clock: Pick<Clock, 'now'>): LaunchQuotes {
  const liveQuote = createLiveQuotes(bus, clock);
  return {
    token: (mint) => quoteTokenOf(mint, clock.now()),
    dollars({ pricedBy, multiplier }) {
      if (pricedBy === null) return { perToken: '1', instrument: null, observedAt: clock.now() };
      const quote = liveQuote(pricedBy);
      const middle = quote === null ? null : midPrice(quote.bid, quote.ask);
      if (quote === null || middle === null) return null;
      return { perToken: plainDecimal(new Decimal(middle).times(multiplier)), instrument: pricedBy, observedAt: quote.observedAt };
    },
  };
}
