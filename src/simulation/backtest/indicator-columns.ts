/** Indicators over whole columns of closes: the same arithmetic as the streaming ones, in one loop each (equal bit for bit, by test). */
import type { IndicatorNeed } from '../../domain/cut.ts';
import { indicatorOf } from '../../domain/indicators/index.ts';

/** The value after each close; NaN during warm-up. */
export function indicatorColumn(need: Pick<IndicatorNeed, 'name' | 'period' | 'timeframe'>, closes: Float64Array): Float64Array {
  if (need.name === 'rsi') return rsiColumn(need.period, closes);
  if (need.name === 'ema') return emaColumn(need.period, closes);
  const indicator = indicatorOf(need.name);
  const state = indicator.create(need.period, need.timeframe);
  return closes.map((close) => indicator.push(state, close) ?? Number.NaN);
}

function emaColumn(period: number, closes: Float64Array): Float64Array {
  const values = new Float64Array(closes.length);
  const warm = Math.min(period - 1, closes.length);
  let average = 0;
  for (let i = 0; i < warm; i++) {
    average += closes[i] as number;
    values[i] = Number.NaN;
  }
  if (warm >= closes.length) return values;
  average = (average + (closes[warm] as number)) / period;
  values[warm] = average;
  const k = 2 / (period + 1);
  const rest = 1 - k;
  for (let i = warm + 1; i < closes.length; i++) {
    average = (closes[i] as number) * k + average * rest;
    values[i] = average;
  }
  return values;
}

function rsiColumn(period: number, closes: Float64Array): Float64Array {
  const values = new Float64Array(closes.length);
  const warm = Math.min(period + 1, closes.length);
  let gain = 0;
  let loss = 0;
  if (closes.length > 0) values[0] = Number.NaN;
  for (let i = 1; i < warm; i++) {
    const change = (closes[i] as number) - (closes[i - 1] as number);
    gain += change > 0 ? change : 0;
    loss += change < 0 ? -change : 0;
    values[i] = Number.NaN;
  }
  if (closes.length <= period) return values;
  gain /= period;
  loss /= period;
  values[period] = strength(gain, loss);
  const kept = period - 1;
  for (let i = period + 1; i < closes.length; i++) {
    const change = (closes[i] as number) - (closes[i - 1] as number);
    const size = Math.abs(change);
    // The rise or else 0, the fall or else 0, exactly: a branch on the sign of a change is mispredicted every other time.
    gain = (gain * kept + (size + change) / 2) / period;
    loss = (loss * kept + (size - change) / 2) / period;
    values[i] = strength(gain, loss);
  }
  return values;
}

function strength(gain: number, loss: number): number {
  if (loss === 0) return gain === 0 ? 50 : 100;
  return 100 - 100 / (1 + gain / loss);
}

/**
 * Where the fast average stands against the slow one after each close: 1 crossed up, 2 crossed down, 3 above, 4 below,
 * 5 level; 0 while one of them has no value now or no previous one. Both averages in one pass, kept nowhere.
 */
export function emaRelations(fast: number, slow: number, closes: Float64Array): Uint8Array {
  const codes = new Uint8Array(closes.length);
  const later = Math.max(fast, slow);
  const [kFast, kSlow] = [2 / (fast + 1), 2 / (slow + 1)];
  const [restFast, restSlow] = [1 - kFast, 1 - kSlow];
  let [a, b] = [0, 0];
  const warm = Math.min(later, closes.length);
  for (let i = 0; i < warm; i++) {
    const close = closes[i] as number;
    a = i < fast ? a + close : close * kFast + a * restFast;
    b = i < slow ? b + close : close * kSlow + b * restSlow;
    if (i === fast - 1) a /= fast;
    if (i === slow - 1) b /= slow;
  }
  let before = a - b;
  for (let i = warm; i < closes.length; i++) {
    const close = closes[i] as number;
    a = close * kFast + a * restFast;
    b = close * kSlow + b * restSlow;
    const now = a - b;
    codes[i] = now > 0 ? (before <= 0 ? 1 : 3) : now < 0 ? (before >= 0 ? 2 : 4) : 5;
    before = now;
  }
  return codes;
}
