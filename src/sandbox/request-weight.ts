/** Request weights of a venue's simulator, counted per minute of its own clock, with a ban for clients that do not stop. */
import { type EpochMs, MINUTE_MS } from '../domain/values/time.ts';

interface WeightVerdict {
  readonly status: 200 | 429 | 418;
  readonly usedWeight: number;
  readonly retryAfterSeconds: number;
}

/** Refused requests per minute after which a venue that bans does so. */
const REFUSALS_BEFORE_BAN = 10;
const BAN_MS = 120_000;

/** Counts one client's weight. `bans` is true if insisting after 429 leads to 418. */
export class RequestWeight {
  readonly #limit: number;
  readonly #bans: boolean;
  #minute = -1;
  #used = 0;
  #refused = 0;
  #bannedUntil: EpochMs = 0;

  constructor(limit: number, bans: boolean) {
    this.#limit = limit;
    this.#bans = bans;
  }

  charge(weight: number, now: EpochMs): WeightVerdict {
    const minute = Math.floor(now / MINUTE_MS);
    if (minute !== this.#minute) {
      this.#minute = minute;
      this.#used = 0;
      this.#refused = 0;
    }
    const untilNext = Math.ceil(((minute + 1) * MINUTE_MS - now) / 1000);
    if (now < this.#bannedUntil) {
      return { status: 418, usedWeight: this.#used, retryAfterSeconds: Math.ceil((this.#bannedUntil - now) / 1000) };
    }
    this.#used += weight;
    if (this.#used <= this.#limit) return { status: 200, usedWeight: this.#used, retryAfterSeconds: 0 };
    this.#refused += 1;
    if (this.#bans && this.#refused > REFUSALS_BEFORE_BAN) {
      this.#bannedUntil = now + BAN_MS;
      return { status: 418, usedWeight: this.#used, retryAfterSeconds: BAN_MS / 1000 };
    }
    return { status: 429, usedWeight: this.#used, retryAfterSeconds: untilNext };
  }
}
