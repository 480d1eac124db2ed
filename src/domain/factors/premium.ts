/** premium: enter while the fair-value gap of a tokenized equity is low, exit once it has risen. */
import { percentageFactor } from './percentage.ts';

export const PREMIUM_FACTOR = percentageFactor(
  'premium',
  'Enters while the fair-value gap of a tokenized equity lies below max_pct, exits above exit_pct where it is given.',
);
