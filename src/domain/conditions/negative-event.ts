/** negative_event: something negative of a severity was observed about the asset within a look-back; the exit to no_negative_event. */
import { negativeEventCondition } from './worst-event.ts';

export const NEGATIVE_EVENT = negativeEventCondition({
  type: 'negative_event',
  description: 'A negative event of at least this severity within the look-back.',
  side: 'exit',
});
