/** price_above and price_below: the mid price is above or below a price. */
import { type Direction, decimalCondition } from '../condition.ts';

const priceCondition = (direction: Direction) =>
  decimalCondition({
    type: `price_${direction}`,
    description: `The mid price of the instrument stands ${direction} this price. Needs a live quote.`,
    direction,
    field: 'price',
    fieldDescription: `Price in the instrument's quote unit; passes strictly ${direction} it.`,
    live: 'quote',
    inputs: ['quote'],
    kinds: null,
    read: (observation) => observation.quote?.mid ?? null,
  });

export const PRICE_ABOVE = priceCondition('above');
export const PRICE_BELOW = priceCondition('below');
