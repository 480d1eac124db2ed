/** basis: enter while the perpetual's basis to spot is low, exit once it has risen. */
import { percentageFactor } from './percentage.ts';

export const BASIS_FACTOR = percentageFactor(
  'basis',
  "Enters while the perpetual's basis to spot lies below max_pct, exits above exit_pct where it is given.",
);
