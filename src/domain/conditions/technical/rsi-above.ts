/** rsi_above: Wilder's RSI of the last closed bar is above a value. */
import { rsiCondition } from './rsi.ts';

export const RSI_ABOVE = rsiCondition('above');
