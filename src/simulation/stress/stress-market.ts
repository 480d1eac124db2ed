/** Calm market of an instrument: level and volatility from its recent bars, with assumptions by kind if they are unknown. */
import type { Candle } from '../../domain/candles/candle.ts';
import { CATALOG, type InstrumentKind } from '../../domain/catalog/catalog.ts';
import { assumedMarketState } from '../../domain/orders/costs.ts';
import type { Manifest } from '../../domain/manifest/manifest.ts';
import { MINUTE_MS, timeframeMs } from '../../domain/values/time.ts';
import type { InstrumentKey } from '../../domain/market/venue.ts';
import type { StressMarket } from './scenario-tape.ts';

/** Known data of an instrument: its recent closed bars, and the last readings of data that bars do not contain. */
export interface KnownMarket {
  /** Closed bars by timeframe, ascending. */
  readonly bars: Readonly<Record<string, readonly Candle[]>>;
  /** Last received price, if it is newer than the bars. */
  readonly level: number | null;
  readonly liquidityUsd: number | null;
  readonly benchmarkLevel: number | null;
  readonly hourlyFunding: number | null;
}

const NOTHING_KNOWN: KnownMarket = { bars: {}, level: null, liquidityUsd: null, benchmarkLevel: null, hourlyFunding: null };

/** Calm assumptions for a kind of instrument, all cautious: a thin pool, a wide spread, high volatility. */
interface Traits {
  /** Price in US dollars per unit if none is known. */
  readonly level: number;
  /** Annual volatility. */
  readonly yearVolatility: number;
  readonly spreadBps: number;
  readonly depthUsd: number;
  readonly liquidityUsd: number | null;
}

const TRAITS: Readonly<Record<InstrumentKind, Traits>> = {
  tokenized_equity: { level: 250, yearVolatility: 0.4, spreadBps: 20, depthUsd: 10_000, liquidityUsd: 500_000 },
  pre_ipo: { level: 300, yearVolatility: 0.45, spreadBps: 60, depthUsd: 5_000, liquidityUsd: 250_000 },
  agent_token: { level: 0.05, yearVolatility: 1.5, spreadBps: 100, depthUsd: 1_000, liquidityUsd: 50_000 },
  spot: { level: 1_000, yearVolatility: 0.65, spreadBps: 2, depthUsd: 100_000, liquidityUsd: null },
  perp: { level: 1_000, yearVolatility: 0.65, spreadBps: 2, depthUsd: 100_000, liquidityUsd: null },
};

const YEAR_MINUTES = 525_600;
/** Hourly base rate of funding. */
const BASE_FUNDING = 0.0000125;
/** Minimum number of returns for a volatility. */
const LEAST_RETURNS = 20;
/** Number of recent bars that are used. */
const RECENT_BARS = 500;
/** Bounds of a measured one-minute volatility. A flat series would shock nothing, a broken one everything. */
const VOLATILITY_RANGE = [0.00005, 0.02] as const;

/** Returns the calm markets of a manifest's universe, at their recent levels and volatilities. */
export function stressMarkets(manifest: Manifest, known: ReadonlyMap<InstrumentKey, KnownMarket>): StressMarket[] {
  return manifest.universe.map(({ key, kind }) =>
    stressMarket(key, kind as InstrumentKind, manifest.timeframe, known.get(key) ?? NOTHING_KNOWN),
  );
}

/** Returns the calm market of one instrument. Bars of the manifest's timeframe come first, then the finest. */
function stressMarket(key: InstrumentKey, kind: InstrumentKind, timeframe: string, known: KnownMarket): StressMarket {
  const traits = TRAITS[kind];
  const [frame, bars] = measuredSeries(known, timeframe);
  const closes = bars
    .slice(-RECENT_BARS)
    .map((bar) => Number(bar.close))
    .filter((close) => close > 0);
  const last = closes[closes.length - 1];
  const measured = frame === null ? null : minuteVolatility(closes, frame);
  const level = known.level ?? last ?? known.benchmarkLevel ?? traits.level;
  return {
    key,
    kind,
    level,
    minuteVolatility: measured ?? traits.yearVolatility / Math.sqrt(YEAR_MINUTES),
    spreadBps: Math.max(traits.spreadBps, 2 * assumedMarketState(key).halfSpreadBps),
    depthUsd: traits.depthUsd,
    liquidityUsd:
      CATALOG.byKey(key)?.venue === 'spotchain' || traits.liquidityUsd !== null ? (known.liquidityUsd ?? traits.liquidityUsd) : null,
    benchmarkLevel: known.benchmarkLevel,
    hourlyFunding: known.hourlyFunding ?? BASE_FUNDING,
    bars: known.bars,
    basis: measured === null ? 'assumed' : 'history',
  };
}

function measuredSeries(known: KnownMarket, timeframe: string): readonly [number | null, readonly Candle[]] {
  const own = known.bars[timeframe];
  if (own !== undefined && own.length > 0) return [timeframeMs(timeframe), own];
  let best: readonly [number | null, readonly Candle[]] = [null, []];
  for (const [name, bars] of Object.entries(known.bars)) {
    const length = timeframeMs(name);
    if (length !== null && bars.length > 0 && (best[0] === null || length < best[0])) best = [length, bars];
  }
  return best;
}

/** Returns the standard deviation (ddof 1) of relative returns scaled to a minute, or null if there are too few. */
function minuteVolatility(closes: readonly number[], barMs: number): number | null {
  if (closes.length <= LEAST_RETURNS) return null;
  const returns = closes.slice(1).map((close, index) => close / (closes[index] as number) - 1);
  const mean = returns.reduce((sum, one) => sum + one, 0) / returns.length;
  const variance = returns.reduce((sum, one) => sum + (one - mean) * (one - mean), 0) / (returns.length - 1);
  const minute = Math.sqrt(variance / (barMs / MINUTE_MS));
  return Math.min(Math.max(minute, VOLATILITY_RANGE[0]), VOLATILITY_RANGE[1]);
}
