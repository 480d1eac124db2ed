/** The past of the sandbox's market without its venues: bars and facts as the simulators would tell them, and no budget to wait for. */

import type { FundingRate } from '../../../streams/candle-keeper.ts';
import type { Candle } from '../../domain/candles/candle.ts';
import { type DecimalString, plainDecimal } from '../../domain/values/decimal.ts';
import { DAY_MS, type EpochMs, HOUR_MS, timeframeMs } from '../../domain/values/time.ts';
import { halfSpreadBps } from '../../domain/market/quote.ts';
import type { InstrumentKey } from '../../domain/market/venue.ts';
import type { Market } from './market.ts';
import type { MarketWords } from './market-words.ts';

/** The depth of a pool turns within half a day; what is known of depths and spreads is as old as this at most. */
const READING_MS = 4 * HOUR_MS;

/** Closed bars of one face of an asset with from <= openTime < to; `spelled` writes prices as the venue does. @throws RangeError if the market has no such asset. */
export function barsOf(
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

/** Hourly funding of an asset's perpetual, paid at from < at <= to; `scale` is what its dex makes of the venue's. */
export function fundingOf(market: Market, symbol: string, scale: number, from: EpochMs, to: EpochMs): FundingRate[] {
  const rates: FundingRate[] = [];
  for (let at = (Math.floor(from / HOUR_MS) + 1) * HOUR_MS; at <= to; at += HOUR_MS)
    rates.push({ at, hourlyFunding: plainDecimal((market.perp(symbol, at).hourlyFunding * scale).toFixed(10)) });
  return rates;
}

/** A number and from when on it was known. */
interface Known {
  readonly receivedAt: EpochMs;
  readonly value: DecimalString;
}

/** Each publication of an issuer's mark that was new on some day of a stretch. */
export function marksOf(market: Market, symbol: string, from: EpochMs, to: EpochMs): Known[] {
  const marks: Known[] = [];
  for (let at = from; at <= to; at += DAY_MS) {
    const { price, updatedAt } = market.reference(symbol, at);
    if (marks.at(-1)?.receivedAt !== updatedAt) marks.push({ receivedAt: updatedAt, value: plainDecimal(price) });
  }
  return marks;
}

/** The depth of a token's pools at times of a stretch. */
export function depthsOf(market: Market, symbol: string, from: EpochMs, to: EpochMs): Known[] {
  return readings(from, to, (at) => market.token(symbol, at).liquidityUsd);
}

/** Half of an instrument's spread at times of a stretch, in basis points; empty if the market does not price it. */
export function halfSpreadsOf(words: Pick<MarketWords, 'quote'>, key: InstrumentKey, from: EpochMs, to: EpochMs): Known[] {
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
