/** ema_cross_down: the fast exponential moving average crossed below the slow one on the last closed bar. */
import { emaCondition } from './ema-cross.ts';

export const EMA_CROSS_DOWN = emaCondition('ema_cross_down', 'The fast EMA crossed the slow one down on the last closed bar.', [
  'crossed_down',
]);
