/** RxJS scheduler of a clock: time operators wait by the clock's own deadlines. */
import { type SchedulerAction, type SchedulerLike, Subscription } from 'rxjs';
import type { EpochMs } from '../../src/domain/values/time.ts';
import type { Clock } from './clock.ts';

/** Creates a scheduler whose delays, in milliseconds, are deadlines of the clock. */
export function createClockScheduler({ now, deadline }: Pick<Clock, 'now' | 'deadline'>): SchedulerLike {
  return {
    now,
    schedule: <T>(work: (this: SchedulerAction<T>, state?: T) => void, delay?: number, state?: T) =>
      new ClockAction<T>(now, deadline, work).schedule(state, delay),
  };
}

/** A piece of work, which may schedule itself again. A later call replaces an earlier one. */
class ClockAction<T> extends Subscription implements SchedulerAction<T> {
  readonly #now: () => EpochMs;
  readonly #deadline: Clock['deadline'];
  readonly #work: (this: SchedulerAction<T>, state?: T) => void;
  #cancel: (() => void) | null = null;

  constructor(now: () => EpochMs, deadline: Clock['deadline'], work: (this: SchedulerAction<T>, state?: T) => void) {
    super();
    this.#now = now;
    this.#deadline = deadline;
    this.#work = work;
    this.add(() => this.#cancel?.());
  }

  schedule(state?: T, delay = 0): Subscription {
    if (this.closed) return this;
    this.#cancel?.();
    this.#cancel = this.#deadline(this.#now() + Math.max(delay, 0), () => {
      this.#cancel = null;
      this.#work(state);
    });
    return this;
  }
}
