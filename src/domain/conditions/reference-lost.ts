/** reference_lost: the token has a live quote, and its reference price is not live any more. */
import { type ConditionDefinition, isQuoteLive, isReferenceLive, NO_NEEDS, type Observed } from './condition.ts';

export const REFERENCE_LOST: ConditionDefinition = {
  type: 'reference_lost',
  description: 'The reference price is missing, not live or carried forward, while the token itself can be traded.',
  sides: ['exit'],
  kinds: ['tokenized_equity', 'pre_ipo'],
  fields: {},
  needs: NO_NEEDS,
  compile: () => ({
    observe: (observation) => (isQuoteLive(observation) ? (isReferenceLive(observation) ? 'live' : 'lost') : null),
    passes: (observed: Observed) => observed === 'lost',
    observeUngated: null,
    usesReference: false,
  }),
  threshold: () => 'lost',
};
