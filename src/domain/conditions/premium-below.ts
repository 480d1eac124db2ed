/** premium_below: the fair-value gap of a tokenized equity is below a percentage. */
import { percentCondition } from './condition.ts';

export const PREMIUM_BELOW = percentCondition({
  type: 'premium_below',
  description: 'The token price stands below this premium over the reference price. Needs a live quote and a live reference.',
  direction: 'below',
  kinds: ['tokenized_equity'],
  live: 'quote_and_reference',
  inputs: ['quote', 'reference'],
  read: (observation) => observation.premiumPct,
});
