/** Wilder's relative strength index. */
import { checkedClose, checkedPeriod, type Indicator } from './indicator.ts';

export interface RsiState {
  readonly period: number;
  /** Number of changes so far, up to the period. */
  changes: number;
  previous: number | null;
  /** Sums of gains and losses during warm-up, Wilder's averages afterwards. */
  gain: number;
  loss: number;
}

/**
 * Wilder's RSI. The first averages are the simple means of the first `period` changes, later ones (previous x (period - 1) + change) /
 * period. The value is 100 - 100 / (1 + gain / loss). Warm-up: `period` + 1 closes. Without any loss it is 100. Without any change, which
 * Wilder leaves open, it is 50.
 */
export const RSI: Indicator<RsiState> = {
  name: 'rsi',
  input: 'close',
  warmUp: (period) => period + 1,
  create: (period) => ({ period: checkedPeriod('rsi', period, 1), changes: 0, previous: null, gain: 0, loss: 0 }),
  push(state, close) {
    checkedClose('rsi', close);
    if (state.previous === null) {
      state.previous = close;
      return null;
    }
    const change = close - state.previous;
    const gain = change > 0 ? change : 0;
    const loss = change < 0 ? -change : 0;
    state.previous = close;
    if (state.changes < state.period) {
      state.gain += gain;
      state.loss += loss;
      state.changes++;
      if (state.changes < state.period) return null;
      state.gain /= state.period;
      state.loss /= state.period;
    } else {
      state.gain = (state.gain * (state.period - 1) + gain) / state.period;
      state.loss = (state.loss * (state.period - 1) + loss) / state.period;
    }
    if (state.loss === 0) return state.gain === 0 ? 50 : 100;
    return 100 - 100 / (1 + state.gain / state.loss);
  },
};
