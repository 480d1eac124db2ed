/** GET /v1/perps: mark, oracle, funding and open interest of every perpetual. */
import { Type } from 'typebox';
import { instrumentKey } from '../../../src/domain/market/venue.ts';
import { POSITIONS, pageBody, pageOfKeyed, pageOfQuery } from '../../cursor.ts';
import { defineRoute } from '../../route.ts';
import { objectOf, pageFields, pageOf } from '../../shapes.ts';
import { statesOf, venueStateOf } from '../state-reads.ts';
import { PerpBody, perpBody } from './perp-body.ts';

export const listPerps = defineRoute({
  method: 'GET',
  url: '/v1/perps',
  name: 'listPerps',
  tag: 'market',
  summary: 'Every perpetual with its mark, oracle, funding, open interest and top of book',
  description: 'Sorted by instrument. Perpetuals without data yet are left out.',
  permission: 'market:read',
  cost: 'read',
  schema: {
    querystring: objectOf({
      instrument: Type.Optional(Type.String({ minLength: 1, maxLength: 64, description: "The venue's name of it, for example `BTC`." })),
      ...pageFields,
    }),
  },
  answers: { 200: { description: 'A page of perpetuals.', schema: pageOf(PerpBody) } },
  refusals: [],
  handle: (ports) => (request) => {
    const { instrument } = request.query;
    const page = pageOfQuery(request.query, 'perps', POSITIONS.instrument);
    const found = statesOf(ports.venues.states, 'perp_context').filter(
      (perp) => instrument === undefined || perp.instrument === instrument,
    );
    const venueState = venueStateOf(ports.venues.states, 'evmvenue');
    const at = ports.clock.now();
    const quotes = new Map(ports.quotes.latest({ venue: 'evmvenue' }).map((quote) => [quote.instrument, quote]));
    return pageBody(
      pageOfKeyed(found, (perp) => instrumentKey(perp.venue, perp.instrument), page),
      'perps',
      (perp) => perpBody(perp, quotes.get(perp.instrument) ?? null, venueState, at),
    );
  },
});
