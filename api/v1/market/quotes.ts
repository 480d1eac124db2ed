/** Quotes and reference prices. A reference price never looks like a quote. */
import { Type } from 'typebox';
import type { QuoteReads } from '../../../src/adapters/queue/quote-bus.ts';
import { type Quote, type ReferencePrice, SESSIONS } from '../../../src/domain/market/quote.ts';
import { midPrice } from '../../../src/domain/market/valuation.ts';
import { instrumentKey } from '../../../src/domain/market/venue.ts';
import { isoTime } from '../../../src/domain/values/time.ts';
import type { Cadence } from '../../../src/domain/venues/venue-facts.ts';
import { createFreshness, type Freshness } from '../../../streams/quality/freshness.ts';
import { qualityLimits } from '../../../streams/quality/quality-limits.ts';
import { POSITIONS, pageBody, pageOfQuery } from '../../cursor.ts';
import { defineRoute } from '../../route.ts';
import {
  choice,
  DecimalText,
  MaxAge,
  NullableDecimalText,
  nullable,
  nullableChoice,
  objectSchema,
  pageFields,
  pageSchema,
  QualityFlags,
  QualityWord,
  Time,
  VenueWord,
} from '../../shapes.ts';

declare module '../../route.ts' {
  interface ApiPorts {
    readonly quotes: QuoteReads;
  }
}

const OfQuotes = 'Quotes only.';
const OfReferences = 'Reference prices only.';

export const QuoteBody = Type.Object(
  {
    kind: choice(['quote', 'reference'], 'A reference price is never executable.'),
    venue: VenueWord,
    instrument: Type.String(),
    source: Type.String(),
    observedAt: Time,
    receivedAt: Time,
    quality: QualityWord,
    flags: QualityFlags,
    maxAgeMs: MaxAge,
    cadence: choice(
      ['continuous', 'change_only', 'polled'] satisfies readonly Cadence[],
      '`change_only`: the venue sends only changes, so a quote older than `maxAgeMs` stays `live` while its feed is received.',
    ),
    bid: Type.Optional({ ...NullableDecimalText, description: OfQuotes }),
    ask: Type.Optional({ ...NullableDecimalText, description: OfQuotes }),
    bidSize: Type.Optional({ ...NullableDecimalText, description: OfQuotes }),
    askSize: Type.Optional({ ...NullableDecimalText, description: OfQuotes }),
    mid: Type.Optional({ ...NullableDecimalText, description: `${OfQuotes} (bid + ask) / 2.` }),
    sequence: Type.Optional(nullable('number', `${OfQuotes} The venue's own order of events.`)),
    referencePrice: Type.Optional({ ...DecimalText, description: OfReferences }),
    confidence: Type.Optional({ ...DecimalText, description: OfReferences }),
    feedUpdatedAt: Type.Optional({ ...Time, description: `${OfReferences} Freshness is measured from here.` }),
    publisherSession: Type.Optional(nullableChoice(SESSIONS, OfReferences)),
  },
  {
    $id: 'Quote',
    examples: [
      {
        kind: 'quote',
        venue: 'spotexchange',
        instrument: 'BTCUSDT',
        source: 'binance:bookTicker',
        observedAt: '2026-03-02T14:31:00.120Z',
        receivedAt: '2026-03-02T14:31:00.151Z',
        quality: 'live',
        flags: [],
        maxAgeMs: 5_000,
        cadence: 'change_only',
        bid: '63000.10',
        ask: '63000.20',
        bidSize: '1.5',
        askSize: '0.8',
        mid: '63000.15',
        sequence: 400900217,
      },
    ],
  },
);

let freshness: Freshness | null = null;

/** Returns the limits of a quote's own source. */
function limitsOfQuote(event: Quote | ReferencePrice) {
  const limits = qualityLimits();
  if (freshness?.limits !== limits) freshness = createFreshness({ limits });
  return { maxAgeMs: freshness.maxAgeMs(event), cadence: freshness.feedLimits(event).cadence };
}

type Body = ReturnType<typeof writeBody>;

/** Encoded events. Events never change and many clients request them, so each is encoded once. */
const written = new WeakMap<Quote | ReferencePrice, Body>();

/** Returns the wire form of an event: times as ISO 8601, prices unchanged. */
export function quoteBody(event: Quote | ReferencePrice): Body {
  let body = written.get(event);
  if (body === undefined) {
    body = writeBody(event);
    written.set(event, body);
  }
  return body;
}

function writeBody(event: Quote | ReferencePrice) {
  const limits = limitsOfQuote(event);
  if (event.kind === 'quote') {
    return {
      kind: event.kind,
      venue: event.venue,
      instrument: event.instrument,
      source: event.source,
      observedAt: isoTime(event.observedAt),
      receivedAt: isoTime(event.receivedAt),
      quality: event.quality,
      flags: event.flags,
      ...limits,
      bid: event.bid,
      ask: event.ask,
      bidSize: event.bidSize,
      askSize: event.askSize,
      mid: midPrice(event.bid, event.ask),
      sequence: event.sequence,
    };
  }
  return {
    kind: event.kind,
    venue: event.venue,
    instrument: event.instrument,
    source: event.source,
    observedAt: isoTime(event.observedAt),
    receivedAt: isoTime(event.receivedAt),
    quality: event.quality,
    flags: event.flags,
    ...limits,
    referencePrice: event.referencePrice,
    confidence: event.confidence,
    feedUpdatedAt: isoTime(event.feedUpdatedAt),
    publisherSession: event.publisherSession,
  };
}

const toKey = (event: Quote | ReferencePrice): string => instrumentKey(event.venue, event.instrument);

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
    querystring: objectSchema({
      venue: Type.Optional(VenueWord),
      instrument: Type.Optional(Type.String({ minLength: 1, maxLength: 64, description: "The venue's name of it, for example `AAPLx`." })),
      ...pageFields,
    }),
  },
  answers: { 200: { description: 'A page of quotes.', schema: pageSchema(QuoteBody) } },
  refusals: [],
  handle: (ports) => (request) => {
    const { venue, instrument } = request.query;
    const { limit, after } = pageOfQuery(request.query, 'quotes', POSITIONS.instrument);
    const filter = { ...(venue === undefined ? {} : { venue }), ...(instrument === undefined ? {} : { instrument }) };
    const found = ports.quotes
      .latest(filter)
      .map((event) => ({ key: toKey(event), event }))
      .sort((a, b) => (a.key < b.key ? -1 : 1));
    const begin = after === null ? 0 : found.findIndex(({ key }) => key > after);
    const items = begin < 0 ? [] : found.slice(begin, begin + limit);
    const last = items.at(-1);
    const next = last !== undefined && begin + limit < found.length ? last.key : null;
    return pageBody({ items, next }, 'quotes', ({ event }) => quoteBody(event));
  },
});
