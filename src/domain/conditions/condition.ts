/** Defines a condition, and the code that similar conditions share. */

import type { BookPosition } from '../agents/decision.ts';
import type { InstrumentKind } from '../catalog/catalog.ts';
import type { ManifestCondition } from '../manifest/manifest.ts';
import { FRESH_BARS, type IndicatorNeed, type IndicatorValue, indicatorKey, type Observation } from '../market/cut.ts';
import type { InstrumentKey } from '../market/venue.ts';
import { compareDecimals } from '../values/decimal.ts';
import type { Fields, Problem } from '../values/field.ts';
import { type EpochMs, timeframeMs } from '../values/time.ts';
import { type CarriedIn, isReadableCarried, NOWHERE } from './carried-reference.ts';

/** Value observed by a rule: a number, a plain word or decimal (letters, digits, `_`, `.`, `-`, never a quote mark), or null if unknown. */
export type Observed = number | string | null;

type ObserveRule = (observation: Observation, position: BookPosition | null) => Observed;

/**
 * A condition compiled for the hot path. It passes by a function of its observed value, so that evaluating it allocates nothing and the
 * stored value explains the verdict.
 */
export interface CompiledCondition {
  /** Returns the value that the rule sees, or null if the input is unknown, stale or not live. */
  readonly observe: ObserveRule;
  /** Always false for null, so that unknown fails. */
  readonly passes: (observed: Observed) => boolean;
  /**
   * Returns the same value without requiring that quote and reference are live, for rules that require it. It never passes a rule. It tells
   * "blocked because the price is not live" from "did not apply".
   */
  readonly observeUngated: ObserveRule | null;
  /** True if the rule asks for a live reference price. */
  readonly usesReference: boolean;
}

/** Inputs of a rule besides indicators, which `needs` names. */
export type RuleInput = 'position' | 'quote' | 'reference' | 'perpetual' | 'spot' | 'pool' | 'events' | 'calendar';

/** One condition type of the registry. */
export interface ConditionDefinition {
  readonly type: string;
  readonly description: string;
  /** Sides of a manifest on which it makes sense. */
  readonly sides: readonly ('entry' | 'exit')[];
  /** Kinds of instruments that have its inputs, or null for all. On other kinds it never passes. */
  readonly kinds: readonly InstrumentKind[] | null;
  readonly fields: Fields;
  /** Checks that involve several fields. `path` is the condition's. */
  readonly check?: (condition: ManifestCondition, path: string) => Problem | null;
  /** Inputs in reading order. The first unknown one is the cause of an unknown value. */
  readonly inputs: readonly RuleInput[];
  /** Returns the indicators that it reads from an observation of the instrument. */
  readonly needs: (condition: ManifestCondition, instrument: InstrumentKey) => readonly IndicatorNeed[];
  /** Compiles a condition. @param carriedIn Sessions in which the manifest allows a carried reference. */
  readonly compile: (condition: ManifestCondition, carriedIn?: CarriedIn) => CompiledCondition;
  /** Returns the value that the observation is compared with, for the rule matrix. */
  readonly threshold: (condition: ManifestCondition) => number | string | null;
}

/** Returns a numeric field of a condition that its schema has read. */
export function numberField(condition: ManifestCondition, name: string): number {
  const value = condition[name];
  if (typeof value !== 'number') throw new TypeError(`condition ${condition.type} has no number ${name}: read it with readCondition first`);
  return value;
}

/** Returns a text field of a condition that its schema has read. */
export function textField(condition: ManifestCondition, name: string): string {
  const value = condition[name];
  if (typeof value !== 'string') throw new TypeError(`condition ${condition.type} has no text ${name}: read it with readCondition first`);
  return value;
}

/** True if the latest quote may become an order. */
export function isQuoteLive(observation: Observation): boolean {
  return observation.quote !== null && observation.quote.quality === 'live';
}

/** True if the reference is live, and not carried forward from an earlier session. */
export function isReferenceLive(observation: Observation): boolean {
  const reference = observation.reference;
  return reference !== null && reference.quality === 'live' && !reference.flags.includes('carried_forward');
}

/** True if rules may read the reference: it is live, or carried in a session in which the manifest allows it. */
export function isReferenceReadable(observation: Observation, allowed: CarriedIn): boolean {
  return isReferenceLive(observation) || isReadableCarried(observation.reference, observation.slot, allowed);
}

const finite = (value: number | null): number | null => (value !== null && Number.isFinite(value) ? value : null);

/** Inputs of an observation that must be live before a rule may read them. */
export type LiveInputs = 'none' | 'quote' | 'quote_and_reference';

export const NO_NEEDS = (): readonly IndicatorNeed[] => [];

/** Strict comparison. */
export type Direction = 'below' | 'above';

