/** Exponential moving average. */
import { checkedClose, checkedPeriod, type Indicator } from './indicator.ts';

export interface EmaState {
  readonly period: number;
  count: number;
  /** Sum of the closes during warm-up, the average afterwards. */
  average: number;
}

/**
 * EMA seeded with the simple mean of its first window: the `period`-th close yields that mean, later ones close x k + previous x (1 - k)
 * with k = 2 / (period + 1). Warm-up: `period` closes.
 */
export const EMA: Indicator<EmaState> = {
  name: 'ema',
  input: 'close',
  warmUp: (period) => period,
  create: (period) => ({ period: checkedPeriod('ema', period, 1), count: 0, average: 0 }),
  push(state, close) {
    checkedClose('ema', close);
    if (state.count < state.period) {
      state.average += close;
      state.count++;
      if (state.count < state.period) return null;
      state.average /= state.period;
    } else {
      const k = 2 / (state.period + 1);
      state.average = close * k + state.average * (1 - k);
    }
    return state.average;
  },
};
