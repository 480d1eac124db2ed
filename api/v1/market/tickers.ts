/** Rolling day statistics of the spot exchange, with their age and quality. */
import { Type } from 'typebox';
import type { DayTicker, VenueState } from '../../../src/domain/market/market-state.ts';
import { instrumentKey } from '../../../src/domain/market/venue.ts';
import { type EpochMs, isoTime } from '../../../src/domain/values/time.ts';
import { findLimits, qualityLimits } from '../../../streams/quality/quality-limits.ts';
import { stateQuality } from '../../../streams/quality/state-quality.ts';
import { POSITIONS, pageBody, pageOfKeyed, pageOfQuery } from '../../cursor.ts';
import { defineRoute } from '../../route.ts';
import { choice, DecimalText, objectSchema, pageFields, pageSchema, QualityFlags, QualityWord, Time } from '../../shapes.ts';
import { listStates, findVenueState } from './state-reads.ts';

export const TickerBody = Type.Object(
  {
    venue: choice(['spotexchange']),
    instrument: Type.String(),
    source: Type.String(),
    observedAt: Time,
    receivedAt: Time,
    ageMs: Type.Integer({ description: 'Since the venue made it, or since it came where that is earlier.' }),
    quality: QualityWord,
    flags: QualityFlags,
    windowFrom: { ...Time, description: 'The window rolls: it is not the UTC day.' },
    windowTo: Time,
    openPrice: DecimalText,
    highPrice: DecimalText,
    lowPrice: DecimalText,
    lastPrice: DecimalText,
    priceChange: DecimalText,
    priceChangePct: { ...DecimalText, description: 'Percent of the open.' },
    weightedAveragePrice: DecimalText,
    volume: { ...DecimalText, description: 'In base units.' },
    quoteVolume: { ...DecimalText, description: 'In quote units.' },
    trades: Type.Integer(),
  },
  { $id: 'DayTicker' },
);

/** Returns the wire form of a ticker at an instant. */
export function tickerBody(ticker: DayTicker, venueState: VenueState | null, at: EpochMs) {
  const { ageMs, quality, flags } = stateQuality(ticker, venueState, at, findLimits(qualityLimits(), ticker.venue, ticker.source).maxAgeMs);
  return {
    venue: ticker.venue,
    instrument: ticker.instrument,
    source: ticker.source,
    observedAt: isoTime(ticker.observedAt),
    receivedAt: isoTime(ticker.receivedAt),
    ageMs,
    quality,
    flags,
    windowFrom: isoTime(ticker.openTime),
    windowTo: isoTime(ticker.closeTime),
    openPrice: ticker.openPrice,
    highPrice: ticker.highPrice,
    lowPrice: ticker.lowPrice,
    lastPrice: ticker.lastPrice,
    priceChange: ticker.priceChange,
    priceChangePct: ticker.priceChangePct,
    weightedAveragePrice: ticker.weightedAveragePrice,
    volume: ticker.volume,
    quoteVolume: ticker.quoteVolume,
    trades: ticker.trades,
  };
}

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
    querystring: objectSchema({
      venue: Type.Optional(choice(['spotexchange'], 'The one venue that publishes them.')),
      instrument: Type.Optional(
        Type.String({ minLength: 1, maxLength: 64, description: "The venue's name of it, for example `BTCUSDT`." }),
      ),
      ...pageFields,
    }),
  },
  answers: { 200: { description: 'A page of tickers.', schema: pageSchema(TickerBody) } },
  refusals: [],
  handle: (ports) => (request) => {
    const { instrument } = request.query;
    const page = pageOfQuery(request.query, 'tickers', POSITIONS.instrument);
    const found = listStates(ports.venues.states, 'day_ticker').filter(
      (ticker) => instrument === undefined || ticker.instrument === instrument,
    );
    const venueState = findVenueState(ports.venues.states, 'spotexchange');
    const at = ports.clock.now();
    return pageBody(
      pageOfKeyed(found, (ticker) => instrumentKey(ticker.venue, ticker.instrument), page),
      'tickers',
      (ticker) => tickerBody(ticker, venueState, at),
    );
  },
});
