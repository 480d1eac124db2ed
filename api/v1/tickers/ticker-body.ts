/** Day statistics on the wire, with their age and quality. */
import { Type } from 'typebox';
import type { DayTicker, VenueState } from '../../../src/domain/market/market-state.ts';
import { type EpochMs, isoTime } from '../../../src/domain/values/time.ts';
import { limitsOf, qualityLimits } from '../../../streams/quality/quality-limits.ts';
import { stateQuality } from '../../../streams/quality/state-quality.ts';
import { choice, DecimalText, QualityFlags, QualityWord, Time } from '../../shapes.ts';

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
  const { ageMs, quality, flags } = stateQuality(ticker, venueState, at, limitsOf(qualityLimits(), ticker.venue, ticker.source).maxAgeMs);
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
