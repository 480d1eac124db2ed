/** basis_below: the perpetual's mark lies below a percentage of the spot price. */
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
