/** Bars of timeframes that a venue does not offer, joined from the longest ones that it does. */
import type { Candle } from '../../domain/candles/candle.ts';
import { joinWholeCandles } from '../../domain/candles/joined-candles.ts';
import { type EpochMs, timeframeMs } from '../../domain/values/time.ts';
import type { CandleSource } from './venue-feed.ts';

/**
 * Returns the offered timeframe from which bars of `timeframe` are built: itself, or the longest of which it is a multiple, or null.
 */
export function findParts(timeframe: string, offered: readonly string[]): { readonly timeframe: string; readonly each: number } | null {
  if (offered.includes(timeframe)) return { timeframe, each: 1 };
  const length = timeframeMs(timeframe);
  let longest: { readonly timeframe: string; readonly each: number } | null = null;
  for (const candidate of offered) {
    const each = length === null ? Number.NaN : length / (timeframeMs(candidate) as number);
    if (Number.isInteger(each) && (longest === null || each < longest.each)) longest = { timeframe: candidate, each };
  }
  return longest;
}

/** The source, which answers every timeframe that can be joined. A bar of which the venue lacks a part is missing. */
export function withJoinedBars(source: CandleSource, offered: readonly string[]): CandleSource {
  return {
    venue: source.venue,
    pageSize: source.pageSize,
    async fetchCandles(instrument: string, timeframe: string, from: EpochMs, to: EpochMs): Promise<readonly Candle[]> {
      const parts = findParts(timeframe, offered);
      if (parts === null || parts.each === 1) return source.fetchCandles(instrument, timeframe, from, to);
      const lengthMs = timeframeMs(timeframe) as number;
      const [first, end] = [Math.ceil(from / lengthMs) * lengthMs, Math.ceil(to / lengthMs) * lengthMs];
      const candles = await source.fetchCandles(instrument, parts.timeframe, first, end);
      return joinWholeCandles(candles, lengthMs / parts.each, lengthMs);
    },
  };
}
