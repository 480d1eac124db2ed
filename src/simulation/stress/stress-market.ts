/** Calm market of an instrument: level and volatility from its recent bars, with assumptions by kind if they are unknown. */
import type { Candle } from '../../domain/candles/candle.ts';
import { CATALOG, type InstrumentKind } from '../../domain/catalog/catalog.ts';
import { marketStateOf } from '../../domain/orders/costs.ts';
import type { Manifest } from '../../domain/manifest/manifest.ts';
import { timeframeMs } from '../../domain/values/time.ts';
import type { InstrumentKey } from '../../domain/market/venue.ts';
import type { StressMarket } from './scenario-tape.ts';

/** Outside data of an instrument: its recent closed bars and the last readings of what bars do not contain. */
export interface KnownMarket {
  /** Closed bars by timeframe, ascending. */
  readonly bars: Readonly<Record<string, readonly Candle[]>>;
  /** The last price that was received, if it is newer than the bars. */
  readonly level: number | null;
  readonly liquidityUsd: number | null;
  readonly benchmarkLevel: number | null;
  readonly hourlyFunding: number | null;
}

const NOTHING_KNOWN: KnownMarket = { bars: {}, level: null, liquidityUsd: null, benchmarkLevel: null, hourlyFunding: null };

/** Calm assumptions of a kind, all cautious for what they decide: a thin pool, a wide spread, a lively price. */
interface Traits {
  /** US dollars per unit where not even a price is known. */
  readonly level: number;
  /** Standard deviation of a year's return. */
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

const MINUTE = 60_000;
const YEAR_MINUTES = 525_600;
/** The base rate of funding per hour. */
const BASE_FUNDING = 0.0000125;
/** Minimum returns for a volatility. */
const LEAST_RETURNS = 20;
/** Bars that are looked at: recent history, not all of it. */
const RECENT_BARS = 500;
/** A measured minute is believed within these: a flat series would shock nothing, a broken one everything. */
const VOLATILITY_RANGE = [0.00005, 0.02] as const;

/** The universe of a manifest as a stress test finds it: in calm, at its recent level and volatility. */
export function stressMarkets(manifest: Manifest, known: ReadonlyMap<InstrumentKey, KnownMarket>): StressMarket[] {
  return manifest.universe.map(({ key, kind }) =>
    stressMarket(key, kind as InstrumentKind, manifest.timeframe, known.get(key) ?? NOTHING_KNOWN),
  );
}

/** One instrument in calm. Bars of the manifest's timeframe are asked first, then the finest. */
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
    spreadBps: Math.max(traits.spreadBps, 2 * marketStateOf(key).halfSpreadBps),
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

/** Standard deviation (ddof 1) of the relative returns of closes, scaled down to a minute; null from too few of them. */
function minuteVolatility(closes: readonly number[], barMs: number): number | null {
  if (closes.length <= LEAST_RETURNS) return null;
  const returns = closes.slice(1).map((close, index) => close / (closes[index] as number) - 1);
  const mean = returns.reduce((sum, one) => sum + one, 0) / returns.length;
  const variance = returns.reduce((sum, one) => sum + (one - mean) * (one - mean), 0) / (returns.length - 1);
  const minute = Math.sqrt(variance / (barMs / MINUTE));
  return Math.min(Math.max(minute, VOLATILITY_RANGE[0]), VOLATILITY_RANGE[1]);
}
