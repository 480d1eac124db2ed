/** event_sentiment: do not enter while a negative event of the asset is known, and exit when one arrives. */
import { NO_NEGATIVE_EVENT } from '../conditions/worst-event.ts';
import type { FieldSchema } from '../values/field.ts';
import type { FactorDefinition, FactorParameters } from './factor.ts';

const conditionFields = (parameters: FactorParameters) => ({
  minSeverity: parameters['min_severity'] as string,
  lookbackHours: parameters['lookback_hours'] as number,
  includeRumors: parameters['include_rumors'] as boolean,
});

export const EVENT_SENTIMENT: FactorDefinition = {
  name: 'event_sentiment',
  description: 'Enters while no negative event of a severity lies within the look-back, exits when there is one.',
  parameters: {
    min_severity: NO_NEGATIVE_EVENT.fields['minSeverity'] as FieldSchema,
    lookback_hours: NO_NEGATIVE_EVENT.fields['lookbackHours'] as FieldSchema,
    include_rumors: NO_NEGATIVE_EVENT.fields['includeRumors'] as FieldSchema,
  },
  usesTimeframe: false,
  expand: (parameters) => ({
    entry: [{ type: 'no_negative_event', ...conditionFields(parameters) }],
    exit: [{ type: 'negative_event', ...conditionFields(parameters) }],
  }),
};
