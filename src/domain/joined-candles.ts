/** Longer bars out of shorter ones. */
import type { Candle } from './candle.ts';
import { Decimal, plainDecimal } from './decimal.ts';

/** Joins bars of a shorter timeframe into longer ones, aligned to the epoch. A stretch without bars stays without. */
export function joinCandles(candles: readonly Candle[], lengthMs: number): Candle[] {
  const joined: Candle[] = [];
  for (const candle of candles) {
    const openTime = Math.floor(candle.openTime / lengthMs) * lengthMs;
    const last = joined[joined.length - 1];
    if (last === undefined || last.openTime !== openTime) {
      joined.push({ openTime, open: candle.open, high: candle.high, low: candle.low, close: candle.close, volume: candle.volume });
      continue;
    }
    joined[joined.length - 1] = {
      openTime,
      open: last.open,
      high: Decimal.max(last.high, candle.high).toFixed(),
      low: Decimal.min(last.low, candle.low).toFixed(),
      close: candle.close,
      volume: plainDecimal(new Decimal(last.volume).plus(candle.volume)),
    };
  }
  return joined;
}
