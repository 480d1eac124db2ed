/** Assets of the sandbox's market with plausible prices of real names. The numbers are simulated. */
import { CATALOG } from '../../domain/catalog/catalog.ts';
import type { MarketAsset } from './market.ts';

/** Traits of a simulated asset. */
export interface AssetTraits extends MarketAsset {
  /** Price in US dollars per share or coin at the market's anchor. */
  readonly level: number;
  /** Annual volatility of logarithmic returns. */
  readonly volatility: number;
  /** Annual logarithmic drift. */
  readonly drift: number;
  /** Share of its variance in common with its kind, 0 to 1. */
  readonly shared: number;
  /** Depth of its token's pools in US dollars. */
  readonly poolUsd: number;
  /** Open interest of its perpetual, in base units. */
  readonly openInterest: number;
  /** Volume of an ordinary day, in base units. */
  readonly dayVolume: number;
}

function createTraits(
  symbol: string,
  kind: MarketAsset['kind'],
  level: number,
  volatility: number,
  drift: number,
  shared: number,
  poolUsd: number,
  openInterest: number,
  dayVolume: number,
): AssetTraits {
  return { symbol, kind, level, volatility, drift, shared, poolUsd, openInterest, dayVolume };
}

const LISTED_ASSETS: readonly AssetTraits[] = [
  createTraits('AAPL', 'equity', 270, 0.27, 0.12, 0.75, 720_000, 9_000, 50_000_000),
  createTraits('TSLA', 'equity', 410, 0.55, 0.16, 0.6, 1_560_000, 21_000, 90_000_000),
  createTraits('NVDA', 'equity', 188, 0.48, 0.3, 0.7, 1_900_000, 60_000, 180_000_000),
  createTraits('SPY', 'equity', 671, 0.16, 0.1, 0.98, 4_700_000, 12_000, 70_000_000),
  createTraits('QQQ', 'equity', 608, 0.21, 0.12, 0.95, 2_400_000, 9_000, 45_000_000),
  createTraits('GOOGL', 'equity', 288, 0.3, 0.14, 0.7, 830_000, 8_000, 32_000_000),
  createTraits('AMZN', 'equity', 232, 0.32, 0.12, 0.7, 640_000, 8_000, 45_000_000),
  createTraits('META', 'equity', 602, 0.36, 0.13, 0.65, 590_000, 4_000, 15_000_000),
  createTraits('MSFT', 'equity', 487, 0.24, 0.12, 0.75, 560_000, 4_000, 22_000_000),
  createTraits('MSTR', 'equity', 192, 0.8, 0.1, 0.5, 980_000, 30_000, 14_000_000),
  createTraits('COIN', 'equity', 261, 0.72, 0.1, 0.55, 870_000, 15_000, 9_000_000),
  createTraits('HOOD', 'equity', 116, 0.65, 0.15, 0.55, 420_000, 9_000, 30_000_000),
  createTraits('CRCL', 'equity', 74, 0.85, 0, 0.4, 510_000, 9_000, 15_000_000),
  createTraits('PLTR', 'equity', 167, 0.6, 0.25, 0.55, 380_000, 9_000, 60_000_000),
  createTraits('NFLX', 'equity', 110, 0.34, 0.12, 0.55, 300_000, 6_000, 30_000_000),
  createTraits('AMD', 'equity', 214, 0.5, 0.18, 0.65, 330_000, 9_000, 45_000_000),
  createTraits('GLD', 'equity', 374, 0.15, 0.08, 0.1, 640_000, 3_000, 9_000_000),
  createTraits('TQQQ', 'equity', 52, 0.6, 0.15, 0.95, 350_000, 9_000, 80_000_000),
  createTraits('BTC', 'crypto', 95_000, 0.48, 0.25, 0.85, 42_000_000, 31_000, 28_000),
  createTraits('ETH', 'crypto', 3_150, 0.65, 0.2, 0.8, 31_000_000, 620_000, 480_000),
  createTraits('SOL', 'crypto', 141, 0.8, 0.25, 0.75, 24_000_000, 4_900_000, 5_200_000),
  createTraits('SPACEX', 'pre_ipo', 415, 0.34, 0.25, 0.3, 1_700_000, 1_000, 6_000),
  createTraits('OPENAI', 'pre_ipo', 722, 0.42, 0.35, 0.35, 1_100_000, 1_000, 4_000),
  createTraits('ANTHROPIC', 'pre_ipo', 1_007, 0.42, 0.4, 0.35, 1_300_000, 1_000, 3_000),
  createTraits('ANDURIL', 'pre_ipo', 96, 0.36, 0.2, 0.3, 420_000, 1_000, 9_000),
  createTraits('FIGUREAI', 'pre_ipo', 141, 0.5, 0.1, 0.3, 260_000, 1_000, 6_000),
  createTraits('KALSHI', 'pre_ipo', 268, 0.45, 0.3, 0.3, 380_000, 1_000, 4_000),
  createTraits('NEURALINK', 'pre_ipo', 63, 0.45, 0.15, 0.3, 300_000, 1_000, 9_000),
  createTraits('POLYMARKET', 'pre_ipo', 182, 0.45, 0.3, 0.3, 400_000, 1_000, 5_000),
];

/** Returns the priced assets: the named ones, and every other asset of a catalog file at a typical price of its kind. */
export function pricedAssets(): readonly AssetTraits[] {
  const { shares, preIpo, crypto } = CATALOG.source.tables;
  const named = new Set(LISTED_ASSETS.map(({ symbol }) => symbol));
  const more = (symbols: readonly string[], ordinary: (symbol: string) => AssetTraits): AssetTraits[] =>
    symbols.filter((symbol) => !named.has(symbol)).map(ordinary);
  return [
    ...LISTED_ASSETS,
    ...more(
      shares.map(({ underlying }) => underlying),
      (symbol) => createTraits(symbol, 'equity', 100, 0.4, 0.1, 0.6, 400_000, 9_000, 20_000_000),
    ),
    ...more(
      preIpo.map(({ underlying }) => underlying),
      (symbol) => createTraits(symbol, 'pre_ipo', 100, 0.45, 0.2, 0.3, 400_000, 1_000, 6_000),
    ),
    ...more(
      crypto.map(({ symbol }) => symbol),
      (symbol) => createTraits(symbol, 'crypto', 10, 0.9, 0.1, 0.7, 2_000_000, 500_000, 5_000_000),
    ),
  ];
}
