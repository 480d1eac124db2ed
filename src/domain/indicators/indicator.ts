/** Definition of an indicator: a streaming computation whose whole state is plain JSON. */
import type { IndicatorNeed } from '../market/cut.ts';

/** A streaming indicator over closed bars (or, for funding, over hourly funding rates). */
export interface Indicator<State> {
  readonly name: IndicatorNeed['name'];
  /** Input of the indicator: the close of a bar, or a funding rate. */
  readonly input: 'close' | 'hourly_funding';
  /** Returns the number of inputs until the first value, which the last of them yields. */
  warmUp(period: number): number;
  /** The state before any input. `timeframe` is that of the bars. */
  create(period: number, timeframe: string): State;
  /**
   * Takes the next input, changes the state in place and yields the value; null during warm-up.
   * @throws RangeError on an input that is not finite, or not above zero if a price is asked for: a wrong
   * number must not live on inside an average.
   */
  push(state: State, input: number): number | null;
}

/** The period as it must be: a whole number from 1. @throws RangeError otherwise. */
export function checkedPeriod(name: string, period: number, least: number): number {
  if (!Number.isInteger(period) || period < least) throw new RangeError(`${name} needs a whole period of at least ${least}, got ${period}`);
  return period;
}

/** A close as it must be: finite and above zero. @throws RangeError otherwise. */
export function checkedClose(name: string, close: number): number {
  if (!(close > 0) || close === Number.POSITIVE_INFINITY) throw new RangeError(`${name} needs a close above zero, got ${close}`);
  return close;
}
