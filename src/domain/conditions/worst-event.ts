/** no_negative_event and negative_event: the worst negative event about the asset within a look-back. */
import { LONGEST_EVENT_LOOKBACK_HOURS } from '../intelligence/listening.ts';
import type { ManifestCondition } from '../manifest/manifest.ts';
import type { Observation } from '../market/cut.ts';
import { SEVERITIES, type Severity } from '../market/market-event.ts';
import { HOUR_MS } from '../values/time.ts';
import { type ConditionDefinition, NO_NEEDS, numberField, type Observed, textField } from './condition.ts';

/** Reads the severity of the worst negative event within the look-back: `none` if there is none, null if a source was not received. */
function worstSeverity(condition: ManifestCondition): (observation: Observation) => Severity | 'none' | null {
  const lookbackMs = numberField(condition, 'lookbackHours') * HOUR_MS;
  const includeRumors = condition['includeRumors'] === true;
  return (observation) => {
    if (observation.events === null) return null;
    let worst = -1;
    for (const event of observation.events) {
      if (!event.negative || (event.rumor && !includeRumors) || event.observedAt < observation.slot - lookbackMs) continue;
      worst = Math.max(worst, SEVERITIES.indexOf(event.severity));
    }
    return SEVERITIES[worst] ?? 'none';
  };
}

function negativeEventCondition(spec: {
  readonly type: string;
  readonly description: string;
  readonly side: 'entry' | 'exit';
}): ConditionDefinition {
  return {
    type: spec.type,
    description: spec.description,
    sides: [spec.side],
    kinds: null,
    inputs: ['events'],
    fields: {
      minSeverity: { type: 'choice', choices: SEVERITIES, default: 'high', description: 'The lowest severity that counts.' },
      lookbackHours: {
        type: 'integer',
        min: 1,
        max: LONGEST_EVENT_LOOKBACK_HOURS,
        default: 24,
        description: 'Look-back of events, in hours.',
      },
      includeRumors: { type: 'boolean', default: false, description: 'True to count events that nothing has confirmed yet.' },
    },
    needs: NO_NEEDS,
    compile: (condition) => {
      const least = SEVERITIES.indexOf(textField(condition, 'minSeverity') as Severity);
      const counts = (observed: Observed): boolean => SEVERITIES.indexOf(observed as Severity) >= least;
      return {
        observe: worstSeverity(condition),
        passes: spec.side === 'entry' ? (observed) => observed !== null && !counts(observed) : counts,
        observeUngated: null,
        usesReference: false,
      };
    },
    threshold: (condition) => textField(condition, 'minSeverity'),
  };
}

export const NO_NEGATIVE_EVENT = negativeEventCondition({
  type: 'no_negative_event',
  description: 'No negative event of at least this severity within the look-back.',
  side: 'entry',
});

export const NEGATIVE_EVENT = negativeEventCondition({
  type: 'negative_event',
  description: 'A negative event of at least this severity within the look-back.',
  side: 'exit',
});
