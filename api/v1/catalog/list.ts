/** GET /v1/catalog: every instrument that an agent may name, with its price of the moment (spec sections 2.2, 2.4). */
import { Type } from 'typebox';
import { type CatalogEntry, INSTRUMENT_KINDS, VENUE_CLASSIFICATIONS } from '../../../src/domain/catalog.ts';
import type { Quote, ReferencePrice } from '../../../src/domain/quote.ts';
import { QUALITIES } from '../../../src/domain/quote.ts';
import { isoTime } from '../../../src/domain/time.ts';
import { gapToMarkPct, midPrice, premiumPct } from '../../../src/domain/valuation.ts';
import { type InstrumentKey, splitInstrumentKey } from '../../../src/domain/venue.ts';
import { POSITIONS, pageBody, pageOfQuery } from '../../cursor.ts';
import type { ApiDoors } from '../../doors.ts';
import { defineRoute } from '../../route.ts';
import { choice, ExecutableVenueWord, NullableDecimalText, nullable, nullableChoice, objectOf, pageFields, pageOf } from '../../shapes.ts';

const KindWord = choice(INSTRUMENT_KINDS);

const CatalogEntryBody = Type.Object(
  {
    key: Type.String({ examples: ['spotchain:AAPLx'] }),
    venue: ExecutableVenueWord,
    instrument: Type.String(),
    kind: KindWord,
    name: Type.String(),
    sector: Type.String(),
    classification: nullableChoice(VENUE_CLASSIFICATIONS, 'Asset class on the primary chain (spec section 2.2).'),
    underlying: Type.String(),
    quoteCurrency: choice(['USD', 'USDC', 'USDT']),
    pairs: Type.Array(Type.String(), { description: 'Other spellings that a manifest may use.' }),
    mint: nullable('string', 'The verified mint on the primary chain.'),
    decimals: nullable('integer'),
    benchmark: nullable('string', 'What it is benchmarked against.'),
    benchmarkKind: nullableChoice(['reference_price', 'issuer_mark']),
    pairedPerp: nullable('string'),
    pairedSpot: nullable('string'),
    livePrice: { ...NullableDecimalText, description: 'Mid of the latest quote; null while there is none.' },
    livePriceQuality: nullableChoice(QUALITIES, 'Only `live` may become an order.'),
    livePriceAt: nullable('string', 'When the price was observed, ISO 8601.'),
    referencePrice: { ...NullableDecimalText, description: 'Reference price of the underlying share.' },
    issuerMark: { ...NullableDecimalText, description: 'Share price of the latest verified private mark (spec section 2.4).' },
    gapPct: nullable('number', 'Fair-value gap or gap to mark in percent (spec sections 2.3, 2.4).'),
  },
  { $id: 'CatalogEntry' },
);

function latestOf(doors: ApiDoors, key: InstrumentKey | null): Quote | ReferencePrice | undefined {
  return key === null ? undefined : doors.quotes.latest(splitInstrumentKey(key))[0];
}

function entryBody(doors: ApiDoors, entry: CatalogEntry) {
  const quote = latestOf(doors, entry.key);
  const benchmark = latestOf(doors, entry.benchmark);
  const livePrice = quote?.kind === 'quote' ? midPrice(quote.bid, quote.ask) : null;
  const benchmarkPrice = benchmark?.kind === 'reference' ? benchmark.referencePrice : null;
  const byMark = entry.benchmarkKind === 'issuer_mark';
  const gapOf = byMark ? gapToMarkPct : premiumPct;
  return {
    key: entry.key,
    venue: entry.venue,
    instrument: entry.instrument,
    kind: entry.kind,
    name: entry.name,
    sector: entry.sector,
    classification: entry.classification,
    underlying: entry.underlying,
    quoteCurrency: entry.quoteCurrency,
    pairs: entry.pairs,
    mint: entry.token?.mint ?? null,
    decimals: entry.token?.decimals ?? null,
    benchmark: entry.benchmark,
    benchmarkKind: entry.benchmarkKind,
    pairedPerp: entry.pairedPerp,
    pairedSpot: entry.pairedSpot,
    livePrice,
    livePriceQuality: quote?.quality ?? null,
    livePriceAt: quote === undefined ? null : isoTime(quote.observedAt),
    referencePrice: byMark ? null : benchmarkPrice,
    issuerMark: byMark ? benchmarkPrice : null,
    gapPct: livePrice === null || benchmarkPrice === null ? null : gapOf(livePrice, benchmarkPrice),
  };
}

export const listCatalog = defineRoute({
  method: 'GET',
  url: '/v1/catalog',
  name: 'listCatalog',
  tag: 'market',
  summary: 'Every instrument that an agent may name',
  cost: 'read',
  schema: {
    querystring: objectOf({ venue: Type.Optional(ExecutableVenueWord), kind: Type.Optional(KindWord), ...pageFields }),
  },
  answers: { 200: { description: 'A page of the catalog, by venue and instrument.', schema: pageOf(CatalogEntryBody) } },
  refusals: [],
  handle: (doors) => (request) => {
    const { venue, kind } = request.query;
    const { limit, after } = pageOfQuery(request.query, 'catalog', POSITIONS.instrument);
    const found = doors.catalog.entries
      .filter((entry) => (venue === undefined || entry.venue === venue) && (kind === undefined || entry.kind === kind))
      .sort((a, b) => (a.key < b.key ? -1 : 1));
    const begin = after === null ? 0 : found.findIndex((entry) => entry.key > after);
    const items = begin < 0 ? [] : found.slice(begin, begin + limit);
    const last = items.at(-1);
    const next = last !== undefined && begin + limit < found.length ? last.key : null;
    return pageBody({ items, next }, 'catalog', (entry) => entryBody(doors, entry));
  },
});
