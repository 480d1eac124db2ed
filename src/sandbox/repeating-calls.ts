/** Named calls that repeat by a clock. */
import type { Clock } from '../../streams/clock/clock.ts';
import type { EpochMs } from '../domain/values/time.ts';

export class RepeatingCalls {
  readonly #clock: Pick<Clock, 'deadline'>;
  readonly #paceMs: number;
  readonly #timers = new Map<string, () => void>();
  #closed = false;

  /** @param paceMs interval at whose multiples all names are called together after their first call. Default: each at its own times */
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

  /** Repeats a call until its name is cancelled. Each call returns the time of the next one. */
  repeat(name: string, first: EpochMs, call: () => EpochMs): void {
    if (this.#closed) return;
    this.#timers.set(
      name,
      this.#clock.deadline(first, () => {
        const next = call();
        // The call may have cancelled its own name.
        if (this.#timers.has(name)) this.repeat(name, Math.ceil(next / this.#paceMs) * this.#paceMs, call);
      }),
    );
  }

  cancel(name: string): void {
    this.#timers.get(name)?.();
    this.#timers.delete(name);
  }

  /** Cancels all names and accepts no new ones. */
  close(): void {
    this.#closed = true;
    for (const name of this.names()) this.cancel(name);
  }
}
