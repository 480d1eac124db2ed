/** gap_to_mark_below: the gap of a pre-IPO token to its issuer mark is below a percentage. */
import { percentCondition } from './condition.ts';

export const GAP_TO_MARK_BELOW = percentCondition({
  type: 'gap_to_mark_below',
  description: 'The implied valuation stands below this gap to the issuer mark. Needs a live quote and a mark that is not over age.',
  direction: 'below',
  kinds: ['pre_ipo'],
  live: 'quote_and_reference',
  inputs: ['quote', 'reference'],
  read: (observation) => observation.gapToMarkPct,
});
