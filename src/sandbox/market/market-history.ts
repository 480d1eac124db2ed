/** The past of the sandbox's market without its venues: bars and facts as the simulators would tell them, and no budget to wait for. */

import type { FundingRate } from '../../../streams/candle-keeper.ts';
import type { Candle } from '../../domain/candle.ts';
import { type DecimalString, plainDecimal } from '../../domain/decimal.ts';
import { type EpochMs, timeframeMs } from '../../domain/time.ts';
import type { Market } from './market.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
/** The depth of a pool turns within half a day. */
const DEPTH_SAMPLES = 6;

/** Closed bars of one face of an asset with from <= openTime < to; `spelled` writes prices as the venue does. @throws RangeError where the market has no such asset. */
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
  if (barMs === null) throw new RangeError(`${timeframe} is no timeframe`);
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

/** The least depth of a token's pools by UTC day, known from the day's end on. */
export function depthsOf(market: Market, symbol: string, from: EpochMs, to: EpochMs): Known[] {
  const depths: Known[] = [];
  for (let day = Math.floor(from / DAY_MS) * DAY_MS; day + DAY_MS <= to; day += DAY_MS) {
    const samples = Array.from(
      { length: DEPTH_SAMPLES },
      (_, part) => market.token(symbol, day + (part * DAY_MS) / DEPTH_SAMPLES).liquidityUsd,
    );
    depths.push({ receivedAt: day + DAY_MS, value: plainDecimal(Math.min(...samples)) });
  }
  return depths;
}
