/** Candles of the simulated exchange: closed and open ones, for REST and stream. */
import type { Candle } from '../../domain/candles/candle.ts';
import { DAY_MS, type EpochMs, HOUR_MS, MINUTE_MS } from '../../domain/values/time.ts';
import type { Market } from '../market/market.ts';
import { eightDecimals } from './simulated-book.ts';

/** Candle intervals, in milliseconds. */
export const INTERVAL_MS: Readonly<Record<string, number>> = {
  '1m': MINUTE_MS,
  '3m': 3 * MINUTE_MS,
  '5m': 5 * MINUTE_MS,
  '15m': 15 * MINUTE_MS,
  '30m': 30 * MINUTE_MS,
  '1h': HOUR_MS,
  '2h': 2 * HOUR_MS,
  '4h': 4 * HOUR_MS,
  '6h': 6 * HOUR_MS,
  '8h': 8 * HOUR_MS,
  '12h': 12 * HOUR_MS,
  '1d': DAY_MS,
};

/** Returns closed candles of the market with the venue's eight decimals. */
export function closedBars(market: Market, base: string, barMs: number, from: EpochMs, to: EpochMs): Candle[] {
  return market.candles('spot', base, barMs, from, to).map((bar) => ({
    openTime: bar.openTime,
    open: eightDecimals(Number(bar.open)),
    high: eightDecimals(Number(bar.high)),
    low: eightDecimals(Number(bar.low)),
    close: eightDecimals(Number(bar.close)),
    volume: eightDecimals(Number(bar.volume)),
  }));
}

/** Returns the open candle, sampled from the market. */
export function formingBar(market: Market, base: string, openTime: EpochMs, now: EpochMs): Candle {
  const prices = [0, 0.2, 0.4, 0.6, 0.8, 1].map((part) => market.spot(base, Math.floor(openTime + (now - openTime) * part)));
  return {
    openTime,
    open: eightDecimals(prices[0] as number),
    high: eightDecimals(Math.max(...prices)),
    low: eightDecimals(Math.min(...prices)),
    close: eightDecimals(prices.at(-1) as number),
    volume: eightDecimals((now - openTime) / 1000),
  };
}

/** Formats a candle message of the stream. The time is the venue's. */
export function klineFrame(symbol: string, interval: string, bar: Candle, isClosed: boolean, at: EpochMs): object {
  const quoteVolume = eightDecimals(Number(bar.volume) * Number(bar.close));
  return {
    e: 'kline',
    E: at,
    s: symbol,
    k: {
      t: bar.openTime,
      T: bar.openTime + (INTERVAL_MS[interval] as number) - 1,
      s: symbol,
      i: interval,
      f: 100,
      L: 200,
      o: bar.open,
      c: bar.close,
      h: bar.high,
      l: bar.low,
      v: bar.volume,
      n: 100,
      x: isClosed,
      q: quoteVolume,
      V: bar.volume,
      Q: quoteVolume,
      B: '0',
    },
  };
}

/** Formats a candle like the REST endpoint. */
export function klineRow(bar: Candle, barMs: number): readonly (string | number)[] {
  const quoteVolume = eightDecimals(Number(bar.volume) * Number(bar.close));
  return [
    bar.openTime,
    bar.open,
    bar.high,
    bar.low,
    bar.close,
    bar.volume,
    bar.openTime + barMs - 1,
    quoteVolume,
    100,
    bar.volume,
    quoteVolume,
    '0',
  ];
}
