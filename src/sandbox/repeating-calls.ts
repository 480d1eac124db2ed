/** Calls that come again and again by a clock, each under a name. */
import type { Clock } from '../../streams/clock/clock.ts';
import type { EpochMs } from '../domain/values/time.ts';

export class RepeatingCalls {
  readonly #clock: Pick<Clock, 'deadline'>;
  readonly #paceMs: number;
  readonly #timers = new Map<string, () => void>();
  #closed = false;

  /** `paceMs`: after their first call all names are called together, at multiples of this and no oftener. Default: each at its own times. */
  constructor(clock: Pick<Clock, 'deadline'>, paceMs = 1) {
    this.#clock = clock;
    this.#paceMs = paceMs;
  }

  has(name: string): boolean {
    return this.#timers.has(name);
  }

  /** Number of repeating names. */
  get size(): number {
    return this.#timers.size;
  }

  names(): readonly string[] {
    return [...this.#timers.keys()];
  }

  /** Calls until the name is cancelled; each call returns when it wants to be called next. */
  repeat(name: string, first: EpochMs, call: () => EpochMs): void {
    if (this.#closed) return;
    this.#timers.set(
      name,
      this.#clock.deadline(first, () => {
        const next = call();
        // The call itself may have been what made it unwanted.
        if (this.#timers.has(name)) this.repeat(name, Math.ceil(next / this.#paceMs) * this.#paceMs, call);
      }),
    );
  }

  cancel(name: string): void {
    this.#timers.get(name)?.();
    this.#timers.delete(name);
  }

  /** Cancels every name, and takes no other. */
  close(): void {
    this.#closed = true;
    for (const name of this.names()) this.cancel(name);
  }
}
