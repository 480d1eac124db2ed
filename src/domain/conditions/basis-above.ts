/** basis_above: the perpetual's mark is above the spot price by more than a percentage. */
import { percentCondition } from './condition.ts';

export const BASIS_ABOVE = percentCondition({
  type: 'basis_above',
  description: "The asset's perpetual trades above this basis to spot. Needs a live quote.",
  direction: 'above',
  kinds: ['spot', 'perp'],
  live: 'quote',
  inputs: ['quote', 'perpetual', 'spot'],
  read: (observation) => observation.basisPct,
});
