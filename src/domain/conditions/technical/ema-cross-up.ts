/** ema_cross_up: the fast exponential moving average crossed above the slow one on the last closed bar. */
import { emaCondition } from './ema-cross.ts';

export const EMA_CROSS_UP = emaCondition('ema_cross_up', 'The fast EMA crossed the slow one up on the last closed bar.', ['crossed_up']);
