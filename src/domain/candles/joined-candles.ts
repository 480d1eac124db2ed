/** Joins shorter bars into longer ones. */
import type { Candle } from './candle.ts';
import { Decimal, plainDecimal } from '../values/decimal.ts';
import type { EpochMs } from '../values/time.ts';

/** Joins bars of a shorter timeframe into longer ones, aligned to the epoch. A range without bars stays empty. */
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

/**
 * Joins bars like `joinCandles`, without longer bars of which a part is missing. @param candles Ascending, of `barMs`. @param lengthMs A
 * multiple of `barMs`. @param mayLack True if the bar that opens then may be missing because nothing could trade.
 */
export function joinWholeCandles(
  candles: readonly Candle[],
  barMs: number,
  lengthMs: number,
  mayLack: (openTime: EpochMs) => boolean = () => false,
): Candle[] {
  const joined: Candle[] = [];
  for (let first = 0; first < candles.length; ) {
    const openTime = Math.floor((candles[first] as Candle).openTime / lengthMs) * lengthMs;
    let end = first;
    let isWhole = true;
    for (let part = openTime; part < openTime + lengthMs; part += barMs) {
      if (candles[end]?.openTime === part) end++;
      else isWhole &&= mayLack(part);
    }
    if (isWhole) joined.push(...joinCandles(candles.slice(first, end), lengthMs));
    // A bar off the grid belongs to no longer bar.
    first = Math.max(end, first + 1);
  }
  return joined;
}
