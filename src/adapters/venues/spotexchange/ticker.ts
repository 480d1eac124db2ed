/** The spot exchange's rolling 24-hour statistics (spec section 4.4). */

import type { Clock } from '../../../../streams/clock.ts';
import type { DecimalString } from '../../../domain/decimal.ts';
import type { EpochMs } from '../../../domain/time.ts';
import type { VenueHttp } from '../venue-http.ts';
import { isCount, wireDecimal } from '../wire-decimal.ts';
import { badAnswer } from './rest.ts';

/** The last 24 hours of one instrument, rolling: not the UTC day. Prices in quote units, `volume` in base, `quoteVolume` in quote units. */
export interface DayTicker {
  readonly venue: 'spotexchange';
  readonly instrument: string;
  readonly receivedAt: EpochMs;
  readonly openTime: EpochMs;
  readonly closeTime: EpochMs;
  readonly priceChange: DecimalString;
  readonly priceChangePct: DecimalString;
  readonly weightedAveragePrice: DecimalString;
  readonly openPrice: DecimalString;
  readonly highPrice: DecimalString;
  readonly lowPrice: DecimalString;
  readonly lastPrice: DecimalString;
  readonly volume: DecimalString;
  readonly quoteVolume: DecimalString;
  readonly trades: number;
}

/** Asks for one instrument's statistics. @throws VenueError -1121 for an unknown instrument, `bad_answer` for nonsense. */
export async function fetchDayTicker(rest: VenueHttp, clock: Clock, instrument: string): Promise<DayTicker> {
  const answer = (await rest.get('/api/v3/ticker/24hr', { symbol: instrument }, 2)) as Record<string, unknown> | null;
  if (typeof answer !== 'object' || answer === null || answer['symbol'] !== instrument)
    throw badAnswer('ticker/24hr', `no statistics of ${instrument}`);
  const decimal = (name: string): DecimalString => {
    const value = wireDecimal(answer[name]);
    if (value === null) throw badAnswer('ticker/24hr', `${name} is no plain decimal`);
    return value;
  };
  const count = (name: string): number => {
    const value = answer[name];
    if (!isCount(value)) throw badAnswer('ticker/24hr', `${name} is no whole number`);
    return value;
  };
  return {
    venue: 'spotexchange',
    instrument,
    receivedAt: clock.now(),
    openTime: count('openTime'),
    closeTime: count('closeTime'),
    priceChange: decimal('priceChange'),
    priceChangePct: decimal('priceChangePercent'),
    weightedAveragePrice: decimal('weightedAvgPrice'),
    openPrice: decimal('openPrice'),
    highPrice: decimal('highPrice'),
    lowPrice: decimal('lowPrice'),
    lastPrice: decimal('lastPrice'),
    volume: decimal('volume'),
    quoteVolume: decimal('quoteVolume'),
    trades: count('count'),
  };
}
