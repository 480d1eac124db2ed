/** A catalog instrument on the wire: names, relations, token facts, present prices and valuations. */
import { type TObject, Type } from 'typebox';
import {
  type CatalogEntry,
  INSTRUMENT_KINDS,
  LIFECYCLES,
  lifecycleAt,
  type TokenFacts,
  VENUE_CLASSIFICATIONS,
} from '../../../src/domain/catalog/catalog.ts';
import type { IssuerMarkState } from '../../../src/domain/catalog/issuer-mark.ts';
import { QUALITIES, type Quality, type Quote, type ReferencePrice } from '../../../src/domain/market/quote.ts';
import { gapToMarkPct, impliedValuation, midPrice, premiumPct } from '../../../src/domain/market/valuation.ts';
import { type InstrumentKey, splitInstrumentKey } from '../../../src/domain/market/venue.ts';
import { plainDecimal } from '../../../src/domain/values/decimal.ts';
import { type EpochMs, isoTime } from '../../../src/domain/values/time.ts';
import type { ApiPorts } from '../../route.ts';
import { choice, ExecutableVenueWord, NullableDecimalText, NullableTime, nullable, nullableChoice } from '../../shapes.ts';

export const KindWord = choice(INSTRUMENT_KINDS);

const TokenBody = Type.Object({
  mint: Type.String({ description: 'The verified mint on the primary chain.' }),
  program: Type.String({ description: 'The token program that owns the mint.' }),
  decimals: Type.Integer(),
  multiplier: Type.String({ description: 'UI units per 10^-decimals raw units at this moment (scaled UI amount).' }),
  nextMultiplier: nullable('string', 'The multiplier that is scheduled; null if none is.'),
  nextMultiplierAt: { ...NullableTime, description: 'From when it holds, ISO 8601.' },
  transferFeeBps: Type.Integer({ description: 'Fee that the mint takes of each transfer, in basis points.' }),
  lifecycle: choice(LIFECYCLES, '`upcoming` and `retired` mints are neither quoted nor traded.'),
  validFrom: nullable('string', 'ISO 8601; null if no beginning is known.'),
  validTo: nullable('string', 'The first instant at which the mint is not traded any more; null if no end is known.'),
  successor: Type.Unsafe<{ symbol: string; mint: string; convertsFrom: string } | null>({
    type: ['object', 'null'],
    required: ['symbol', 'mint', 'convertsFrom'],
    properties: { symbol: { type: 'string' }, mint: { type: 'string' }, convertsFrom: { type: 'string' } },
    description: 'The token that holders are given for it.',
  }),
});

export const CatalogEntryBody = Type.Object(
  {
    key: Type.String({ examples: ['spotchain:AAPLx'] }),
    venue: ExecutableVenueWord,
    instrument: Type.String(),
    kind: KindWord,
    name: Type.String(),
    sector: Type.String(),
    classification: nullableChoice(VENUE_CLASSIFICATIONS, 'Asset class on the primary chain.'),
    underlying: Type.String(),
    quoteCurrency: choice(['USD', 'USDC', 'USDT']),
    pairs: Type.Array(Type.String(), { description: 'Other spellings that a manifest may use.' }),
    mint: nullable('string', 'The verified mint on the primary chain.'),
    decimals: nullable('integer'),
    token: Type.Unsafe<ReturnType<typeof tokenBody> | null>({ ...(TokenBody as TObject), type: ['object', 'null'] }),
    benchmark: nullable('string', 'Reference that it is compared with.'),
    benchmarkKind: nullableChoice(['reference_price', 'issuer_mark']),
    pairedPerp: nullable('string'),
    pairedSpot: nullable('string'),
    pairedStock: nullable('string', 'The tokenized share that an agent token was launched against.'),
    livePrice: { ...NullableDecimalText, description: 'Mid of the latest quote; null while there is none.' },
    livePriceQuality: nullableChoice(QUALITIES, 'Only `live` may become an order.'),
    livePriceAt: { ...NullableTime, description: 'Time of the observation, ISO 8601.' },
    referencePrice: { ...NullableDecimalText, description: 'Reference price of the underlying share.' },
    referenceSource: nullable('string', 'Source of the price. A second source has its own name and is never `live`.'),
    referenceQuality: nullableChoice(QUALITIES, 'Only a `live` reference supports a fair-value policy.'),
    referenceUpdatedAt: { ...NullableTime, description: "The provider's own time of the price, ISO 8601." },
    referenceAgeMs: nullable('integer', 'Reference freshness: now minus that time.'),
    issuerMark: { ...NullableDecimalText, description: 'Share price of the latest verified private mark.' },
    issuerMarkValuation: { ...NullableDecimalText, description: 'Valuation of that mark in US dollars.' },
    issuerMarkQuality: nullableChoice(
      QUALITIES,
      '`stale` where the mark is older than 30 days, `degraded` where its issuer does not name it now.',
    ),
    issuerMarkSource: nullable('string'),
    issuerMarkFirstSeenAt: { ...NullableTime, description: 'Time at which the first mark of the token was received.' },
    issuerMarkChangedAt: { ...NullableTime, description: 'Time at which this mark was first received, from which its age counts.' },
    issuerMarkConfirmedAt: { ...NullableTime, description: "Time of the issuer's last publication of it." },
    mintVerified: nullable('boolean', "True if the issuer names the catalog's mint now; null if no issuer is asked."),
    supply: { ...NullableDecimalText, description: 'UI units in existence, by the issuer.' },
    impliedValuation: { ...NullableDecimalText, description: 'Live price x (mark valuation / mark price), in US dollars.' },
    gapPct: nullable('number', 'Fair-value gap or gap to mark in percent.'),
  },
  { $id: 'CatalogEntry' },
);

