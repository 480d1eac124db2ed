/** ema_above: the fast exponential moving average is above the slow one. */
import { emaCondition } from './ema-cross.ts';

export const EMA_ABOVE = emaCondition('ema_above', 'The fast EMA stands above the slow one on the last closed bar.', [
  'above',
  'crossed_up',
]);
