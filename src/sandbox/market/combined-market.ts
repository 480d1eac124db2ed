/** Market on top of another: the upper one prices its assets from its beginning, the lower one everything else. */
import type { Candle } from '../../domain/candles/candle.ts';
import type { EpochMs } from '../../domain/values/time.ts';
import type { Market } from './market.ts';

/** Combines two markets. The first one prices assets that both have. */
export function combinedMarket(first: Market, second: Market): Market {
  const own = new Set(first.assets.map(({ symbol }) => symbol));
  const of = (symbol: string): Market => (own.has(symbol) ? first : second);
  return {
    assets: [...first.assets, ...second.assets.filter(({ symbol }) => !own.has(symbol))],
    value: (symbol, at) => of(symbol).value(symbol, at),
    reference: (symbol, at) => of(symbol).reference(symbol, at),
    token: (symbol, at) => of(symbol).token(symbol, at),
    perp: (symbol, at) => of(symbol).perp(symbol, at),
    spot: (symbol, at) => of(symbol).spot(symbol, at),
    halfSpread: (face, symbol, at) => of(symbol).halfSpread(face, symbol, at),
    candles: (face, symbol, timeframeMs, from, to) => of(symbol).candles(face, symbol, timeframeMs, from, to),
  };
}

type Face = Parameters<Market['candles']>[0];

function readPrice(market: Market, face: Face, symbol: string, at: EpochMs): number {
  if (face === 'reference') return market.reference(symbol, at).price;
  if (face === 'token') return market.token(symbol, at).price;
  return face === 'perp' ? market.perp(symbol, at).mark : market.spot(symbol, at);
}

function scaled(candle: Candle, factor: number): Candle {
  const text = (price: string): string => (Number(price) * factor).toFixed(8);
  return {
    openTime: candle.openTime,
    open: text(candle.open),
    high: text(candle.high),
    low: text(candle.low),
    close: text(candle.close),
    volume: candle.volume,
  };
}

/**
 * Creates the layered market.
 * @param beganAt time from which the upper market has prices; earlier bars come from the lower market, scaled to join the upper one's
 *   first price
 */
export function createLayeredMarket(upper: Market, lower: Market, beganAt: EpochMs): Market {
  const own = new Set(upper.assets.map(({ symbol }) => symbol));
  const of = (symbol: string): Market => (own.has(symbol) ? upper : lower);
  return {
    assets: [...upper.assets, ...lower.assets.filter(({ symbol }) => !own.has(symbol))],
    value: (symbol, at) => of(symbol).value(symbol, at),
    reference: (symbol, at) => of(symbol).reference(symbol, at),
    token: (symbol, at) => of(symbol).token(symbol, at),
    perp: (symbol, at) => of(symbol).perp(symbol, at),
    spot: (symbol, at) => of(symbol).spot(symbol, at),
    halfSpread: (face, symbol, at) => of(symbol).halfSpread(face, symbol, at),
    candles(face, symbol, timeframeMs, from, to) {
      if (!own.has(symbol)) return lower.candles(face, symbol, timeframeMs, from, to);
      const seam = Math.floor(beganAt / timeframeMs) * timeframeMs;
      const factor = readPrice(upper, face, symbol, beganAt) / readPrice(lower, face, symbol, beganAt);
      const earlier =
        from < seam ? lower.candles(face, symbol, timeframeMs, from, Math.min(to, seam)).map((candle) => scaled(candle, factor)) : [];
      return to > seam ? [...earlier, ...upper.candles(face, symbol, timeframeMs, Math.max(from, seam), to)] : earlier;
    },
  };
}
