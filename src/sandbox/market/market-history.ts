/** History of the sandbox's market without venues: candles and facts as the simulators would report them, without request limits. */

import type { FundingRate } from '../../../streams/candle-keeper.ts';
import type { Candle } from '../../domain/candles/candle.ts';
import { type DecimalString, plainDecimal } from '../../domain/values/decimal.ts';
import { DAY_MS, type EpochMs, HOUR_MS, timeframeMs } from '../../domain/values/time.ts';
import { halfSpreadBps } from '../../domain/market/quote.ts';
import type { InstrumentKey } from '../../domain/market/venue.ts';
import type { Market } from './market.ts';
import type { MarketWords } from './market-words.ts';

/** Interval of depth and spread readings. A pool's depth turns within half a day. */
const READING_MS = 4 * HOUR_MS;

/**
 * Returns the closed bars of an asset with from <= openTime < to. `spelled` formats prices like the venue.
 * @throws RangeError if the market has no such asset
 */
export function computeBars(
  market: Market,
  face: Parameters<Market['candles']>[0],
  symbol: string,
  timeframe: string,
  from: EpochMs,
  to: EpochMs,
  spelled: (price: string) => string = (price) => price,
): Candle[] {
  const barMs = timeframeMs(timeframe);
  if (barMs === null) throw new RangeError(`${timeframe} is not a timeframe`);
  return market.candles(face, symbol, barMs, from, to).map(({ openTime, open, high, low, close, volume }) => ({
    openTime,
    open: plainDecimal(spelled(open)),
    high: plainDecimal(spelled(high)),
    low: plainDecimal(spelled(low)),
    close: plainDecimal(spelled(close)),
    volume: plainDecimal(volume),
  }));
}

/** Returns the hourly funding of an asset's perpetual, paid at from < at <= to. `scale` is the dex's factor on the venue's funding. */
export function computeFunding(market: Market, symbol: string, scale: number, from: EpochMs, to: EpochMs): FundingRate[] {
  const rates: FundingRate[] = [];
  for (let at = (Math.floor(from / HOUR_MS) + 1) * HOUR_MS; at <= to; at += HOUR_MS)
    rates.push({ at, hourlyFunding: plainDecimal((market.perp(symbol, at).hourlyFunding * scale).toFixed(10)) });
  return rates;
}

/** Value with the time from which it was known. */
interface Known {
  readonly receivedAt: EpochMs;
  readonly value: DecimalString;
}

/** Returns the issuer's marks published within a period, at most one per day. */
export function listMarks(market: Market, symbol: string, from: EpochMs, to: EpochMs): Known[] {
  const marks: Known[] = [];
  for (let at = from; at <= to; at += DAY_MS) {
    const { price, updatedAt } = market.reference(symbol, at);
    if (marks.at(-1)?.receivedAt !== updatedAt) marks.push({ receivedAt: updatedAt, value: plainDecimal(price) });
  }
  return marks;
}

/** Returns the depth of a token's pools at intervals of a period. */
export function computeDepths(market: Market, symbol: string, from: EpochMs, to: EpochMs): Known[] {
  return readings(from, to, (at) => market.token(symbol, at).liquidityUsd);
}

/** Returns half of an instrument's spread at intervals of a period, in basis points. Empty if the market does not price it. */
export function computeHalfSpreads(words: Pick<MarketWords, 'quote'>, key: InstrumentKey, from: EpochMs, to: EpochMs): Known[] {
  return readings(from, to, (at) => halfSpreadBps(words.quote(key, at)));
}

function readings(from: EpochMs, to: EpochMs, read: (at: EpochMs) => number | null): Known[] {
  const known: Known[] = [];
  for (let at = Math.ceil(from / READING_MS) * READING_MS; at <= to; at += READING_MS) {
    const value = read(at);
    if (value !== null) known.push({ receivedAt: at, value: plainDecimal(value) });
  }
  return known;
}
