/** rsi_above: Wilder RSI of the last closed bar lies above a value. */
import { rsiCondition } from './rsi.ts';

export const RSI_ABOVE = rsiCondition('above');