/** Compiles "a number of the observation is below / above a limit". */
export function compileNumber(
  read: (observation: Observation, position: BookPosition | null) => number | null,
  direction: Direction,
  limit: number,
  live: LiveInputs,
  carriedIn: CarriedIn = NOWHERE,
): CompiledCondition {
  const ungated: ObserveRule = (observation, position) => finite(read(observation, position));
  const quoteGated: ObserveRule = (observation, position) => (isQuoteLive(observation) ? finite(read(observation, position)) : null);
  const bothGated: ObserveRule = (observation, position) =>
    isQuoteLive(observation) && isReferenceReadable(observation, carriedIn) ? finite(read(observation, position)) : null;
  return {
    observe: live === 'none' ? ungated : live === 'quote' ? quoteGated : bothGated,
    passes:
      direction === 'below'
        ? (observed) => typeof observed === 'number' && observed < limit
        : (observed) => typeof observed === 'number' && observed > limit,
    observeUngated: live === 'none' ? null : ungated,
    usesReference: live === 'quote_and_reference',
  };
}

/** Defines a condition that compares a decimal of the observation with a decimal field, exactly and without floats. */
export function decimalCondition(spec: {
  readonly type: string;
  readonly description: string;
  readonly direction: Direction;
  readonly field: string;
  readonly fieldDescription: string;
  readonly live: 'none' | 'quote';
  readonly kinds: readonly InstrumentKind[] | null;
  readonly inputs: readonly RuleInput[];
  readonly read: (observation: Observation) => string | null;
}): ConditionDefinition {
  return {
    type: spec.type,
    description: spec.description,
    sides: ['entry', 'exit'],
    kinds: spec.kinds,
    inputs: spec.inputs,
    fields: { [spec.field]: { type: 'decimal', min: '0', max: '1000000000000', description: spec.fieldDescription } },
    needs: NO_NEEDS,
    compile: (condition) => {
      const limit = textField(condition, spec.field);
      // compareDecimals orders non-negative decimals only. A negative price or liquidity is no reading.
      const ungated: ObserveRule = (observation) => {
        const value = spec.read(observation);
        return value === null || value.charCodeAt(0) === 45 ? null : value;
      };
      return {
        observe:
          spec.live === 'quote' ? (observation, position) => (isQuoteLive(observation) ? ungated(observation, position) : null) : ungated,
        passes:
          spec.direction === 'below'
            ? (observed) => typeof observed === 'string' && compareDecimals(observed, limit) < 0
            : (observed) => typeof observed === 'string' && compareDecimals(observed, limit) > 0,
        observeUngated: spec.live === 'quote' ? ungated : null,
        usesReference: false,
      };
    },
    threshold: (condition) => textField(condition, spec.field),
  };
}

/** True if a bar had closed by the slot and at most one later bar is missing. A bar that closes at the slot arrives after it. */
export function isFreshBar(openTime: EpochMs, slot: EpochMs, barMs: number): boolean {
  const age = slot - openTime;
  return age >= barMs && age < FRESH_BARS * barMs;
}

/** Reads an indicator whose last bar is fresh at the slot. Older values read null. */
export function freshIndicator(
  need: Pick<IndicatorNeed, 'name' | 'period' | 'timeframe'>,
): (observation: Observation) => IndicatorValue | null {
  const key = indicatorKey(need);
  const barMs = timeframeMs(need.timeframe);
  if (barMs === null) throw new TypeError(`${need.timeframe} is not a timeframe`);
  return (observation) => {
    const indicator = observation.indicators[key];
    if (indicator === undefined || indicator.barOpenTime === null) return null;
    return isFreshBar(indicator.barOpenTime, observation.slot, barMs) ? indicator : null;
  };
}

/** Defines a condition that compares one indicator with a field. */
export function indicatorCondition(spec: {
  readonly type: string;
  readonly description: string;
  readonly direction: Direction;
  readonly kinds: readonly InstrumentKind[] | null;
  readonly fields: Fields;
  /** Field that the indicator is compared with. */
  readonly limit: string;
  readonly need: (condition: ManifestCondition) => Pick<IndicatorNeed, 'name' | 'period' | 'timeframe'>;
}): ConditionDefinition {
  return {
    type: spec.type,
    description: spec.description,
    sides: ['entry', 'exit'],
    kinds: spec.kinds,
    inputs: [],
    fields: spec.fields,
    needs: (condition, instrument) => [toIndicatorNeed(instrument, spec.need(condition))],
    compile: (condition) => {
      const read = freshIndicator(spec.need(condition));
      return compileNumber((observation) => read(observation)?.value ?? null, spec.direction, numberField(condition, spec.limit), 'none');
    },
    threshold: (condition) => numberField(condition, spec.limit),
  };
}

/** Returns an indicator's need with its members in a fixed order. */
export function toIndicatorNeed(instrument: InstrumentKey, need: Pick<IndicatorNeed, 'name' | 'period' | 'timeframe'>): IndicatorNeed {
  return { instrument, name: need.name, timeframe: need.timeframe, period: need.period };
}

/** Longest look-back of an indicator, in bars, for which a live process can warm up. */
export const MAX_PERIOD = 500;

export const PERIOD_FIELD = { type: 'integer', min: 2, max: MAX_PERIOD, description: 'Look-back in closed bars.' } as const;
export const TIMEFRAME_FIELD = {
  type: 'timeframe',
  optional: true,
  description: "Bars to compute on; the manifest's timeframe where it is missing.",
} as const;
