/** Market priced from recorded bars instead of the seeded process. */
import type { Candle } from '../../domain/candles/candle.ts';
import { isDecimalString } from '../../domain/values/decimal.ts';
import { type EpochMs, MINUTE_MS } from '../../domain/values/time.ts';
import type { Market, MarketAsset } from './market.ts';
import { lastPrintMinute, sharePrints } from './market-hours.ts';

type Face = Parameters<Market['candles']>[0];

/** Recorded bars of one price of an asset, ascending. */
export interface TapeSeries {
  readonly symbol: string;
  readonly kind: MarketAsset['kind'];
  readonly face: Face;
  readonly timeframeMs: number;
  readonly candles: readonly Candle[];
}

interface TapeMarketOptions {
  readonly series: readonly TapeSeries[];
  /** Offset added to every recorded time, to replay an old tape now. Default 0. */
  readonly shiftMs?: number;
  /** Pool liquidity of every token, which bars do not contain. */
  readonly liquidityUsd?: number;
}

interface Bars {
  readonly openTimes: Float64Array;
  /** Four prices per bar in path order: open, nearer extreme, other extreme, close. */
  readonly path: Float64Array;
  readonly timeframeMs: number;
  readonly candles: readonly Candle[];
}

/** Recorded prices that replace a missing one, nearest first. */
const STAND_INS: Readonly<Record<Face, readonly Face[]>> = {
  reference: ['reference', 'spot', 'token', 'perp'],
  token: ['token', 'reference', 'spot', 'perp'],
  perp: ['perp', 'spot', 'token', 'reference'],
  spot: ['spot', 'perp', 'token', 'reference'],
};

function bars(series: TapeSeries): Bars {
  const { candles, timeframeMs, symbol } = series;
  if (candles.length === 0) throw new RangeError(`the tape of ${symbol} (${series.face}) has no bars`);
  const openTimes = new Float64Array(candles.length);
  const path = new Float64Array(candles.length * 4);
  candles.forEach((candle, index) => {
    const [open, high, low, close] = [candle.open, candle.high, candle.low, candle.close].map(Number) as [number, number, number, number];
    if (!(low > 0 && low <= open && low <= close && high >= open && high >= close)) {
      throw new RangeError(
        `the tape of ${symbol} (${series.face}) has no sound bar at ${candle.openTime}: low <= open, close <= high and all above zero`,
      );
    }
    if (index > 0 && candle.openTime <= (openTimes[index - 1] as number)) {
      throw new RangeError(`the tape of ${symbol} (${series.face}) is not ascending at ${candle.openTime}`);
    }
    openTimes[index] = candle.openTime;
    path.set(close >= open ? [open, low, high, close] : [open, high, low, close], index * 4);
  });
  return { openTimes, path, timeframeMs, candles };
}

/** Half spreads of recordings that have prices alone. */
const HALF_SPREADS = { token: 0.002_5, perp: 0.000_05, spot: 0.000_05 } as const;

