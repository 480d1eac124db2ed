/** rsi_below: Wilder RSI of the last closed bar lies below a value. */
import { rsiCondition } from './rsi.ts';

export const RSI_BELOW = rsiCondition('below');
