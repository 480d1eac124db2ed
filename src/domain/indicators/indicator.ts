/** Defines an indicator: a streaming computation whose whole state is plain JSON. */
import type { IndicatorNeed } from '../market/cut.ts';

/** A streaming indicator over closed bars (or, for funding, over hourly funding rates). */
export interface Indicator<State> {
  readonly name: IndicatorNeed['name'];
  /** Input of the indicator: the close of a bar, or a funding rate. */
  readonly input: 'close' | 'hourly_funding';
  /** Returns the number of inputs up to and including the one that yields the first value. */
  warmUp(period: number): number;
  /** Returns the state before any input. `timeframe` is that of the bars. */
  create(period: number, timeframe: string): State;
  /**
   * Takes the next input, changes the state in place and returns the value, or null during warm-up. @throws RangeError if the input is not
   * finite, or not positive for a price, because a wrong number must not enter an average.
   */
  push(state: State, input: number): number | null;
}

/** Returns a valid period: a whole number from `least` on. @throws RangeError otherwise. */
export function checkedPeriod(name: string, period: number, least: number): number {
  if (!Number.isInteger(period) || period < least) throw new RangeError(`${name} needs a whole period of at least ${least}, got ${period}`);
  return period;
}

/** Returns a valid close: finite and positive. @throws RangeError otherwise. */
export function checkedClose(name: string, close: number): number {
  if (!(close > 0) || close === Number.POSITIVE_INFINITY) throw new RangeError(`${name} needs a close above zero, got ${close}`);
  return close;
}
