/** Combination of two markets. The first one prices assets that both have. */
import type { Market } from './market.ts';

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
