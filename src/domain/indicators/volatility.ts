/** Realised volatility of closes. */
import { DAY_MS, timeframeMs } from '../values/time.ts';
import { checkedClose, checkedPeriod, type Indicator } from './indicator.ts';

export interface VolatilityState {
  readonly period: number;
  /** Bars in a year of 365 days around the clock, by which the variance of one bar is multiplied. */
  readonly barsPerYear: number;
  previous: number | null;
  /** Ring of the last `period` log returns. */
  readonly returns: number[];
  next: number;
}

const YEAR_MS = 365 * DAY_MS;

/**
 * Sample standard deviation (ddof 1) of the last `period` log returns, annualised by the square root of the bars in
 * a year of 365 days around the clock (tokens trade 24/7), in percent. Warm-up: `period` + 1 closes. A period has at least 2.
 */
export const VOLATILITY: Indicator<VolatilityState> = {
  name: 'volatility',
  input: 'close',
  warmUp: (period) => period + 1,
  create(period, timeframe) {
    const barMs = timeframeMs(timeframe);
    if (barMs === null) throw new RangeError(`volatility needs a timeframe such as 1h, got ${timeframe}`);
    return { period: checkedPeriod('volatility', period, 2), barsPerYear: YEAR_MS / barMs, previous: null, returns: [], next: 0 };
  },
  push(state, close) {
    checkedClose('volatility', close);
    if (state.previous === null) {
      state.previous = close;
      return null;
    }
    state.returns[state.next] = Math.log(close / state.previous);
    state.next = (state.next + 1) % state.period;
    state.previous = close;
    if (state.returns.length < state.period) return null;
    // Two passes over the window, because a running sum of squares would drift over years of bars.
    let sum = 0;
    for (const value of state.returns) sum += value;
    const mean = sum / state.period;
    let squares = 0;
    for (const value of state.returns) squares += (value - mean) * (value - mean);
    return Math.sqrt((squares / (state.period - 1)) * state.barsPerYear) * 100;
  },
};
