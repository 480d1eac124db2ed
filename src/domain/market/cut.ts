/** The cut: the observation of every instrument at one slot, and nothing later. A tick sees a cut, never "now". */
import { canonicalHash } from '../values/canonical-json.ts';
import type { DecimalString } from '../values/decimal.ts';
import type { Severity } from './market-event.ts';
import type { Quality, QualityFlag, Session } from './quote.ts';
import type { EpochMs } from '../values/time.ts';
import type { InstrumentKey } from './venue.ts';

/** Latest quote at the slot. `ageMs` is slot minus `observedAt`, never negative. */
export interface ObservedQuote {
  readonly bid: DecimalString | null;
  readonly ask: DecimalString | null;
  /** (bid + ask) / 2, exact, or null if one side is missing. */
  readonly mid: DecimalString | null;
  readonly source: string;
  readonly observedAt: EpochMs;
  readonly receivedAt: EpochMs;
  readonly ageMs: number;
  readonly quality: Quality;
  readonly flags: readonly QualityFlag[];
}

/** Reference price of the underlying at the slot. `ageMs` is slot minus `feedUpdatedAt`. */
export interface ObservedReference {
  readonly instrument: string;
  /** Source of the price if it is a second source's. Absent for the first one's. */
  readonly source?: string;
  readonly referencePrice: DecimalString;
  readonly confidence: DecimalString;
  readonly feedUpdatedAt: EpochMs;
  readonly receivedAt: EpochMs;
  readonly ageMs: number;
  readonly quality: Quality;
  readonly flags: readonly QualityFlag[];
}

/** An active event about the asset at the slot. */
export interface ObservedEvent {
  readonly id: string;
  readonly severity: Severity;
  readonly negative: boolean;
  readonly rumor: boolean;
  readonly observedAt: EpochMs;
  readonly headline: string;
}

/** Value of an indicator on the last closed bar at the slot, and on the previous bar. Null during warm-up. */
export interface IndicatorValue {
  readonly value: number | null;
  readonly previous: number | null;
  /** Open time of the last closed bar included, or null. */
  readonly barOpenTime: EpochMs | null;
  /** Closed bars (or hours, for funding) so far. Only during warm-up. No decision hash depends on it. */
  readonly bars?: number;
}

/** Maximum age, in bars from its open time, of an indicator's last bar that rules still read. */
export const FRESH_BARS = 3;

/** An indicator that a manifest needs of an instrument. `indicatorKey` gives its name in an observation. */
export interface IndicatorNeed {
  readonly instrument: InstrumentKey;
  readonly name: 'rsi' | 'ema' | 'volatility' | 'funding_percentile';
  readonly timeframe: string;
  /** Bars (rsi, ema, volatility) or days (funding_percentile) that it looks back over. */
  readonly period: number;
}

/** Returns the name of an indicator in an observation, such as `rsi:14@1h`. */
export function indicatorKey(need: Pick<IndicatorNeed, 'name' | 'period' | 'timeframe'>): string {
  return `${need.name}:${need.period}@${need.timeframe}`;
}

/** Observation of an instrument at a slot, shared by every agent that reads it. Null means unknown. */
export interface Observation {
  readonly slot: EpochMs;
  readonly instrument: InstrumentKey;
  readonly session: Session;
  readonly quote: ObservedQuote | null;
  readonly reference: ObservedReference | null;
  /** (token price - reference price) / reference price x 100; a ratio, hence a number. */
  readonly premiumPct: number | null;
  /** (implied valuation - mark valuation) / mark valuation x 100. */
  readonly gapToMarkPct: number | null;
  /** (perpetual mark - spot) / spot x 100, for the asset's perpetual, or null without one. */
  readonly basisPct: number | null;
  readonly hourlyFunding: DecimalString | null;
  readonly markPrice: DecimalString | null;
  readonly liquidityUsd: DecimalString | null;
  readonly indicators: { readonly [key: string]: IndicatorValue };
  /** Active events, newest first. Null if no source was received over the longest look-back, so that rules on events observe null. */
  readonly events: readonly ObservedEvent[] | null;
}

/** Observations of one slot by instrument. */
export interface Cut {
  readonly slot: EpochMs;
  readonly observations: ReadonlyMap<InstrumentKey, Observation>;
  /** Version of the rule by which records commit to it (`CutHashes`): the second, unless a tape was recorded under the first. */
  readonly hashedBy?: 1;
}

/** Returns the SHA-256 of an observation's canonical JSON: the hash of its stored row, and the leaf of the first rule. */
export function observationHash(observation: Observation): string {
  return canonicalHash(observation);
}
