/**
 * Request budget of a provider: weight within a moving window, with a reserve for essential requests. See docs/reference/outside/rules.md.
 */
import { type EpochMs, MINUTE_MS } from '../../domain/values/time.ts';

/**
 * Work that may spend only a part of a budget. `background` work (histories of the leaderboard, which nobody waits for) is shed
 * first, `optional` work (pages, wallets, research) next. `pricing` (books that orders are priced from) leaves the rest to the
 * orders themselves.
 */
export type BudgetPurpose = 'needed' | 'pricing' | 'optional' | 'background';

const PARTS: Readonly<Record<BudgetPurpose, number>> = { needed: 1, pricing: 0.85, optional: 0.7, background: 0.4 };

/** The weight that work of one purpose may have spent of a budget. */
export const mostFor = (limit: number, purpose: BudgetPurpose): number => Math.floor(limit * PARTS[purpose]);

/** Request budget of one address at one provider, whoever counts it. */
export interface RequestBudget {
  /** Takes the weight and answers 0, or takes nothing and answers how many milliseconds to wait. */
  take(weight: number, now: EpochMs, purpose?: BudgetPurpose): number | Promise<number>;
  /** The venue has counted more than we have (others share our address): believe it. */
  observeUsed(used: number, now: EpochMs): void;
  /** Lets nothing through before `until` (Retry-After). */
  block(until: EpochMs): void;
  state(now: EpochMs): BudgetState;
}

/** Present budget, its limit and window, and the end of a block, or null. */
interface BudgetState {
  readonly limit: number;
  readonly windowMs: number;
  readonly left: number;
  readonly blockedUntil: EpochMs | null;
}

/** The same budget for work of one purpose: it is shed if the budget runs low. */
export function budgetFor(budget: RequestBudget, purpose: BudgetPurpose): RequestBudget {
  return {
    take: (weight, now) => budget.take(weight, now, purpose),
    observeUsed: (used, now) => budget.observeUsed(used, now),
    block: (until) => budget.block(until),
    state: (now) => budget.state(now),
  };
}

const WINDOW_MS = MINUTE_MS;

/**
 * Counts request weight over the last 60 s, or over another window. Never lets more than `limit` through in any of them,
 * whichever way the venue cuts its minutes; a bucket that refills steadily would allow twice the limit around a refill.
 */
export class WeightBudget implements RequestBudget {
  readonly #limit: number;
  readonly #windowMs: number;
  readonly #spent: { at: EpochMs; weight: number }[] = [];
  #sum = 0;
  #blockedUntil: EpochMs = 0;
  #lastNow: EpochMs = 0;

  constructor(limit: number, windowMs: number = WINDOW_MS) {
    this.#limit = limit;
    this.#windowMs = windowMs;
  }

  take(weight: number, now: EpochMs, purpose: BudgetPurpose = 'needed'): number {
    this.#forget(now);
    if (now < this.#blockedUntil) return this.#blockedUntil - now;
    const most = mostFor(this.#limit, purpose);
    if (this.#sum + weight <= most || this.#spent.length === 0) {
      this.note(weight, now);
      return 0;
    }
    let freed = 0;
    for (const entry of this.#spent) {
      freed += entry.weight;
      if (this.#sum - freed + weight <= most) return Math.max(1, entry.at + this.#windowMs - now);
    }
    return this.#windowMs;
  }

  /** Counts weight that was let through elsewhere. */
  note(weight: number, now: EpochMs): void {
    this.#spent.push({ at: now, weight });
    this.#sum += weight;
  }

  observeUsed(used: number, now: EpochMs): void {
    this.#forget(now);
    if (used > this.#sum) this.note(used - this.#sum, now);
  }

  state(now: EpochMs): BudgetState {
    this.#forget(now);
    const blocked = now < this.#blockedUntil;
    return {
      limit: this.#limit,
      windowMs: this.#windowMs,
      left: blocked ? 0 : Math.max(0, this.#limit - this.#sum),
      blockedUntil: blocked ? this.#blockedUntil : null,
    };
  }

  block(until: EpochMs): void {
    this.#blockedUntil = Math.max(this.#blockedUntil, until);
  }

  #forget(now: EpochMs): void {
    this.#moveWith(now);
    let entry = this.#spent[0];
    while (entry !== undefined && entry.at + this.#windowMs <= now) {
      this.#sum -= entry.weight;
      this.#spent.shift();
      entry = this.#spent[0];
    }
  }

  /** Moves what was spent and blocked back with a time of day that was set back: nobody waits for the difference. */
  #moveWith(now: EpochMs): void {
    const back = this.#lastNow - now;
    this.#lastNow = now;
    if (back <= 0) return;
    for (const entry of this.#spent) entry.at -= back;
    this.#blockedUntil -= back;
  }
}
