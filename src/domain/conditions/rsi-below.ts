/** rsi_below: Wilder RSI of the last closed bar lies below a value (spec section 2.6). */
import { rsiCondition } from './rsi.ts';

export const RSI_BELOW = rsiCondition('below');
