/** Momentum on stored hourly bars: 0.6 x the return of a day + 0.4 x the return of a week, in percent. */
import { Decimal, type DecimalString } from '../values/decimal.ts';
import { type EpochMs, HOUR_MS } from '../values/time.ts';
import { type ScoreTerm, term } from './ranked-row.ts';

const MOMENTUM_DAY_HOURS = 24;
const MOMENTUM_WEEK_HOURS = 168;
const MOMENTUM_WEIGHTS = { day: 0.6, week: 0.4 } as const;
/** Maximum age in hours of the last bar since its close. */
const MOMENTUM_MAX_AGE_HOURS = 6;
/** Maximum distance of a bar from the instant a day or week ago. */
const TOLERANCE_HOURS = 6;

export interface ClosedBar {
  readonly openTime: EpochMs;
  readonly close: DecimalString;
}

/** Bars that momentum reads of an instrument: the newest at an instant, and those nearest before it at given distances. Milliseconds. */
export interface BarsWanted {
  /** The newest bar opened at or before this instant, at most `withinMs` before it. */
  readonly at: EpochMs;
  readonly withinMs: number;
  /** Distances of the others before the newest bar. */
  readonly backMs: readonly number[];
  /** Maximum further distance of each of them. */
  readonly toleranceMs: number;
}

/** Returns the bars that `computeMomentum` compares at an instant. */
export function momentumBars(at: EpochMs): BarsWanted {
  return {
    at: at - HOUR_MS,
    withinMs: MOMENTUM_MAX_AGE_HOURS * HOUR_MS,
    backMs: [MOMENTUM_DAY_HOURS * HOUR_MS, MOMENTUM_WEEK_HOURS * HOUR_MS],
    toleranceMs: TOLERANCE_HOURS * HOUR_MS,
  };
}

export interface Momentum {
  readonly terms: readonly ScoreTerm[];
  /** Open times of the compared bars. */
  readonly bars: { readonly last: EpochMs; readonly day: EpochMs; readonly week: EpochMs };
}

/** Returns the last bar that had opened by `at`, within the tolerance, or null. */
function barNear(bars: readonly ClosedBar[], at: EpochMs): ClosedBar | null {
  let found: ClosedBar | null = null;
  for (const bar of bars) if (bar.openTime <= at) found = bar;
  return found !== null && at - found.openTime <= TOLERANCE_HOURS * HOUR_MS ? found : null;
}

/**
 * Returns the momentum at an instant, or null if the last closed bar, or the one of a day or week before it, is missing. @param bars
 * Hourly, ascending by open time.
 */
export function computeMomentum(bars: readonly ClosedBar[], at: EpochMs): Momentum | null {
  const closed = bars.filter(({ openTime }) => openTime + HOUR_MS <= at);
  const last = closed.at(-1);
  if (last === undefined || at - (last.openTime + HOUR_MS) > MOMENTUM_MAX_AGE_HOURS * HOUR_MS) return null;
  const day = barNear(closed, last.openTime - MOMENTUM_DAY_HOURS * HOUR_MS);
  const week = barNear(closed, last.openTime - MOMENTUM_WEEK_HOURS * HOUR_MS);
  if (day === null || week === null) return null;
  const since = (bar: ClosedBar): Decimal => new Decimal(last.close).minus(bar.close).div(bar.close).times(100);
  return {
    terms: [
      term('return of a day in percent', since(day), MOMENTUM_WEIGHTS.day),
      term('return of a week in percent', since(week), MOMENTUM_WEIGHTS.week),
    ],
    bars: { last: last.openTime, day: day.openTime, week: week.openTime },
  };
}
