/** The `quotes` channel: the newest quote of every instrument, conflated to the pace of the flush. */
import { Type } from 'typebox';
import type { Quote, ReferencePrice } from '../../../src/domain/quote.ts';
import { type InstrumentKey, instrumentKey, VENUES } from '../../../src/domain/venue.ts';
import { quoteBody } from '../../v1/quotes/quote-body.ts';
import type { QuoteChannel } from './channel.ts';

const INSTRUMENT = Type.String({ minLength: 1, maxLength: 64 });

export const quotesChannel: QuoteChannel = {
  kind: 'quotes',
  name: 'quotes',
  about: 'The newest quotes and reference prices: all at first, then what changed.',
  permission: 'market:read',
  params: Type.Object(
    {
      venue: Type.Optional(Type.Unsafe<string>({ type: 'string', enum: [...VENUES] })),
      instrument: Type.Optional(INSTRUMENT),
      /** Keys such as `spotexchange:BTCUSDT`. */
      instruments: Type.Optional(Type.Array(Type.String({ pattern: '^[a-z]+:.{1,64}$', maxLength: 80 }), { minItems: 1, maxItems: 200 })),
    },
    { additionalProperties: false },
  ),
};

export type FeedQuote = Quote | ReferencePrice;

export function feedQuoteKey(quote: FeedQuote): InstrumentKey {
  return instrumentKey(quote.venue, quote.instrument);
}

/** Which quotes a subscription is about: all its parameters have to hold. */
export function quoteFilter(params: { readonly [name: string]: unknown }): (quote: FeedQuote) => boolean {
  const { venue, instrument, instruments } = params as { venue?: string; instrument?: string; instruments?: readonly string[] };
  const keys = instruments === undefined ? null : new Set(instruments);
  return (quote) =>
    (venue === undefined || quote.venue === venue) &&
    (instrument === undefined || quote.instrument === instrument) &&
    (keys === null || keys.has(feedQuoteKey(quote)));
}

/** A quote as `GET /v1/quotes` shows it. */
export function quoteJson(quote: FeedQuote): string {
  return JSON.stringify(quoteBody(quote));
}