function formatTime(at: EpochMs | null | undefined): string | null {
  return at === null || at === undefined ? null : isoTime(at);
}

function tokenBody(token: TokenFacts, at: EpochMs) {
  const isPending = at < token.newMultiplierEffectiveAt;
  return {
    mint: token.mint,
    program: token.program,
    decimals: token.decimals,
    multiplier: plainDecimal(isPending ? token.multiplier : token.newMultiplier),
    nextMultiplier: isPending ? plainDecimal(token.newMultiplier) : null,
    nextMultiplierAt: isPending ? isoTime(token.newMultiplierEffectiveAt) : null,
    transferFeeBps: token.transferFeeBps,
    lifecycle: lifecycleAt(token, at),
    validFrom: formatTime(token.validFrom),
    validTo: formatTime(token.validTo),
    successor:
      token.successor === null
        ? null
        : { symbol: token.successor.symbol, mint: token.successor.mint, convertsFrom: isoTime(token.successor.convertsFrom) },
  };
}

function findLatest(ports: ApiPorts, key: InstrumentKey | null): Quote | ReferencePrice | undefined {
  return key === null ? undefined : ports.quotes.latest(splitInstrumentKey(key))[0];
}

/** Returns the issuer's mark of an entry with its valuation, or null if none was received. */
function findMark(ports: ApiPorts, entry: CatalogEntry): IssuerMarkState | null {
  if (entry.benchmarkKind !== 'issuer_mark') return null;
  const state = ports.venues.states.latest(`issuer_mark ${entry.benchmark}`);
  return state?.kind === 'issuer_mark' ? state : null;
}

function referenceFields(reference: ReferencePrice | null, at: EpochMs) {
  return {
    referencePrice: reference?.referencePrice ?? null,
    referenceSource: reference?.source ?? null,
    referenceQuality: (reference?.quality ?? null) as Quality | null,
    referenceUpdatedAt: formatTime(reference?.feedUpdatedAt),
    referenceAgeMs: reference === null ? null : Math.max(0, at - reference.feedUpdatedAt),
  };
}

/** Returns the valuations of exactly the mark whose price is shown. Two marks are never mixed. */
function markFields(price: ReferencePrice | null, state: IssuerMarkState | null, livePrice: string | null) {
  const mark = state !== null && (price === null || price.referencePrice === state.markPrice) ? state : null;
  return {
    issuerMark: price?.referencePrice ?? mark?.markPrice ?? null,
    issuerMarkValuation: mark?.markValuation ?? null,
    issuerMarkQuality: (price?.quality ?? null) as Quality | null,
    issuerMarkSource: price?.source ?? mark?.source ?? null,
    issuerMarkFirstSeenAt: formatTime(mark?.firstSeenAt),
    issuerMarkChangedAt: formatTime(mark?.changedAt),
    issuerMarkConfirmedAt: formatTime(mark?.observedAt),
    mintVerified: state?.mintVerified ?? null,
    supply: mark?.supply ?? null,
    impliedValuation: mark === null || livePrice === null ? null : impliedValuation(livePrice, mark.markPrice, mark.markValuation),
  };
}

export function entryBody(ports: ApiPorts, entry: CatalogEntry) {
  const at = ports.clock.now();
  const quote = findLatest(ports, entry.key);
  const received = findLatest(ports, entry.benchmark);
  const benchmark = received?.kind === 'reference' ? received : null;
  const livePrice = quote?.kind === 'quote' ? midPrice(quote.bid, quote.ask) : null;
  const byMark = entry.benchmarkKind === 'issuer_mark';
  const marked = markFields(byMark ? benchmark : null, findMark(ports, entry), livePrice);
  const base = byMark ? marked.issuerMark : (benchmark?.referencePrice ?? null);
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
    token: entry.token === null ? null : tokenBody(entry.token, at),
    benchmark: entry.benchmark,
    benchmarkKind: entry.benchmarkKind,
    pairedPerp: entry.pairedPerp,
    pairedSpot: entry.pairedSpot,
    pairedStock: entry.pairedStock,
    livePrice,
    livePriceQuality: quote?.quality ?? null,
    livePriceAt: quote === undefined ? null : isoTime(quote.observedAt),
    ...referenceFields(byMark ? null : benchmark, at),
    ...marked,
    // Prices and valuations of one mark have the same ratio, so the gap is the same for both.
    gapPct: livePrice === null || base === null ? null : byMark ? gapToMarkPct(livePrice, base) : premiumPct(livePrice, base),
  };
}
