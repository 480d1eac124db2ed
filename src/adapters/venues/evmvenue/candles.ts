/**
 * Candle history of the perpetuals venue, limited to the most recent 5000 bars of each interval.
 * See docs/reference/outside/perpetuals-venue.md.
 */
import type { Clock } from '../../../../streams/clock/clock.ts';
import type { Candle } from '../../../domain/candles/candle.ts';
import { timeframeMs } from '../../../domain/values/time.ts';
import { valueText } from '../../../domain/values/value-text.ts';
import { knownFields } from '../known-fields.ts';
import { type CandleSource, VenueError } from '../venue-feed.ts';
import type { VenueHttp } from '../venue-http.ts';
import { badAnswer } from './info.ts';
import { BAR, perpCandle } from './map.ts';

const PAGE_FIELDS = knownFields('hyperliquid:candleSnapshot', BAR);

/** Maximum number of bars in one answer, and in the whole history. */
export const REACHABLE_BARS = 5_000;

/** Venue's intervals by the product's timeframes. */
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
  '8h': '8h',
  '12h': '12h',
  '24h': '1d',
};

/** Returns the venue's interval of a timeframe. @throws VenueError `invalid_interval` if it has none */
export function toInterval(timeframe: string): string {
  const interval = Object.hasOwn(INTERVALS, timeframe) ? INTERVALS[timeframe] : undefined;
  if (interval === undefined) {
    throw new VenueError(
      'evmvenue',
      400,
      'invalid_interval',
      `the venue has no "${timeframe}"; it has ${Object.keys(INTERVALS).join(', ')}`,
    );
  }
  return interval;
}

/**
 * Creates the history on the shared information client. Beyond 5000 bars the answer begins later than requested, so only intervals of 12h
 * or longer reach back five years.
 */
export function createPerpCandles(http: VenueHttp, clock: Clock): CandleSource {
  return {
    venue: 'evmvenue',
    pageSize: REACHABLE_BARS,
    async fetchCandles(instrument, timeframe, from, to) {
      const interval = toInterval(timeframe);
      const barMs = timeframeMs(timeframe) as number;
      const candles: Candle[] = [];
      let startTime = Math.max(0, from);
      while (startTime < to) {
        const bars = Math.min(REACHABLE_BARS, Math.ceil((to - startTime) / barMs));
        const page = await http.post(
          '/info',
          { type: 'candleSnapshot', req: { coin: instrument, interval, startTime, endTime: to - 1 } },
          20 + Math.ceil(bars / 60),
          PAGE_FIELDS,
        );
        if (!Array.isArray(page)) throw badAnswer('candleSnapshot', 'not a list');
        const now = clock.now();
        let last = -1;
        for (const row of page as unknown[]) {
          const candle = perpCandle(row);
          const { s, i } = (row ?? {}) as Record<string, unknown>;
          if (s !== instrument || i !== interval)
            throw badAnswer('candleSnapshot', `bars of ${valueText(s, 40)} ${valueText(i, 10)}, asked for were ${instrument} ${interval}`);
          if (candle === null)
            throw badAnswer('candleSnapshot', `a bar with a price, volume or time that cannot be: ${JSON.stringify(row).slice(0, 120)}`);
          if (candle.openTime <= last) throw badAnswer('candleSnapshot', 'bars are not ascending');
          last = candle.openTime;
          // The venue also returns the bar that contains `startTime`.
          if (candle.openTime >= startTime && candle.openTime < to && candle.openTime + barMs <= now) candles.push(candle);
        }
        if (page.length < REACHABLE_BARS || last + barMs <= startTime) break;
        startTime = last + barMs;
      }
      return candles;
    },
  };
}
