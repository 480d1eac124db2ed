/** Perpetuals: mark, oracle, funding and open interest, only from their own venue. */
import { Type } from 'typebox';
import type { FundingReads } from '../../../src/adapters/venues/evmvenue/perp-reads.ts';
import type { VenueState } from '../../../src/domain/market/market-state.ts';
import type { PerpContext, Quote, ReferencePrice } from '../../../src/domain/market/quote.ts';
import { midPrice } from '../../../src/domain/market/valuation.ts';
import { instrumentKey } from '../../../src/domain/market/venue.ts';
import { Decimal, plainDecimal } from '../../../src/domain/values/decimal.ts';
import { type EpochMs, HOUR_MS, isoTime, startOfSlot } from '../../../src/domain/values/time.ts';
import { qualityLimits } from '../../../streams/quality/quality-limits.ts';
import { stateQuality } from '../../../streams/quality/state-quality.ts';
import { POSITIONS, pageBody, pageOfKeyed, pageOfQuery } from '../../cursor.ts';
import { sendProblem } from '../../problem.ts';
import { defineRoute } from '../../route.ts';
import {
  choice,
  DecimalText,
  NullableDecimalText,
  NullableTime,
  nullable,
  objectSchema,
  pageFields,
  pageSchema,
  QualityFlags,
  QualityWord,
  Time,
} from '../../shapes.ts';
import { knownInstrument, NO_INSTRUMENT } from './known-instrument.ts';
import { listStates, findVenueState } from './state-reads.ts';

declare module '../../route.ts' {
  interface ApiPorts {
    readonly funding: FundingReads;
  }
}

const HOURS_PER_YEAR = 8_760;

const TopOfBook = Type.Object({
  bid: NullableDecimalText,
  ask: NullableDecimalText,
  bidSize: NullableDecimalText,
  askSize: NullableDecimalText,
  mid: NullableDecimalText,
  source: Type.String(),
  observedAt: Time,
  ageMs: Type.Integer(),
  quality: QualityWord,
  flags: QualityFlags,
});

const perpFields = {
  venue: choice(['evmvenue']),
  instrument: Type.String(),
  source: Type.String(),
  observedAt: { ...Time, description: 'The venue sends no time with these numbers: when they came.' },
  receivedAt: Time,
  ageMs: Type.Integer(),
  quality: QualityWord,
  flags: QualityFlags,
  markPrice: DecimalText,
  oraclePrice: DecimalText,
  basisPct: { ...DecimalText, description: 'Mark over oracle, in percent.' },
  hourlyFunding: { ...DecimalText, description: 'A fraction per hour; positive where longs pay shorts.' },
  annualFundingPct: { ...DecimalText, description: 'The same rate for 8760 hours, in percent, not compounded.' },
  nextFundingAt: Time,
  openInterest: { ...DecimalText, description: 'In base units, one side.' },
  openInterestNotional: { ...DecimalText, description: 'At the mark price, in quote units.' },
  dayNotional: { ...DecimalText, description: 'Traded in the last 24 hours, in quote units.' },
  top: Type.Unsafe<unknown>({
    anyOf: [TopOfBook, { type: 'null' }],
    description: 'The top of the book; null if none was received yet.',
  }),
};
export const PerpBody = Type.Object(perpFields, { $id: 'Perp' });

/** Returns a perpetual at an instant. `quote` is the venue's own newest quote of it. */
export function perpBody(context: PerpContext, quote: Quote | ReferencePrice | null, venueState: VenueState | null, at: EpochMs) {
  const { ageMs, quality, flags } = stateQuality(context, venueState, at, qualityLimits().perpContextMaxAgeMs);
  const mark = new Decimal(context.markPrice);
  const percent = (value: Decimal): string => plainDecimal(value.times(100).toDecimalPlaces(6));
  return {
    venue: context.venue,
    instrument: context.instrument,
    source: context.source,
    observedAt: isoTime(context.observedAt),
    receivedAt: isoTime(context.receivedAt),
    ageMs,
    quality,
    flags,
    markPrice: context.markPrice,
    oraclePrice: context.oraclePrice,
    basisPct: percent(mark.div(context.oraclePrice).minus(1)),
    hourlyFunding: context.hourlyFunding,
    annualFundingPct: percent(new Decimal(context.hourlyFunding).times(HOURS_PER_YEAR)),
    nextFundingAt: isoTime(startOfSlot(at, HOUR_MS) + HOUR_MS),
    openInterest: context.openInterest,
    openInterestNotional: plainDecimal(mark.times(context.openInterest)),
    dayNotional: context.dayNotional,
    top: quote?.kind === 'quote' ? topBody(quote, at) : null,
  };
}

