/** basis_below: the perpetual's mark is above the spot price by less than a percentage. */
import { percentCondition } from './condition.ts';

export const BASIS_BELOW = percentCondition({
  type: 'basis_below',
  description: "The asset's perpetual trades below this basis to spot. Needs a live quote.",
  direction: 'below',
  kinds: ['spot', 'perp'],
  live: 'quote',
  inputs: ['quote', 'perpetual', 'spot'],
  read: (observation) => observation.basisPct,
});