/** Returns the index of the last bar that opened by `at`, or -1 before the first. */
function barAt(openTimes: Float64Array, at: EpochMs): number {
  let low = 0;
  let high = openTimes.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((openTimes[middle] as number) <= at) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/**
 * Parses bars from CSV with the header `openTime,open,high,low,close,volume`.
 * @throws RangeError naming the line and its fault
 */
export function parseCandlesCsv(text: string): Candle[] {
  const lines = text.split(/\r?\n/);
  if (lines[0] !== 'openTime,open,high,low,close,volume') {
    throw new RangeError(`line 1 must be "openTime,open,high,low,close,volume", not ${JSON.stringify(lines[0]?.slice(0, 80))}`);
  }
  const candles: Candle[] = [];
  for (let index = 1; index < lines.length; index++) {
    const line = lines[index] as string;
    if (line === '') continue;
    const cells = line.split(',');
    const [openTime, open, high, low, close, volume] = cells as [string, string, string, string, string, string];
    if (cells.length !== 6 || !/^\d{1,15}$/.test(openTime))
      throw new RangeError(`line ${index + 1} is no bar: ${JSON.stringify(line.slice(0, 80))}`);
    const wrong = [open, high, low, close, volume].find((cell) => !isDecimalString(cell));
    if (wrong !== undefined) throw new RangeError(`line ${index + 1} has ${JSON.stringify(wrong)} where a plain decimal belongs`);
    candles.push({ openTime: Number(openTime), open, high, low, close, volume });
  }
  return candles;
}

/**
 * Creates a market that follows recorded bars. Within a bar the price moves open, nearer extreme, other extreme, close. Between bars and
 * after the last one it stays at the last close, before the first at the first open. Prices that were not recorded follow those that
 * were: a token its reference, a perpetual its spot.
 * @throws RangeError for invalid or unordered bars, unknown symbols and timeframes that the recorded bars cannot form
 */
export function createTapeMarket(options: TapeMarketOptions): Market {
  const shift = options.shiftMs ?? 0;
  const liquidityUsd = options.liquidityUsd ?? 1_000_000;
  const kinds = new Map<string, MarketAsset['kind']>();
  const tapes = new Map<string, Bars>();
  for (const series of options.series) {
    kinds.set(series.symbol, series.kind);
    tapes.set(`${series.face}/${series.symbol}`, bars(series));
  }
  const assets = [...kinds].map(([symbol, kind]): MarketAsset => ({ symbol, kind }));

  function tape(face: Face, symbol: string): Bars {
    for (const stand of STAND_INS[face]) {
      const found = tapes.get(`${stand}/${symbol}`);
      if (found !== undefined) return found;
    }
    throw new RangeError(`the tape has no "${symbol}"; it has ${[...kinds.keys()].join(', ')}`);
  }

  /** Returns the price and its recorded time. */
  function played(face: Face, symbol: string, at: EpochMs): { price: number; tapeAt: EpochMs } {
    const { openTimes, path, timeframeMs } = tape(face, symbol);
    const tapeAt = at - shift;
    const index = barAt(openTimes, tapeAt);
    if (index < 0) return { price: path[0] as number, tapeAt: openTimes[0] as number };
    const openTime = openTimes[index] as number;
    const part = Math.min(1, (tapeAt - openTime) / timeframeMs) * 3;
    const leg = Math.min(2, Math.floor(part));
    const from = path[index * 4 + leg] as number;
    const to = path[index * 4 + leg + 1] as number;
    return { price: from + (to - from) * (part - leg), tapeAt: Math.min(tapeAt, openTime + timeframeMs) };
  }

  const price = (face: Face, symbol: string, at: EpochMs): number => played(face, symbol, at).price;

  return {
    assets,
    value: (symbol, at) => price('reference', symbol, at),
    reference(symbol, at) {
      // Daily bars extend beyond the session, but the share does not print outside of it.
      const minute = Math.floor(at / MINUTE_MS);
      const closed = kinds.get(symbol) === 'equity' && !sharePrints(minute) ? lastPrintMinute(minute) : null;
      const { price: printed, tapeAt } = played('reference', symbol, closed === null ? at : closed * MINUTE_MS);
      return { price: printed, confidence: printed * 0.0003, updatedAt: tapeAt + shift };
    },
    token: (symbol, at) => ({ price: price('token', symbol, at), liquidityUsd }),
    perp(symbol, at) {
      const oracle = price('spot', symbol, at);
      return { mark: price('perp', symbol, at), oracle, hourlyFunding: 0.0000125, openInterest: 1_000, dayNotional: oracle * 10_000 };
    },
    spot: (symbol, at) => price('spot', symbol, at),
    halfSpread: (face) => HALF_SPREADS[face],
    candles(face, symbol, timeframeMs, from, to) {
      const { timeframeMs: recorded, candles } = tape(face, symbol);
      if (timeframeMs % recorded !== 0) {
        throw new RangeError(`the tape of ${symbol} has bars of ${recorded} ms, which do not form bars of ${timeframeMs} ms`);
      }
      const made: Candle[] = [];
      for (const candle of candles) {
        const openTime = Math.floor((candle.openTime + shift) / timeframeMs) * timeframeMs;
        if (openTime < from || openTime >= to) continue;
        const last = made[made.length - 1];
        if (last === undefined || last.openTime !== openTime) {
          made.push({ openTime, open: candle.open, high: candle.high, low: candle.low, close: candle.close, volume: candle.volume });
          continue;
        }
        made[made.length - 1] = {
          openTime,
          open: last.open,
          high: Number(candle.high) > Number(last.high) ? candle.high : last.high,
          low: Number(candle.low) < Number(last.low) ? candle.low : last.low,
          close: candle.close,
          volume: String(Math.round((Number(last.volume) + Number(candle.volume)) * 1e6) / 1e6),
        };
      }
      return made;
    },
  };
}
