/** no_negative_event: no event of at least a severity was negative for the asset within a look-back. */
import { negativeEventCondition } from './worst-event.ts';

export const NO_NEGATIVE_EVENT = negativeEventCondition({
  type: 'no_negative_event',
  description: 'No negative event of at least this severity within the look-back.',
  side: 'entry',
});
