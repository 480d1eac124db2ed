/** Calm and stressed regimes of the market: the variance of each day, and the thinness of trading. */
import { SESSION_YEARS } from '../../domain/market/session.ts';
import { RevertingNoise, deriveSeed } from './seeded-noise.ts';
import { DAY_MS } from '../../domain/values/time.ts';

const DAY_MINUTES = 1440;
const DAYS = Math.floor(Date.UTC(SESSION_YEARS.last + 2, 0, 1) / DAY_MS);
/** Half-life of tension, in days. */
const HALF_LIFE_DAYS = 11;
/** Tension at which stress begins, and further tension until full stress, in standard deviations. */
const TENSE = 0.75;
const TENSEST = 1.6;
/** Variance of a calm day relative to an average one, and the addition in full stress. */
const CALM = 0.52;
const STRESSED = 4;

/** Variance elapsed by a minute, in years. */
type Clock = (minute: number) => number;

export class Regimes {
  readonly #stress = new Float64Array(DAYS + 2);

  constructor(seed: string) {
    const tension = new RevertingNoise(deriveSeed(`${seed}/tension`), HALF_LIFE_DAYS, 1);
    for (let day = 0; day < this.#stress.length; day++)
      this.#stress[day] = Math.min(1, Math.max(0, (tension.at(day) - TENSE) / (TENSEST - TENSE)));
  }

  /** Returns the stress at a minute, from 0 in calm times to 1. It is continuous. */
  stress(minute: number): number {
    const position = Math.min(minute / DAY_MINUTES, DAYS);
    const day = Math.floor(position);
    const left = this.#stress[day] as number;
    return left + ((this.#stress[day + 1] as number) - left) * (position - day);
  }

  /** Returns the variance of a minute's day relative to an average day. */
  variance(minute: number): number {
    return CALM + STRESSED * (this.#stress[Math.min(Math.floor(minute / DAY_MINUTES), DAYS)] as number);
  }

  /** Returns a clock that runs faster on days of stress. */
  paced(clock: Clock): Clock {
    const begun = beginnings(clock);
    const elapsed = new Float64Array(DAYS + 1);
    for (let day = 0; day < DAYS; day++) {
      const ran = (begun[day + 1] as number) - (begun[day] as number);
      elapsed[day + 1] = (elapsed[day] as number) + this.variance(day * DAY_MINUTES) * ran;
    }
    return (minute) => {
      const day = Math.min(Math.floor(minute / DAY_MINUTES), DAYS);
      return (elapsed[day] as number) + this.variance(minute) * (clock(minute) - (begun[day] as number));
    };
  }
}

const KNOWN_BEGINNINGS = new Map<Clock, Float64Array>();

/** Returns a clock's time at the beginning of each day. Cached, because it does not depend on the seed. */
function beginnings(clock: Clock): Float64Array {
  const known = KNOWN_BEGINNINGS.get(clock) ?? Float64Array.from({ length: DAYS + 1 }, (_, day) => clock(day * DAY_MINUTES));
  KNOWN_BEGINNINGS.set(clock, known);
  return known;
}
