/** Candle history of the spot exchange in pages of 1000 klines. See docs/reference/outside/spot-exchange.md. */

import type { Clock } from '../../../../streams/clock/clock.ts';
import type { Candle } from '../../../domain/candles/candle.ts';
import { timeframeMs } from '../../../domain/values/time.ts';
import { type CandleSource, VenueError } from '../venue-feed.ts';
import type { VenueHttp } from '../venue-http.ts';
import { wireCandle } from './map.ts';
import { badAnswer } from './rest.ts';

const PAGE_SIZE = 1_000;
const WEIGHT = 2;

/** Supported timeframes in the venue's notation. */
export const INTERVALS: Readonly<Record<string, string>> = {
  '1m': '1m',
  '3m': '3m',
  '5m': '5m',
  '15m': '15m',
  '30m': '30m',
  '60m': '1h',
  '1h': '1h',
  '2h': '2h',
  '4h': '4h',
  '6h': '6h',
  '8h': '8h',
  '12h': '12h',
  '24h': '1d',
};

/** Returns the venue's interval of a timeframe. @throws VenueError -1120 if it has none */
export function toInterval(timeframe: string): string {
  const interval = Object.hasOwn(INTERVALS, timeframe) ? INTERVALS[timeframe] : undefined;
  if (interval === undefined) {
    throw new VenueError(
      'spotexchange',
      400,
      '-1120',
      `Invalid interval "${timeframe}"; the venue has ${Object.keys(INTERVALS).join(', ')}`,
    );
  }
  return interval;
}

/** Creates the source of candles. The unfinished bar is never included. */
export function createSpotCandles(rest: VenueHttp, clock: Clock): CandleSource {
  return {
    venue: 'spotexchange',
    pageSize: PAGE_SIZE,
    async fetchCandles(instrument, timeframe, from, to) {
      const interval = toInterval(timeframe);
      const barMs = timeframeMs(timeframe) as number;
      const candles: Candle[] = [];
      let startTime = Math.max(0, from);
      while (startTime < to) {
        const page = await rest.get(
          '/api/v3/klines',
          { symbol: instrument, interval, startTime, endTime: to - 1, limit: PAGE_SIZE },
          WEIGHT,
        );
        if (!Array.isArray(page)) throw badAnswer('klines', 'not an array');
        const now = clock.now();
        let last = startTime - 1;
        for (const row of page as unknown[]) {
          if (!Array.isArray(row)) throw badAnswer('klines', 'a bar is not an array');
          const candle = wireCandle(row[0], [row[1], row[2], row[3], row[4], row[5]]);
          if (candle === null)
            throw badAnswer('klines', `a bar with a price, volume or time that cannot be: ${JSON.stringify(row).slice(0, 120)}`);
          if (candle.openTime <= last) throw badAnswer('klines', 'bars are not ascending');
          last = candle.openTime;
          if (candle.openTime + barMs <= now && candle.openTime < to) candles.push(candle);
        }
        if (page.length < PAGE_SIZE) break;
        startTime = last + barMs;
      }
      return candles;
    },
  };
}
