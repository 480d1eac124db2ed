/** Present prices from quotes this process has received: only live ones, aged since their assessment. */
import type { Clock } from '../../streams/clock/clock.ts';
import { withQuoteFlags, OVER_AGE } from '../../streams/quality/flag-bits.ts';
import { createFreshness, type Freshness } from '../../streams/quality/freshness.ts';
import type { DecimalString } from '../domain/values/decimal.ts';
import type { Quote, ReferencePrice } from '../domain/market/quote.ts';
import { type EpochMs, isOutdated } from '../domain/values/time.ts';
import { midPrice } from '../domain/market/valuation.ts';
import type { InstrumentKey } from '../domain/market/venue.ts';

/** Newest received quote of each instrument. */
export interface LatestQuotes {
  latest(key: InstrumentKey): Quote | ReferencePrice | null;
}

/** Returns a quote as of now: it was assessed at its receipt and has aged since. */
export function agedQuote(quote: Quote, freshness: Freshness, now: EpochMs): Quote {
  const own = quote.sourceTime ? Math.min(quote.observedAt, quote.receivedAt) : quote.receivedAt;
  // On a feed that sends only changes, the receipt is the last known sign.
  const known = freshness.feedLimits(quote).cadence === 'change_only' ? quote.receivedAt : own;
  return isOutdated(known, now, freshness.maxAgeMs(quote)) ? withQuoteFlags(quote, OVER_AGE) : quote;
}

/** Returns the newest quote of an instrument if it is live now, else null. */
export function createLiveQuotes(quotes: LatestQuotes, clock: Pick<Clock, 'now'>): (instrument: InstrumentKey) => Quote | null {
  const freshness = createFreshness();
  return (instrument) => {
    const newest = quotes.latest(instrument);
    const quote = newest?.kind === 'quote' ? agedQuote(newest, freshness, clock.now()) : null;
    return quote?.quality === 'live' ? quote : null;
  };
}

/** Returns the midpoints of the live quotes among the given instruments. */
export function createLiveMarks(
  quotes: LatestQuotes,
  clock: Pick<Clock, 'now'>,
): (instruments: readonly InstrumentKey[]) => ReadonlyMap<InstrumentKey, DecimalString> {
  const liveQuote = createLiveQuotes(quotes, clock);
  return (instruments) => {
    const marks = new Map<InstrumentKey, DecimalString>();
    for (const instrument of instruments) {
      const quote = liveQuote(instrument);
      const middle = quote && midPrice(quote.bid, quote.ask);
      if (middle != null) marks.set(instrument, middle);
    }
    return marks;
  };
}
