/** negative_event: an event of at least a severity was negative for the asset within a look-back. Exit counterpart of no_negative_event. */
import { negativeEventCondition } from './worst-event.ts';

export const NEGATIVE_EVENT = negativeEventCondition({
  type: 'negative_event',
  description: 'A negative event of at least this severity within the look-back.',
  side: 'exit',
});
