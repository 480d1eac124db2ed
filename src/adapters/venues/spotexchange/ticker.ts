/** Rolling 24-hour statistics of the spot exchange. See docs/reference/outside/spot-exchange.md. */

import type { Clock } from '../../../../streams/clock/clock.ts';
import type { DecimalString } from '../../../domain/values/decimal.ts';
import type { DayTicker } from '../../../domain/market/market-state.ts';
import { knownFields } from '../known-fields.ts';
import type { VenueHttp } from '../venue-http.ts';
import { isCount, wireDecimal } from '../wire-decimal.ts';
import { badAnswer } from './rest.ts';

const REST_TICKER_SOURCE = 'binance:ticker/24hr';
const REST_TICKER_FIELDS = knownFields(
  REST_TICKER_SOURCE,
  'symbol priceChange priceChangePercent weightedAvgPrice prevClosePrice lastPrice lastQty bidPrice bidQty askPrice askQty openPrice ' +
    'highPrice lowPrice volume quoteVolume openTime closeTime firstId lastId count',
);

/** Fetches an instrument's statistics. @throws VenueError -1121 for an unknown instrument, `bad_answer` for an unreadable answer */
export async function fetchDayTicker(rest: VenueHttp, clock: Clock, instrument: string): Promise<DayTicker> {
  const answer = (await rest.get('/api/v3/ticker/24hr', { symbol: instrument }, 2, REST_TICKER_FIELDS)) as Record<string, unknown> | null;
  if (typeof answer !== 'object' || answer === null || answer['symbol'] !== instrument)
    throw badAnswer('ticker/24hr', `no statistics of ${instrument}`);
  const decimal = (name: string): DecimalString => {
    const value = wireDecimal(answer[name]);
    if (value === null) throw badAnswer('ticker/24hr', `${name} is not a plain decimal`);
    return value;
  };
  const count = (name: string): number => {
    const value = answer[name];
    if (!isCount(value)) throw badAnswer('ticker/24hr', `${name} is no whole number`);
    return value;
  };
  const receivedAt = clock.now();
  const closeTime = count('closeTime');
  return {
    kind: 'day_ticker',
    venue: 'spotexchange',
    instrument,
    source: REST_TICKER_SOURCE,
    // The window ends at the time of the answer.
    observedAt: closeTime,
    receivedAt,
    openTime: count('openTime'),
    closeTime,
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
