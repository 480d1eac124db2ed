/** ema_below: the fast exponential moving average is below the slow one. */
import { emaCondition } from './ema-cross.ts';

export const EMA_BELOW = emaCondition('ema_below', 'The fast EMA stands below the slow one on the last closed bar.', [
  'below',
  'crossed_down',
]);
