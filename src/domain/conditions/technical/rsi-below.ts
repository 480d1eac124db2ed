/** rsi_below: Wilder's RSI of the last closed bar is below a value. */
import { rsiCondition } from './rsi.ts';

export const RSI_BELOW = rsiCondition('below');
