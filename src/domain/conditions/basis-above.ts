/** basis_above: the perpetual's mark lies above a percentage of the spot price. */
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