function topBody(quote: Quote, at: EpochMs) {
  return {
    bid: quote.bid,
    ask: quote.ask,
    bidSize: quote.bidSize,
    askSize: quote.askSize,
    mid: midPrice(quote.bid, quote.ask),
    source: quote.source,
    observedAt: isoTime(quote.observedAt),
    ageMs: Math.max(0, at - Math.min(quote.observedAt, quote.receivedAt)),
    quality: quote.quality,
    flags: quote.flags,
  };
}

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
    querystring: objectSchema({
      instrument: Type.Optional(Type.String({ minLength: 1, maxLength: 64, description: "The venue's name of it, for example `BTC`." })),
      ...pageFields,
    }),
  },
  answers: { 200: { description: 'A page of perpetuals.', schema: pageSchema(PerpBody) } },
  refusals: [],
  handle: (ports) => (request) => {
    const { instrument } = request.query;
    const page = pageOfQuery(request.query, 'perps', POSITIONS.instrument);
    const found = listStates(ports.venues.states, 'perp_context').filter(
      (perp) => instrument === undefined || perp.instrument === instrument,
    );
    const venueState = findVenueState(ports.venues.states, 'evmvenue');
    const at = ports.clock.now();
    const quotes = new Map(ports.quotes.latest({ venue: 'evmvenue' }).map((quote) => [quote.instrument, quote]));
    return pageBody(
      pageOfKeyed(found, (perp) => instrumentKey(perp.venue, perp.instrument), page),
      'perps',
      (perp) => perpBody(perp, quotes.get(perp.instrument) ?? null, venueState, at),
    );
  },
});

const DEFAULT_HOURS = 24;

const PerpDetailBody = Type.Object(
  {
    ...perpFields,
    funding: Type.Object({
      items: Type.Array(Type.Object({ at: Time, hourlyFunding: DecimalText }), {
        description: 'Funding rates that were paid, newest first.',
      }),
      hours: Type.Integer({ description: 'Start of the requested period.' }),
      fetchedAt: { ...NullableTime, description: "Time of the venue's answer, or null without one." },
      ageMs: nullable('integer'),
      problem: nullable('string', 'Reason the history is unavailable, or null.'),
    }),
  },
  { $id: 'PerpDetail' },
);

export const getPerp = defineRoute({
  method: 'GET',
  url: '/v1/perps/:instrument',
  name: 'getPerp',
  tag: 'market',
  summary: 'One perpetual, with its recent funding',
  permission: 'market:read',
  cost: 'read',
  schema: {
    params: objectSchema({ instrument: Type.String({ minLength: 1, maxLength: 64 }) }),
    querystring: objectSchema({
      hours: Type.Optional(Type.Integer({ minimum: 1, maximum: 720, default: DEFAULT_HOURS, description: 'Hours of funding history.' })),
    }),
  },
  answers: { 200: { description: 'The perpetual.', schema: PerpDetailBody } },
  refusals: ['not_found'],
  handle: (ports) => async (request, reply) => {
    const { instrument } = request.params;
    const hours = request.query.hours ?? DEFAULT_HOURS;
    if (!knownInstrument(ports.catalog.entries, 'evmvenue', instrument)) return sendProblem(reply, 'not_found', NO_INSTRUMENT);
    const context = ports.venues.states.latest(`perp_context evmvenue:${instrument}`);
    if (context?.kind !== 'perp_context') return sendProblem(reply, 'unavailable', `nothing was received of ${instrument} on evmvenue yet`);
    const history = await ports.funding.recent(instrument, hours);
    const at = ports.clock.now();
    const [quote = null] = ports.quotes.latest({ venue: 'evmvenue', instrument });
    return {
      ...perpBody(context, quote, findVenueState(ports.venues.states, 'evmvenue'), at),
      funding: history.ok
        ? {
            items: history.value.rates.map((rate) => ({ at: isoTime(rate.at), hourlyFunding: rate.hourlyFunding })).reverse(),
            hours,
            fetchedAt: isoTime(history.value.fetchedAt),
            ageMs: Math.max(0, at - history.value.fetchedAt),
            problem: null,
          }
        : { items: [], hours, fetchedAt: null, ageMs: null, problem: history.refusal.detail },
    };
  },
});
