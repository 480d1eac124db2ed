/** price_below: the mid price is below a price. */
import { decimalCondition } from '../condition.ts';

export const PRICE_BELOW = decimalCondition({
  type: 'price_below',
  description: 'The mid price of the instrument stands below this price. Needs a live quote.',
  direction: 'below',
  field: 'price',
  fieldDescription: "Price in the instrument's quote unit; passes strictly below it.",
  live: 'quote',
  inputs: ['quote'],
  kinds: null,
  read: (observation) => observation.quote?.mid ?? null,
});
