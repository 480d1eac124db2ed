/**
 * Calibration of an agent: expected against realized costs of its fills. A cost is the distance of a fill from the tradable price at the
 * decision (the ask of a buy, the bid of a sell), as the slippage breaker, the shadow stage and a backtest measure it. Ratios, hence
 * numbers.
 */
import { expectedSlippageBps, marketStateOf, observedState } from '../orders/costs.ts';
import { mean, sampleDeviation } from '../values/statistics.ts';
import { type EpochMs, HOUR_MS } from '../values/time.ts';
import { type InstrumentKey, splitInstrumentKey } from '../market/venue.ts';

/** Minimum fills of a comparison. The mean of fewer is unknown. */
export const LEAST_FILLS = 10;
/** One side of 95 % of a normal distribution, in standard errors. */
const ERRORS = 1.645;
/** Basis points beyond the expectation, and beyond their own error, from which fills have drifted. */
export const DRIFT_BPS = 5;
/** Orders by size: those below each bound, in US dollars, and the rest. */
const SIZES = [100, 1_000, 10_000] as const;

export const COST_GROUPS = ['venue', 'algorithm', 'size', 'hour'] as const;
export type CostGroup = (typeof COST_GROUPS)[number];

/** A fill as its order's record holds it. */
export interface RecordedFill {
  readonly at: EpochMs;
  readonly mode: 'paper' | 'live';
  readonly instrument: InstrumentKey;
  readonly side: 'buy' | 'sell';
  readonly notionalUsd: number;
  /** Null of an order from before orders had a plan. */
  readonly algorithm: string | null;
  readonly realizedBps: number;
  /** True if the market of the decision is on record. */
  readonly seen: boolean;
  /** Both sides of its pools at that time; null if it has none, or they were not observed. */
  readonly liquidityUsd: number | null;
}

/** A fill with its expected cost; null if its decision is not on record. */
export interface CalibratedFill extends RecordedFill {
  readonly expectedBps: number | null;
}

/** Prices a fill by the market of its decision, as the cost model does. */
export function calibrated(fill: RecordedFill): CalibratedFill {
  if (!fill.seen) return { ...fill, expectedBps: null };
  const state = observedState(marketStateOf(fill.instrument), { halfSpreadBps: null, liquidityUsd: fill.liquidityUsd });
  const expectedBps = expectedSlippageBps(fill.side, fill.notionalUsd, state);
  return { ...fill, expectedBps: Number.isFinite(expectedBps) ? expectedBps : null };
}

/** Expected and realized cost of a set of fills. Statistics of what nothing is known of are null. */
export interface CostFigures {
  readonly fills: number;
  /** Fills whose expectation is not on record: they are in no other figure. */
  readonly unknown: number;
  readonly expectedBps: number | null;
  readonly realizedBps: number | null;
  /** Mean of realized less expected: above zero the expectation was too kind. */
  readonly biasBps: number | null;
  /** Standard error of the bias; null of fewer than two fills. */
  readonly biasErrorBps: number | null;
  readonly medianBps: number | null;
  /** The tenth and the ninetieth part of realized less expected. */
  readonly p10Bps: number | null;
  readonly p90Bps: number | null;
  readonly dearer: number;
  readonly cheaper: number;
  /** Probability of so uneven a number of dearer and cheaper fills if both were as likely; null without either. */
  readonly signP: number | null;
}

export function costFigures(fills: readonly CalibratedFill[]): CostFigures {
  const known = fills.flatMap(({ expectedBps, realizedBps }) => (expectedBps === null ? [] : [{ expectedBps, realizedBps }]));
  const differences = known.map(({ expectedBps, realizedBps }) => realizedBps - expectedBps).sort((a, b) => a - b);
  // Values that differ in the last digits of a double cost the same.
  const dearer = differences.filter((difference) => difference > 1e-6).length;
  const cheaper = differences.filter((difference) => difference < -1e-6).length;
  return {
    fills: fills.length,
    unknown: fills.length - known.length,
    expectedBps: meanOf(known.map(({ expectedBps }) => expectedBps)),
    realizedBps: meanOf(known.map(({ realizedBps }) => realizedBps)),
    biasBps: meanOf(differences),
    biasErrorBps: errorOf(differences),
    medianBps: quantileOf(differences, 0.5),
    p10Bps: quantileOf(differences, 0.1),
    p90Bps: quantileOf(differences, 0.9),
    dearer,
    cheaper,
    signP: signTest(dearer, cheaper),
  };
}

/** True if fills cost more than expected by more than `DRIFT_BPS` beyond their own error; null of too few fills. */
export function hasDrifted({ fills, unknown, biasBps, biasErrorBps }: CostFigures): boolean | null {
  if (fills - unknown < LEAST_FILLS || biasBps === null || biasErrorBps === null) return null;
  return biasBps - ERRORS * biasErrorBps > DRIFT_BPS;
}

/** The figures by venue, algorithm, size or hour of day (UTC), in the order of the keys. */
export function costsBy(group: CostGroup, fills: readonly CalibratedFill[]): readonly (CostFigures & { readonly key: string })[] {
  const groups = new Map<string, CalibratedFill[]>();
  for (const fill of fills) {
    const key = keyOf(group, fill);
    const list = groups.get(key);
    if (list === undefined) groups.set(key, [fill]);
    else list.push(fill);
  }
  const byKey = new Intl.Collator('en', { numeric: true }).compare;
  return [...groups].map(([key, list]) => ({ key, ...costFigures(list) })).sort((a, b) => byKey(a.key, b.key));
}

function keyOf(group: CostGroup, { instrument, algorithm, notionalUsd, at }: CalibratedFill): string {
  if (group === 'venue') return splitInstrumentKey(instrument).venue;
  if (group === 'algorithm') return algorithm ?? 'unknown';
  if (group === 'hour') return String(Math.floor(at / HOUR_MS) % 24).padStart(2, '0');
  const bound = SIZES.find((size) => notionalUsd < size);
  return bound === undefined ? `${SIZES.at(-1)} and more` : `below ${bound}`;
}

function meanOf(values: readonly number[]): number | null {
  return values.length === 0 ? null : mean(values);
}

/** The standard error of a mean. */
function errorOf(values: readonly number[]): number | null {
  return values.length < 2 ? null : sampleDeviation(values) / Math.sqrt(values.length);
}

/** The quantile of ascending values, between its two neighbours in proportion. */
function quantileOf(ascending: readonly number[], part: number): number | null {
  if (ascending.length === 0) return null;
  const place = part * (ascending.length - 1);
  const below = ascending[Math.floor(place)] as number;
  return below + ((ascending[Math.ceil(place)] as number) - below) * (place - Math.floor(place));
}

/** The exact sign test, of both sides. */
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
