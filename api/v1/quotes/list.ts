/** GET /v1/quotes: lists the latest quote of every instrument, by venue and instrument. */
import { Type } from 'typebox';
import type { Quote, ReferencePrice } from '../../../src/domain/market/quote.ts';
import { instrumentKey } from '../../../src/domain/market/venue.ts';
import { POSITIONS, pageBody, pageOfQuery } from '../../cursor.ts';
import { defineRoute } from '../../route.ts';
import { objectOf, pageFields, pageOf, VenueWord } from '../../shapes.ts';
import { QuoteBody, quoteBody } from './quote-body.ts';

const keyOf = (event: Quote | ReferencePrice): string => instrumentKey(event.venue, event.instrument);

export const listQuotes = defineRoute({
  method: 'GET',
  url: '/v1/quotes',
  name: 'listQuotes',
  tag: 'market',
  summary: 'The latest quotes and reference prices',
  description: 'Sorted by venue and instrument. Instruments without data yet are left out.',
  permission: 'market:read',
  cost: 'read',
  schema: {
    querystring: objectOf({
      venue: Type.Optional(VenueWord),
      instrument: Type.Optional(Type.String({ minLength: 1, maxLength: 64, description: "The venue's name of it, for example `AAPLx`." })),
      ...pageFields,
    }),
  },
  answers: { 200: { description: 'A page of quotes.', schema: pageOf(QuoteBody) } },
  refusals: [],
  handle: (ports) => (request) => {
    const { venue, instrument } = request.query;
    const { limit, after } = pageOfQuery(request.query, 'quotes', POSITIONS.instrument);
    const filter = { ...(venue === undefined ? {} : { venue }), ...(instrument === undefined ? {} : { instrument }) };
    const found = ports.quotes
      .latest(filter)
      .map((event) => ({ key: keyOf(event), event }))
      .sort((a, b) => (a.key < b.key ? -1 : 1));
    const begin = after === null ? 0 : found.findIndex(({ key }) => key > after);
    const items = begin < 0 ? [] : found.slice(begin, begin + limit);
    const last = items.at(-1);
    const next = last !== undefined && begin + limit < found.length ? last.key : null;
    return pageBody({ items, next }, 'quotes', ({ event }) => quoteBody(event));
  },
});
