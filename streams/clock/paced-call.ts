/** A call that follows its request within milliseconds, but not more often than once per interval: a single change is not held up. */
import type { EpochMs } from '../../src/domain/values/time.ts';
import type { Clock } from './clock.ts';

/** Milliseconds after a request, so that what arrives together is told together. */
const SOON_MS = 2;

export class PacedCall {
  readonly #clock: Pick<Clock, 'now' | 'deadline'>;
  readonly #intervalMs: number;
  readonly #call: () => void;
  #cancel: (() => void) | null = null;
  #endedAt: EpochMs = Number.NEGATIVE_INFINITY;

  /** Creates it. @param intervalMs milliseconds from the end of a call to the next one @param call must not throw */
  constructor(clock: Pick<Clock, 'now' | 'deadline'>, intervalMs: number, call: () => void) {
    this.#clock = clock;
    this.#intervalMs = intervalMs;
    this.#call = call;
  }

  /** Requests a call. One call serves all requests made before it. */
  request(): void {
    if (this.#cancel) return;
    const now = this.#clock.now();
    // Bounded by the interval, because a clock that was wrong may have been set back.
    const wait = Math.min(this.#intervalMs, Math.max(SOON_MS, this.#endedAt + this.#intervalMs - now));
    this.#cancel = this.#clock.deadline(now + wait, () => {
      this.#cancel = null;
      this.ended();
      this.#call();
      this.ended();
    });
  }

  /** Says that the work was done now without this call. The next call keeps its distance from that too. */
  ended(): void {
    this.#endedAt = this.#clock.now();
  }

  cancel(): void {
    this.#cancel?.();
    this.#cancel = null;
  }
}
