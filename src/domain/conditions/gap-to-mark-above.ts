/** gap_to_mark_above: the gap of a pre-IPO token to its issuer mark is above a percentage. */
import { percentCondition } from './condition.ts';

export const GAP_TO_MARK_ABOVE = percentCondition({
  type: 'gap_to_mark_above',
  description: 'The implied valuation stands above this gap to the issuer mark. Needs a live quote and a mark that is not over age.',
  direction: 'above',
  kinds: ['pre_ipo'],
  live: 'quote_and_reference',
  inputs: ['quote', 'reference'],
  read: (observation) => observation.gapToMarkPct,
});
