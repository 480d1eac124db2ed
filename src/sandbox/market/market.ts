/** Seeded market behind every simulator of the sandbox: prices of all instruments at any time. */
import type { Candle } from '../../domain/candles/candle.ts';
import type { EpochMs } from '../../domain/values/time.ts';

/** Asset that the market prices. Prices of tokens, perpetuals and references are derived from it. */
export interface MarketAsset {
  /** Symbol, e.g. `AAPL`, `BTC`, `SPACEX`. */
  readonly symbol: string;
  readonly kind: 'equity' | 'crypto' | 'pre_ipo';
}

/**
 * Market that is deterministic by (seed, time): calls in any order and any process return the same numbers. Prices are plain numbers here
 * because they are simulated.
 */
export interface Market {
  readonly assets: readonly MarketAsset[];
  /** Returns the asset's true value in US dollars. For an equity it also moves outside of sessions. */
  value(symbol: string, at: EpochMs): number;
  /** Returns the share's reference price and its last update. It is frozen outside of sessions. */
  reference(symbol: string, at: EpochMs): { price: number; confidence: number; updatedAt: EpochMs };
  /** Returns the token's price per UI unit on the primary chain: the value with its premium or discount. */
  token(symbol: string, at: EpochMs): { price: number; liquidityUsd: number };
  /** Returns the perpetual's mark, oracle price, hourly funding, open interest and 24h notional. */
  perp(symbol: string, at: EpochMs): { mark: number; oracle: number; hourlyFunding: number; openInterest: number; dayNotional: number };
  /** Returns the spot exchange's mid price of `<symbol>USDT`. */
  spot(symbol: string, at: EpochMs): number;
  /** Returns half of the spread as a fraction of the price. For tokens it is the pools' fee of a swap. */
  halfSpread(face: 'token' | 'perp' | 'spot', symbol: string, at: EpochMs): number;
  /**
   * Returns closed bars with from <= openTime < to, at least six years back. Live prices continue them. `face` selects one of the prices
   * above.
   */
  candles(face: 'reference' | 'token' | 'perp' | 'spot', symbol: string, timeframeMs: number, from: EpochMs, to: EpochMs): Candle[];
}
