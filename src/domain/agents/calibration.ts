/**
 * Calibration of an agent: expected against realized costs of its fills. The cost is the distance of a fill from the tradable price at the
 * decision (ask for a buy, bid for a sell), as in the slippage breaker, the shadow stage and a backtest. Ratios, hence numbers.
 */
import { expectedSlippageBps, assumedMarketState, observedState } from '../orders/costs.ts';
import { mean, sampleDeviation } from '../values/statistics.ts';
import { type EpochMs, HOUR_MS } from '../values/time.ts';
import { type InstrumentKey, splitInstrumentKey } from '../market/venue.ts';

/** Minimum fills of a comparison. With fewer the mean is unknown. */
export const LEAST_FILLS = 10;
/** Standard errors of a one-sided 95 % bound of a normal distribution. */
const ERRORS = 1.645;
/** Basis points beyond the expectation and its standard error from which fills have drifted. */
export const DRIFT_BPS = 5;
/** Upper bounds of the order size classes, in US dollars. A last class has no bound. */
const SIZES = [100, 1_000, 10_000] as const;

export const COST_GROUPS = ['venue', 'algorithm', 'size', 'hour'] as const;
type CostGroup = (typeof COST_GROUPS)[number];

/** A fill as recorded with its order. */
export interface RecordedFill {
  readonly at: EpochMs;
  readonly mode: 'paper' | 'live';
  readonly instrument: InstrumentKey;
  readonly side: 'buy' | 'sell';
  readonly notionalUsd: number;
  /** Null for an order from before execution plans. */
  readonly algorithm: string | null;
  readonly realizedBps: number;
  /** True if the market of the decision is on record. */
  readonly seen: boolean;
  /** Liquidity of both sides of its pools at that time, or null if there are no pools or they were not observed. */
  readonly liquidityUsd: number | null;
}

/** A fill and its expected cost, which is null if its decision is not on record. */
export interface CalibratedFill extends RecordedFill {
  readonly expectedBps: number | null;
}

/** Prices a fill on the market of its decision, by the cost model. */
export function calibrated(fill: RecordedFill): CalibratedFill {
  if (!fill.seen) return { ...fill, expectedBps: null };
  const state = observedState(assumedMarketState(fill.instrument), { halfSpreadBps: null, liquidityUsd: fill.liquidityUsd });
  const expectedBps = expectedSlippageBps(fill.side, fill.notionalUsd, state);
  return { ...fill, expectedBps: Number.isFinite(expectedBps) ? expectedBps : null };
}

/** Expected and realized cost of a set of fills. Unknown statistics are null. */
export interface CostFigures {
  readonly fills: number;
  /** Number of fills without a recorded expectation. No other figure includes them. */
  readonly unknown: number;
  readonly expectedBps: number | null;
  readonly realizedBps: number | null;
  /** Mean of realized minus expected. Positive if the expectation was too low. */
  readonly biasBps: number | null;
  /** Standard error of the bias, or null for fewer than two fills. */
  readonly biasErrorBps: number | null;
  readonly medianBps: number | null;
  /** 10th and 90th percentile of realized minus expected. */
  readonly p10Bps: number | null;
  readonly p90Bps: number | null;
  readonly dearer: number;
  readonly cheaper: number;
  /** Probability of so uneven a split between costlier and cheaper fills if both were equally likely. Null if there are none. */
  readonly signP: number | null;
}

export function costFigures(fills: readonly CalibratedFill[]): CostFigures {
  const known = fills.flatMap(({ expectedBps, realizedBps }) => (expectedBps === null ? [] : [{ expectedBps, realizedBps }]));
  const differences = known.map(({ expectedBps, realizedBps }) => realizedBps - expectedBps).sort((a, b) => a - b);
  // Values that differ only in the last digits of a double count as equal.
  const dearer = differences.filter((difference) => difference > 1e-6).length;
  const cheaper = differences.filter((difference) => difference < -1e-6).length;
  return {
    fills: fills.length,
    unknown: fills.length - known.length,
    expectedBps: computeMean(known.map(({ expectedBps }) => expectedBps)),
    realizedBps: computeMean(known.map(({ realizedBps }) => realizedBps)),
    biasBps: computeMean(differences),
    biasErrorBps: computeError(differences),
    medianBps: computeQuantile(differences, 0.5),
    p10Bps: computeQuantile(differences, 0.1),
    p90Bps: computeQuantile(differences, 0.9),
    dearer,
    cheaper,
    signP: signTest(dearer, cheaper),
  };
}

/** True if fills cost more than expected by over `DRIFT_BPS` beyond their standard error. Null for too few fills. */
export function hasDrifted({ fills, unknown, biasBps, biasErrorBps }: CostFigures): boolean | null {
  if (fills - unknown < LEAST_FILLS || biasBps === null || biasErrorBps === null) return null;
  return biasBps - ERRORS * biasErrorBps > DRIFT_BPS;
}

/** Computes the figures by venue, algorithm, size or hour of day (UTC), in the order of the keys. */
export function costsBy(group: CostGroup, fills: readonly CalibratedFill[]): readonly (CostFigures & { readonly key: string })[] {
  const groups = new Map<string, CalibratedFill[]>();
  for (const fill of fills) {
    const key = toGroupKey(group, fill);
    const list = groups.get(key);
    if (list === undefined) groups.set(key, [fill]);
    else list.push(fill);
  }
  const byKey = new Intl.Collator('en', { numeric: true }).compare;
  return [...groups].map(([key, list]) => ({ key, ...costFigures(list) })).sort((a, b) => byKey(a.key, b.key));
}

function toGroupKey(group: CostGroup, { instrument, algorithm, notionalUsd, at }: CalibratedFill): string {
  if (group === 'venue') return splitInstrumentKey(instrument).venue;
  if (group === 'algorithm') return algorithm ?? 'unknown';
  if (group === 'hour') return String(Math.floor(at / HOUR_MS) % 24).padStart(2, '0');
  const bound = SIZES.find((size) => notionalUsd < size);
  return bound === undefined ? `${SIZES.at(-1)} and more` : `below ${bound}`;
}

function computeMean(values: readonly number[]): number | null {
  return values.length === 0 ? null : mean(values);
}

/** Returns the standard error of a mean. */
function computeError(values: readonly number[]): number | null {
  return values.length < 2 ? null : sampleDeviation(values) / Math.sqrt(values.length);
}

/** Returns a quantile of ascending values, interpolated between its neighbours. */
function computeQuantile(ascending: readonly number[], part: number): number | null {
  if (ascending.length === 0) return null;
  const place = part * (ascending.length - 1);
  const below = ascending[Math.floor(place)] as number;
  return below + ((ascending[Math.ceil(place)] as number) - below) * (place - Math.floor(place));
}

/** Computes the exact two-sided sign test. */
function signTest(more: number, less: number): number | null {
  const n = more + less;
  if (n === 0) return null;
  let logChoose = 0;
  let below = 0;
  for (let k = 0; k <= Math.min(more, less); k++) {
    below += Math.exp(logChoose - n * Math.LN2);
    logChoose += Math.log((n - k) / (k + 1));
  }
  return Math.min(1, 2 * below);
}
