/** Percentile of the latest hourly funding rate among those of the last days. */
import { checkedPeriod, type Indicator } from './indicator.ts';

export interface FundingPercentileState {
  /** Number of hourly rates in the window: 24 per day. */
  readonly window: number;
  /** Ring of the last `window` rates. */
  readonly rates: number[];
  next: number;
}

/**
 * Percentile rank, 0 to 100, of the latest hourly funding rate among the rates of the last `period` days, itself included. It is the
 * mid-rank: (rates below + half of the equal rates) / all. Funding stays at the venue's base rate for hours, so ties are common. If all are
 * equal it is 50. Warm-up: `period` x 24 rates.
 */
export const FUNDING_PERCENTILE: Indicator<FundingPercentileState> = {
  name: 'funding_percentile',
  input: 'hourly_funding',
  warmUp: (period) => period * 24,
  create: (period) => ({ window: checkedPeriod('funding_percentile', period, 1) * 24, rates: [], next: 0 }),
  push(state, rate) {
    if (!Number.isFinite(rate)) throw new RangeError(`funding_percentile needs a finite rate, got ${rate}`);
    state.rates[state.next] = rate;
    state.next = (state.next + 1) % state.window;
    if (state.rates.length < state.window) return null;
    let below = 0;
    let equal = 0;
    for (const other of state.rates) {
      if (other < rate) below++;
      else if (other === rate) equal++;
    }
    return ((below + equal / 2) / state.window) * 100;
  },
};
