/** Equity of a run as its report stores it: every mark around the shock, and the lowest of each quiet period. */
import { Decimal, type DecimalString, plainDecimal } from '../../domain/values/decimal.ts';
import { type EpochMs, MINUTE_MS } from '../../domain/values/time.ts';
import type { ScenarioCourse } from './scenario.ts';

export class EquityCurve {
  /** Marks in US dollars, to a millionth. */
  readonly marks: DecimalString[] = [];
  /** Points of minutes since the shock and US dollars, to the cent. */
  readonly points: [minute: number, usd: DecimalString][] = [];
  readonly #course: Pick<ScenarioCourse, 'shockAt' | 'dense'>;
  readonly #quietMs: number;
  #quietLow: Decimal | null = null;
  #quietMinute = 0;
  #quietUntil: EpochMs = 0;

  /** @param quietMs length of a period of which only the lowest mark is kept */
  constructor(course: Pick<ScenarioCourse, 'shockAt' | 'dense'>, quietMs: number) {
    this.#course = course;
    this.#quietMs = quietMs;
  }

  minuteOf(at: EpochMs): number {
    return Math.round((at - this.#course.shockAt) / MINUTE_MS);
  }

  keep(at: EpochMs, equity: Decimal): void {
    const minute = this.minuteOf(at);
    if (this.#course.dense(at)) {
      this.flush();
      this.#put(minute, equity);
      return;
    }
    if (this.#quietLow !== null && at >= this.#quietUntil) this.flush();
    if (this.#quietLow === null) this.#quietUntil = at + this.#quietMs;
    if (this.#quietLow === null || equity.lt(this.#quietLow)) {
      this.#quietLow = equity;
      this.#quietMinute = minute;
    }
  }

  /** Adds the lowest mark of the current period. */
  flush(): void {
    if (this.#quietLow === null) return;
    this.#put(this.#quietMinute, this.#quietLow);
    this.#quietLow = null;
  }

  /** Adds the last mark. */
  end(at: EpochMs, equity: Decimal): void {
    this.flush();
    this.#put(this.minuteOf(at), equity);
  }

  /** Returns how far the lowest mark is below the capital, in percent of it, to a millionth. */
  lossPct(capitalUsd: DecimalString): number {
    const lowest = this.marks.reduce((low, one) => Decimal.min(low, one), new Decimal(capitalUsd));
    return new Decimal(capitalUsd).minus(lowest).times(100).div(capitalUsd).toDecimalPlaces(6).toNumber();
  }

  #put(minute: number, equity: Decimal): void {
    this.marks.push(plainDecimal(equity.toDecimalPlaces(6)));
    this.points.push([minute, plainDecimal(equity.toDecimalPlaces(2))]);
  }
}
