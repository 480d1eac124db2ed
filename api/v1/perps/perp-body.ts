/** Figures of a perpetual on the wire, only from its own venue. */
import { Type } from 'typebox';
import { Decimal, plainDecimal } from '../../../src/domain/values/decimal.ts';
import type { VenueState } from '../../../src/domain/market/market-state.ts';
import type { PerpContext, Quote, ReferencePrice } from '../../../src/domain/market/quote.ts';
import { type EpochMs, HOUR_MS, isoTime, slotOf } from '../../../src/domain/values/time.ts';
import { midPrice } from '../../../src/domain/market/valuation.ts';
import { qualityLimits } from '../../../streams/quality/quality-limits.ts';
import { stateQuality } from '../../../streams/quality/state-quality.ts';
import { choice, DecimalText, NullableDecimalText, QualityFlags, QualityWord, Time } from '../../shapes.ts';

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

export const perpFields = {
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
    nextFundingAt: isoTime(slotOf(at, HOUR_MS) + HOUR_MS),
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
