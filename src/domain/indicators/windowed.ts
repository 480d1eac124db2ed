/** Look-back of an indicator: its value depends only on its series, however many bars are kept. */
import type { IndicatorNeed, IndicatorValue } from '../market/cut.ts';
import { HOUR_MS, timeframeMs } from '../values/time.ts';
import { type Indicator, type IndicatorState, findIndicator } from './index.ts';

type Need = Pick<IndicatorNeed, 'name' | 'period' | 'timeframe'>;

/** Bars of a value: those of the last `steps` whole steps before its own bar's step, and of its own step up to the bar. */
interface IndicatorWindow {
  readonly barMs: number;
  /** Bars per step. Steps are counted from 1970, so that all processes begin them alike. */
  readonly step: number;
  readonly steps: number;
}

/** Steps that a fading average looks back over. It restarts once per step, with at most a quarter more to read. */
const FADING_STEPS = 4;
/** Periods per window, after which the first average weighs less than 1e-12. */
const FADED_PERIODS = { ema: 15, rsi: 29 } as const;
/** Maximum bars of a window, within the 2,000 bars kept of a series. */
const MOST_WINDOW_BARS = 1_996;

/** Returns the window of an indicator. Funding ranks the hours of its days, of which a day's worth may be missing. */
export function computeWindow({ name, period, timeframe }: Need): IndicatorWindow {
  if (name === 'funding_percentile') return { barMs: HOUR_MS, step: 1, steps: (period + 1) * 24 - 1 };
  const barMs = timeframeMs(timeframe);
  if (barMs === null) throw new RangeError(`${name} needs a timeframe such as 1h, got ${timeframe}`);
  if (name === 'volatility') return { barMs, step: between(250, period * 2, MOST_WINDOW_BARS / 2), steps: 1 };
  const step = Math.ceil((FADED_PERIODS[name] * period) / FADING_STEPS);
  return { barMs, step: between(100, step, Math.floor(MOST_WINDOW_BARS / (FADING_STEPS + 1))), steps: FADING_STEPS };
}

/** Returns a window of all bars ever pushed, which was the rule before windows existed. */
export function computeEndlessWindow(need: Need): IndicatorWindow {
  return { ...computeWindow(need), step: Number.POSITIVE_INFINITY, steps: 0 };
}

/** Returns the number of bars that contain the whole window of any bar that still counts as fresh. */
export function windowBars(need: Need): number {
  const { step, steps } = computeWindow(need);
  return step * (steps + 1) + 2;
}

function between(least: number, value: number, most: number): number {
  return Math.min(Math.max(value, least), most);
}

export function toStep({ barMs, step }: IndicatorWindow, openTime: number): number {
  return Math.floor(Math.floor(openTime / barMs) / step);
}

interface Run {
  readonly state: IndicatorState;
  /** Number of inputs so far. */
  taken: number;
  value: number | null;
  previous: number | null;
}

/**
 * An indicator over its window, pushed bar by bar in order. `previous` is computed over the same window as `value`, without the last bar.
 */
export class WindowedIndicator {
  readonly #need: Need;
  readonly #window: IndicatorWindow;
  readonly #indicator: Indicator<IndicatorState>;
  /** One run per step that this window or a later one begins with. The oldest gives the value. */
  readonly #runs: Run[] = [];
  /** Maximum runs. A percentile drops old inputs by itself, so it has one run and checks the times of its inputs. */
  readonly #most: number;
  readonly #ranked: number[] | null;
  #step = 0;

  constructor(need: Need, window: IndicatorWindow = computeWindow(need)) {
    this.#need = need;
    this.#window = window;
    this.#indicator = findIndicator(need.name);
    this.#ranked = this.#indicator.input === 'hourly_funding' ? [] : null;
    this.#most = this.#ranked === null ? window.steps + 1 : 1;
    for (let i = 0; i < this.#most; i++) this.#runs.push(this.#begun());
  }

  get value(): number | null {
    return this.#holds(0) ? (this.#runs[0] as Run).value : null;
  }

  get previous(): number | null {
    return this.#holds(1) ? (this.#runs[0] as Run).previous : null;
  }

  /**
   * Returns the value after the bar with this open time was pushed, or the bars so far during warm-up. Replays with endless windows omit
   * that count, to stay byte-identical.
   */
  at(barOpenTime: number | null): IndicatorValue {
    const { value, previous } = this;
    const isWarmingUp = value === null && barOpenTime !== null && Number.isFinite(this.#window.step);
    return isWarmingUp ? { value, previous, barOpenTime, bars: this.#bars } : { value, previous, barOpenTime };
  }

  push(openTime: number, input: number): void {
    const step = toStep(this.#window, openTime);
    if (this.#ranked === null) {
      for (let i = Math.min(step - this.#step, this.#most); i > 0; i--) {
        this.#runs.shift();
        this.#runs.push(this.#begun());
      }
    } else {
      this.#ranked.push(step);
      if (this.#ranked.length > this.#indicator.warmUp(this.#need.period) + 1) this.#ranked.shift();
    }
    this.#step = step;
    for (const run of this.#runs) {
      run.taken++;
      run.previous = run.value;
      run.value = this.#indicator.push(run.state, input);
    }
  }

  #begun(): Run {
    return { state: this.#indicator.create(this.#need.period, this.#need.timeframe), taken: 0, value: null, previous: null };
  }

  /** Number of inputs in the window so far. */
  get #bars(): number {
    const first = this.#step - this.#window.steps;
    return this.#ranked?.filter((step) => step >= first).length ?? (this.#runs[0] as Run).taken;
  }

  /** True if the window of the last input still contains the input `back` places before it. */
  #holds(back: number): boolean {
    const first = this.#ranked?.at(-this.#indicator.warmUp(this.#need.period) - back);
    return first === undefined || first >= this.#step - this.#window.steps;
  }
}
