/** The one seeded market behind every simulator of the sandbox: what each instrument is worth, at any time. */
import type { Candle } from '../../domain/candles/candle.ts';
import type { EpochMs } from '../../domain/values/time.ts';

/** Assets that the market prices by themselves; tokens, perps and references are derived from them. */
export interface MarketAsset {
  /** `AAPL`, `BTC`, `SPACEX`. */
  readonly symbol: string;
  readonly kind: 'equity' | 'crypto' | 'pre_ipo';
}

/** Deterministic by (seed, time): asking twice, in any order, in any process gives the same numbers. Prices are plain numbers here: this is the simulated world, not the product. */
export interface Market {
  readonly assets: readonly MarketAsset[];
  /** The asset's true value in US dollars (for an equity: also outside of its session, if the reference is carried forward). */
  value(symbol: string, at: EpochMs): number;
  /** The share's reference price and when it last changed (frozen outside of sessions). */
  reference(symbol: string, at: EpochMs): { price: number; confidence: number; updatedAt: EpochMs };
  /** The token's price per UI unit on the primary chain: value with premium or discount. */
  token(symbol: string, at: EpochMs): { price: number; liquidityUsd: number };
  /** Perpetual: mark, oracle, hourly funding, open interest, 24h notional. */
  perp(symbol: string, at: EpochMs): { mark: number; oracle: number; hourlyFunding: number; openInterest: number; dayNotional: number };
  /** Spot exchange's mid of `<symbol>USDT`. */
  spot(symbol: string, at: EpochMs): number;
  /** Half of the spread as a fraction of the price: of the books of perpetual and spot, and what the token's pools keep of a swap. */
  halfSpread(face: 'token' | 'perp' | 'spot', symbol: string, at: EpochMs): number;
  /** Closed bars with from <= openTime < to, at least six years back, which the live prices continue. `face` picks which of the prices above. */
  candles(face: 'reference' | 'token' | 'perp' | 'spot', symbol: string, timeframeMs: number, from: EpochMs, to: EpochMs): Candle[];
}
