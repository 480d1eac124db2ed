/** gap_to_mark: enter while the gap of a pre-IPO token to its issuer mark is low, exit once it has risen. */
import { percentageFactor } from './percentage.ts';

export const GAP_TO_MARK_FACTOR = percentageFactor(
  'gap_to_mark',
  'Enters while the gap of a pre-IPO token to its issuer mark lies below max_pct, exits above exit_pct where it is given.',
);
