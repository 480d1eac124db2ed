/** Premium of a token over its asset's value: a discount that usually closes within days, and sometimes lasts for weeks. */
import type { AssetTraits } from './listed-assets.ts';
import type { Regimes } from './regimes.ts';
import { RevertingNoise, SmoothNoise, deriveSeed } from './seeded-noise.ts';

const HOUR = 60;
const DAY = 24 * HOUR;
/** Half-life of the discount in days: the token's own part, and the part shared by all tokens. */
const OWN_HALF_LIFE = 1.3;
const COMMON_HALF_LIFE = 3;
const COMMON_PART = 0.4;
/** Standard deviation of the premium, and its addition in full stress. */
const SIZE = 0.0133;
const STRESS_SIZE = 0.6;
/** Mean premium in calm times, and its fall in full stress, when holders cannot redeem at once. */
const MEAN = -0.001;
const STRESS_MEAN = -0.004;
/** Standard deviation of the part that reverts within the hour. */
const QUICK_SIZE = 0.0012;
/** Half-life in days of outflow periods, the deviation at which they begin, and the discount that each further deviation adds. */
const FLIGHT_HALF_LIFE = 9;
const FLIGHT_FROM = 1.3;
const FLIGHT_SIZE = 0.022;

/** Standard deviation of a coin token's premium, which market makers keep small. */
const COIN_SIZE = 0.0003;

export class TokenPremium {
  readonly #regimes: Regimes;
  readonly #coin: SmoothNoise | null;
  readonly #size: number;
  readonly #own: RevertingNoise;
  readonly #common: RevertingNoise;
  readonly #quick: SmoothNoise;
  readonly #flight: RevertingNoise;
  #hour = -1;
  #left = 0;
  #right = 0;

  constructor({ symbol, kind, poolUsd }: AssetTraits, seed: string, regimes: Regimes) {
    const named = (purpose: string): number => deriveSeed(`${seed}/${symbol}/${purpose}`);
    this.#regimes = regimes;
    this.#coin = kind === 'crypto' ? new SmoothNoise(named('premium'), 15) : null;
    // A thin pool reverts more slowly and deviates further.
    this.#size = SIZE * (1_000_000 / poolUsd) ** 0.12 * (kind === 'pre_ipo' ? 1.6 : 1);
    this.#own = new RevertingNoise(named('premium/own'), OWN_HALF_LIFE * DAY, 60);
    this.#common = new RevertingNoise(deriveSeed(`${seed}/premium/common`), COMMON_HALF_LIFE * DAY, 60);
    this.#quick = new SmoothNoise(named('premium/quick'), 25);
    this.#flight = new RevertingNoise(named('premium/flight'), FLIGHT_HALF_LIFE * DAY, 360);
  }

  /** Returns the premium as a fraction of the value; negative for a discount. */
  at(minute: number): number {
    if (this.#coin !== null) return COIN_SIZE * this.#coin.at(minute);
    const hour = Math.floor(minute / HOUR);
    if (hour !== this.#hour) {
      this.#left = hour === this.#hour + 1 ? this.#right : this.#slow(hour * HOUR);
      this.#right = this.#slow((hour + 1) * HOUR);
      this.#hour = hour;
    }
    return this.#left + (this.#right - this.#left) * (minute / HOUR - hour) + QUICK_SIZE * this.#quick.at(minute);
  }

  /** Returns the part that reverts within days and weeks. */
  #slow(minute: number): number {
    const stress = this.#regimes.stress(minute);
    const mixed = COMMON_PART * this.#common.at(minute) + Math.sqrt(1 - COMMON_PART * COMMON_PART) * this.#own.at(minute);
    const flight = Math.max(0, this.#flight.at(minute) - FLIGHT_FROM);
    return MEAN + STRESS_MEAN * stress + this.#size * (1 + STRESS_SIZE * stress) * mixed - FLIGHT_SIZE * flight;
  }
}
