/** Depth of an instrument on a venue. */
import { Type } from 'typebox';
import type { OrderBookReads } from '../../../src/adapters/venues/order-book-reads.ts';
import { isoTime } from '../../../src/domain/values/time.ts';
import { sendProblem, sendRefusal } from '../../problem.ts';
import { defineRoute } from '../../route.ts';
import { BookSide, ExecutableVenueWord, objectSchema, QualityFlags, QualityWord, Time } from '../../shapes.ts';
import { knownInstrument, NO_INSTRUMENT } from './known-instrument.ts';

declare module '../../route.ts' {
  interface ApiPorts {
    readonly orderBook: OrderBookReads;
  }
}

const OrderBookBody = Type.Object(
  {
    venue: ExecutableVenueWord,
    instrument: Type.String(),
    source: Type.String(),
    observedAt: Time,
    receivedAt: Time,
    quality: QualityWord,
    flags: QualityFlags,
    bids: BookSide,
    asks: BookSide,
  },
  { $id: 'OrderBook' },
);

const DEFAULT_DEPTH = 20;

export const getOrderBook = defineRoute({
  method: 'GET',
  url: '/v1/order-book',
  name: 'getOrderBook',
  tag: 'market',
  summary: 'Order-book depth of one instrument',
  permission: 'market:read',
  cost: 'read',
  schema: {
    querystring: objectSchema({
      venue: ExecutableVenueWord,
      instrument: Type.String({ minLength: 1, maxLength: 64 }),
      depth: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: DEFAULT_DEPTH, description: 'Levels of each side.' })),
    }),
  },
  answers: { 200: { description: 'The book.', schema: OrderBookBody } },
  refusals: ['not_found'],
  handle: (ports) => async (request, reply) => {
    const { venue, instrument, depth = DEFAULT_DEPTH } = request.query;
    if (!knownInstrument(ports.catalog.entries, venue, instrument)) return sendProblem(reply, 'not_found', NO_INSTRUMENT);
    const read = await ports.orderBook.read(venue, instrument, depth);
    if (!read.ok) return sendRefusal(reply, read.refusal);
    const { source, observedAt, receivedAt, quality, flags, bids, asks } = read.value;
    return {
      venue,
      instrument,
      source,
      observedAt: isoTime(observedAt),
      receivedAt: isoTime(receivedAt),
      quality,
      flags,
      bids: bids.slice(0, depth),
      asks: asks.slice(0, depth),
    };
  },
});
