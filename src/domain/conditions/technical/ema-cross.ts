/** ema_above, ema_below, ema_cross_up and ema_cross_down: two exponential moving averages on the last closed bars. */
import type { ManifestCondition } from '../../manifest/manifest.ts';
import type { IndicatorNeed, Observation } from '../../market/cut.ts';
import type { Fields } from '../../values/field.ts';
import {
  type ConditionDefinition,
  freshIndicator,
  numberField,
  type Observed,
  PERIOD_FIELD,
  TIMEFRAME_FIELD,
  textField,
  toIndicatorNeed,
} from '../condition.ts';

/** Fast average relative to the slow one on the last closed bar. */
type EmaRelation = 'crossed_up' | 'crossed_down' | 'above' | 'below' | 'level';

const FIELDS: Fields = {
  fast: { ...PERIOD_FIELD, min: 1, description: 'Period of the fast average in closed bars; less than slow.' },
  slow: { ...PERIOD_FIELD, description: 'Period of the slow average in closed bars.' },
  timeframe: TIMEFRAME_FIELD,
};

function ema(condition: ManifestCondition, which: 'fast' | 'slow'): Pick<IndicatorNeed, 'name' | 'period' | 'timeframe'> {
  return { name: 'ema', period: numberField(condition, which), timeframe: textField(condition, 'timeframe') };
}

/**
 * Reads the state of two averages of the same last bar, or null if one is unknown or the bars differ. A cross is between two neighbouring
 * bars: not above before and above now, or not below before and below now.
 */
function relation(condition: ManifestCondition): (observation: Observation) => EmaRelation | null {
  const readFast = freshIndicator(ema(condition, 'fast'));
  const readSlow = freshIndicator(ema(condition, 'slow'));
  return (observation) => {
    const fast = readFast(observation);
    const slow = readSlow(observation);
    if (fast === null || slow === null || fast.barOpenTime !== slow.barOpenTime || fast.value === null || slow.value === null) return null;
    if (fast.previous === null || slow.previous === null) return null;
    if (fast.value > slow.value) return fast.previous <= slow.previous ? 'crossed_up' : 'above';
    if (fast.value < slow.value) return fast.previous >= slow.previous ? 'crossed_down' : 'below';
    return 'level';
  };
}

function emaCondition(type: string, description: string, accepted: readonly EmaRelation[]): ConditionDefinition {
  return {
    type,
    description,
    sides: ['entry', 'exit'],
    kinds: null,
    inputs: [],
    fields: FIELDS,
    check: (condition, path) =>
      numberField(condition, 'fast') < numberField(condition, 'slow')
        ? null
        : {
            path: `${path}.fast`,
            problem: 'fast must be less than slow',
            allowed: `a whole number below ${numberField(condition, 'slow')}`,
          },
    needs: (condition, instrument) => [
      toIndicatorNeed(instrument, ema(condition, 'fast')),
      toIndicatorNeed(instrument, ema(condition, 'slow')),
    ],
    compile: (condition) => ({
      observe: relation(condition),
      passes: (observed: Observed) => accepted.includes(observed as EmaRelation),
      observeUngated: null,
      usesReference: false,
    }),
    threshold: () => accepted.join('|'),
  };
}

export const EMA_CROSS_UP = emaCondition('ema_cross_up', 'The fast EMA crossed the slow one up on the last closed bar.', ['crossed_up']);

export const EMA_CROSS_DOWN = emaCondition('ema_cross_down', 'The fast EMA crossed the slow one down on the last closed bar.', [
  'crossed_down',
]);

export const EMA_ABOVE = emaCondition('ema_above', 'The fast EMA stands above the slow one on the last closed bar.', [
  'above',
  'crossed_up',
]);

export const EMA_BELOW = emaCondition('ema_below', 'The fast EMA stands below the slow one on the last closed bar.', [
  'below',
  'crossed_down',
]);
