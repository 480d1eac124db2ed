/** price_above: the mid price is above a price. */
import { decimalCondition } from '../condition.ts';

export const PRICE_ABOVE = decimalCondition({
  type: 'price_above',
  description: 'The mid price of the instrument stands above this price. Needs a live quote.',
  direction: 'above',
  field: 'price',
  fieldDescription: "Price in the instrument's quote unit; passes strictly above it.",
  live: 'quote',
  inputs: ['quote'],
  kinds: null,
  read: (observation) => observation.quote?.mid ?? null,
});
