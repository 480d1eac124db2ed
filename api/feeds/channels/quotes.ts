/** The `quotes` channel: the newest quote of every instrument, conflated to the flush interval. */
import { Type } from 'typebox';
import { CATALOG } from '../../../src/domain/catalog/catalog.ts';
import type { Quote, ReferencePrice } from '../../../src/domain/market/quote.ts';
import { type InstrumentKey, instrumentKey, VENUES, type Venue } from '../../../src/domain/market/venue.ts';
import { knownInstrument } from '../../v1/market/known-instrument.ts';
import { QuoteBody, quoteBody } from '../../v1/market/quotes.ts';
import type { QuoteChannel } from './channel.ts';

const INSTRUMENT = Type.String({ minLength: 1, maxLength: 64 });

export const quotesChannel: QuoteChannel = {
  kind: 'quotes',
  name: 'quotes',
  about: 'The newest quotes and reference prices: all at first, then what changed.',
  permission: 'market:read',
  item: QuoteBody,
  params: Type.Object(
    {
      venue: Type.Optional(Type.Unsafe<string>({ type: 'string', enum: [...VENUES] })),
      instrument: Type.Optional(INSTRUMENT),
      /** Keys such as `spotexchange:BTCUSDT`. */
      instruments: Type.Optional(Type.Array(Type.String({ pattern: '^[a-z]+:.{1,64}$', maxLength: 80 }), { minItems: 1, maxItems: 200 })),
    },
    { additionalProperties: false },
  ),
  problem({ venue, instrument, instruments = [] }) {
    // An outcome of a prediction market must be requested together with its venue.
    const venues = venue === undefined ? VENUES.filter((one) => one !== 'prediction') : [venue as Venue];
    if (instrument !== undefined && !venues.some((one) => mayBeQuoted(one, instrument as string)))
      return `instrument: ${venue === undefined ? 'no venue has an instrument' : `${String(venue)} has none`} of that name; GET /v1/catalog lists them`;
    const unknown = (instruments as readonly string[]).find((key) => {
      const [named = '', ...rest] = key.split(':');
      return !VENUES.includes(named as Venue) || !mayBeQuoted(named as Venue, rest.join(':'));
    });
    return unknown === undefined ? null : `instruments: there is no ${unknown.slice(0, 80)}; GET /v1/catalog lists them`;
  },
};

/** True for catalog instruments and for outcomes of prediction markets, which come and go without being in the catalog. */
function mayBeQuoted(venue: Venue, instrument: string): boolean {
  return venue === 'prediction' || knownInstrument(CATALOG, venue, instrument);
}

export type FeedQuote = Quote | ReferencePrice;

export function feedQuoteKey(quote: FeedQuote): InstrumentKey {
  return instrumentKey(quote.venue, quote.instrument);
}

/** Creates the quote filter of a subscription. All parameters have to match. */
export function quoteFilter(params: { readonly [name: string]: unknown }): (quote: FeedQuote) => boolean {
  const { venue, instrument, instruments } = params as { venue?: string; instrument?: string; instruments?: readonly string[] };
  const keys = instruments === undefined ? null : new Set(instruments);
  return (quote) =>
    (venue === undefined || quote.venue === venue) &&
    (instrument === undefined || quote.instrument === instrument) &&
    (keys === null || keys.has(feedQuoteKey(quote)));
}

/** Returns a quote in the shape of `GET /v1/quotes`. */
export function quoteJson(quote: FeedQuote): string {
  return JSON.stringify(quoteBody(quote));
}
