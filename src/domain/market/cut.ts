/** The cut: the knowledge of every instrument at one slot, and nothing later. A tick sees a cut, never "now". */
import { canonicalHash } from '../values/canonical-json.ts';
import type { DecimalString } from '../values/decimal.ts';
import type { Severity } from './market-event.ts';
import type { Quality, QualityFlag, Session } from './quote.ts';
import type { EpochMs } from '../values/time.ts';
import type { InstrumentKey } from './venue.ts';

/** The latest quote at the slot. `ageMs` is slot minus `observedAt`, never below zero. */
export interface ObservedQuote {
  readonly bid: DecimalString | null;
  readonly ask: DecimalString | null;
  /** (bid + ask) / 2, exact; null while one side is missing. */
  readonly mid: DecimalString | null;
  readonly source: string;
  readonly observedAt: EpochMs;
  readonly receivedAt: EpochMs;
  readonly ageMs: number;
  readonly quality: Quality;
  readonly flags: readonly QualityFlag[];
}

/** The reference price of the underlying at the slot. `ageMs` is slot minus `feedUpdatedAt`. */
export interface ObservedReference {
  readonly instrument: string;
  /** Source of the price if it is a second source's; absent for the first one's. */
  readonly source?: string;
  readonly referencePrice: DecimalString;
  readonly confidence: DecimalString;
  readonly feedUpdatedAt: EpochMs;
  readonly receivedAt: EpochMs;
  readonly ageMs: number;
  readonly quality: Quality;
  readonly flags: readonly QualityFlag[];
}

/** One active event about the asset at the slot. */
export interface ObservedEvent {
  readonly id: string;
  readonly severity: Severity;
  readonly negative: boolean;
  readonly rumor: boolean;
  readonly observedAt: EpochMs;
  readonly headline: string;
}

/** An indicator's value on the last closed bar at the slot, and on the bar before; null during warm-up. */
export interface IndicatorValue {
  readonly value: number | null;
  readonly previous: number | null;
  /** Open time of the last included closed bar, or null. */
  readonly barOpenTime: EpochMs | null;
  /** Closed bars (hours, of funding) that it has so far; only during warm-up. No decision hash depends on it. */
  readonly bars?: number;
}

/** Age in bars, from its open time, up to which rules read an indicator's last bar. */
export const FRESH_BARS = 3;

/** An indicator that some manifest needs of an instrument; `indicatorKey` gives its name in an observation. */
export interface IndicatorNeed {
  readonly instrument: InstrumentKey;
  readonly name: 'rsi' | 'ema' | 'volatility' | 'funding_percentile';
  readonly timeframe: string;
  /** The bars (rsi, ema, volatility) or days (funding_percentile) that it looks back over. */
  readonly period: number;
}

/** `rsi:14@1h`: how an indicator is named inside an observation. */
export function indicatorKey(need: Pick<IndicatorNeed, 'name' | 'period' | 'timeframe'>): string {
  return `${need.name}:${need.period}@${need.timeframe}`;
}

/** Observation of one instrument at one slot, shared by every agent that reads it. Null means unknown. */
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
  /** (perpetual mark - spot) / spot x 100 against the asset's perpetual, if any. */
  readonly basisPct: number | null;
  readonly hourlyFunding: DecimalString | null;
  readonly markPrice: DecimalString | null;
  readonly liquidityUsd: DecimalString | null;
  readonly indicators: { readonly [key: string]: IndicatorValue };
  /** Active events, newest first. Null if no source was received for all of the longest look-back, so that rules on events observe null. */
  readonly events: readonly ObservedEvent[] | null;
}

/** The observations of one slot by instrument. */
export interface Cut {
  readonly slot: EpochMs;
  readonly observations: ReadonlyMap<InstrumentKey, Observation>;
  /** The rule by which records commit to it (`CutHashes`): the second, unless a tape was recorded under the first. */
  readonly hashedBy?: 1;
}

/** SHA-256 of an observation's canonical JSON: the hash of its stored row, and the leaf of the first rule. */
export function observationHash(observation: Observation): string {
  return canonicalHash(observation);
}
