/** reference_lost: the token has a live quote, but its reference price is no longer live. */
import { NOWHERE } from './carried-reference.ts';
import { type ConditionDefinition, isQuoteLive, isReferenceReadable, NO_NEEDS, type Observed } from './condition.ts';

export const REFERENCE_LOST: ConditionDefinition = {
  type: 'reference_lost',
  description:
    'The reference price is missing, not live, or carried forward where the manifest does not allow it, while the token itself can be traded.',
  sides: ['exit'],
  kinds: ['tokenized_equity', 'pre_ipo'],
  inputs: ['quote'],
  fields: {},
  needs: NO_NEEDS,
  compile: (_, carriedIn = NOWHERE) => ({
    observe: (observation) => (isQuoteLive(observation) ? (isReferenceReadable(observation, carriedIn) ? 'live' : 'lost') : null),
    passes: (observed: Observed) => observed === 'lost',
    observeUngated: null,
    usesReference: false,
  }),
  threshold: () => 'lost',
};
