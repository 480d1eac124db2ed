/** GET /v1/tickers: the rolling day statistics of the spot exchange. */
import { Type } from 'typebox';
import { instrumentKey } from '../../../src/domain/market/venue.ts';
import { POSITIONS, pageBody, pageOfKeyed, pageOfQuery } from '../../cursor.ts';
import { defineRoute } from '../../route.ts';
import { choice, objectOf, pageFields, pageOf } from '../../shapes.ts';
import { statesOf, venueStateOf } from '../state-reads.ts';
import { TickerBody, tickerBody } from './ticker-body.ts';

export const listTickers = defineRoute({
  method: 'GET',
  url: '/v1/tickers',
  name: 'listTickers',
  tag: 'market',
  summary: 'The last 24 hours of each instrument of the spot exchange',
  description: 'Sorted by instrument. Instruments without data yet are left out.',
  permission: 'market:read',
  cost: 'read',
  schema: {
    querystring: objectOf({
      venue: Type.Optional(choice(['spotexchange'], 'The one venue that publishes them.')),
      instrument: Type.Optional(
        Type.String({ minLength: 1, maxLength: 64, description: "The venue's name of it, for example `BTCUSDT`." }),
      ),
      ...pageFields,
    }),
  },
  answers: { 200: { description: 'A page of tickers.', schema: pageOf(TickerBody) } },
  refusals: [],
  handle: (ports) => (request) => {
    const { instrument } = request.query;
    const page = pageOfQuery(request.query, 'tickers', POSITIONS.instrument);
    const found = statesOf(ports.venues.states, 'day_ticker').filter(
      (ticker) => instrument === undefined || ticker.instrument === instrument,
    );
    const venueState = venueStateOf(ports.venues.states, 'spotexchange');
    const at = ports.clock.now();
    return pageBody(
      pageOfKeyed(found, (ticker) => instrumentKey(ticker.venue, ticker.instrument), page),
      'tickers',
      (ticker) => tickerBody(ticker, venueState, at),
    );
  },
});
