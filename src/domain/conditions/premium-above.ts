/** premium_above: the fair-value gap of a tokenized equity is above a percentage. */
import { percentCondition } from './condition.ts';

export const PREMIUM_ABOVE = percentCondition({
  type: 'premium_above',
  description: 'The token price stands above this premium over the reference price. Needs a live quote and a live reference.',
  direction: 'above',
  kinds: ['tokenized_equity'],
  live: 'quote_and_reference',
  inputs: ['quote', 'reference'],
  read: (observation) => observation.premiumPct,
});
