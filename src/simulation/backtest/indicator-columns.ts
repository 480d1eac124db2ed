/** Indicators over whole columns of closes, one loop each. A test proves them bit-identical to the streaming ones. */
import type { IndicatorNeed } from '../../domain/market/cut.ts';
import { toStep, WindowedIndicator, computeWindow } from '../../domain/indicators/windowed.ts';
import type { CloseSeries } from './history.ts';

type Need = Pick<IndicatorNeed, 'name' | 'period' | 'timeframe'>;

/** Range of bars from `first` to before `end` whose windows begin at bar `start`. */
interface Span {
  readonly start: number;
  readonly first: number;
  readonly end: number;
}

/** Returns the value after each close; NaN during warm-up. */
export function indicatorColumn(need: Need, series: CloseSeries): Float64Array {
  if (need.name === 'rsi') return rsiColumn(need.period, series.close, findSpans(need, series.openTime));
  if (need.name === 'ema') return emaColumns(need.period, series.close, findSpans(need, series.openTime)).values;
  const indicator = new WindowedIndicator(need);
  return series.close.map((close, i) => {
    indicator.push(series.openTime[i] as number, close);
    return indicator.value ?? Number.NaN;
  });
}

function findSpans(need: Need, openTime: Float64Array): Span[] {
  const window = computeWindow(need);
  const stepMs = window.step * window.barMs;
  const spans: Span[] = [];
  const begun: { step: number; first: number }[] = [];
  for (let first = 0; first < openTime.length; ) {
    const step = toStep(window, openTime[first] as number);
    begun.push({ step, first });
    while ((begun[0] as { step: number }).step < step - window.steps) begun.shift();
    let end = first + 1;
    while (end < openTime.length && (openTime[end] as number) < (step + 1) * stepMs) end++;
    spans.push({ start: (begun[0] as { first: number }).first, first, end });
    first = end;
  }
  return spans;
}

/** Returns the average after each close, and the average before it over the same window. */
function emaColumns(period: number, closes: Float64Array, spans: readonly Span[]): { values: Float64Array; previous: Float64Array } {
  const values = new Float64Array(closes.length).fill(Number.NaN);
  const previous = new Float64Array(closes.length).fill(Number.NaN);
  const k = 2 / (period + 1);
  const rest = 1 - k;
  for (const { start, first, end } of spans) {
    const seeded = start + period;
    if (seeded > end) continue;
    let average = 0;
    for (let i = start; i < seeded; i++) average += closes[i] as number;
    average /= period;
    if (seeded > first) values[seeded - 1] = average;
    for (let i = seeded; i < first; i++) average = (closes[i] as number) * k + average * rest;
    for (let i = Math.max(seeded, first); i < end; i++) {
      previous[i] = average;
      average = (closes[i] as number) * k + average * rest;
      values[i] = average;
    }
  }
  return { values, previous };
}

function rsiColumn(period: number, closes: Float64Array, spans: readonly Span[]): Float64Array {
  const values = new Float64Array(closes.length).fill(Number.NaN);
  const kept = period - 1;
  for (const { start, first, end } of spans) {
    const seeded = start + period;
    if (seeded >= end) continue;
    let gain = 0;
    let loss = 0;
    for (let i = start + 1; i <= seeded; i++) {
      const change = (closes[i] as number) - (closes[i - 1] as number);
      gain += change > 0 ? change : 0;
      loss += change < 0 ? -change : 0;
    }
    gain /= period;
    loss /= period;
    if (seeded >= first) values[seeded] = strength(gain, loss);
    for (let i = seeded + 1; i < end; i++) {
      const change = (closes[i] as number) - (closes[i - 1] as number);
      const size = Math.abs(change);
      // Rise or 0, and fall or 0, exactly and without a branch: the sign of a change is unpredictable for the processor.
      gain = (gain * kept + (size + change) / 2) / period;
      loss = (loss * kept + (size - change) / 2) / period;
      if (i >= first) values[i] = strength(gain, loss);
    }
  }
  return values;
}

function strength(gain: number, loss: number): number {
  if (loss === 0) return gain === 0 ? 50 : 100;
  return 100 - 100 / (1 + gain / loss);
}

/**
 * Returns the fast average relative to the slow one after each close: 1 crossed up, 2 crossed down, 3 above, 4 below, 5 level; 0 if
 * either has no current or no previous value.
 */
export function emaRelations(fast: number, slow: number, timeframe: string, { openTime, close }: CloseSeries): Uint8Array {
  const [a, b] = [fast, slow].map((period) => emaColumns(period, close, findSpans({ name: 'ema', period, timeframe }, openTime))) as [
    ReturnType<typeof emaColumns>,
    ReturnType<typeof emaColumns>,
  ];
  return Uint8Array.from(close, (_, i) => {
    const now = (a.values[i] as number) - (b.values[i] as number);
    const before = (a.previous[i] as number) - (b.previous[i] as number);
    if (Number.isNaN(now) || Number.isNaN(before)) return 0;
    return now > 0 ? (before <= 0 ? 1 : 3) : now < 0 ? (before >= 0 ? 2 : 4) : 5;
  });
}
