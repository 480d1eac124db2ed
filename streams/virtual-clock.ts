/** A clock that only moves when it is told to: replays, simulations and tests run on it as fast as they can. */
import type { EpochMs } from '../src/domain/values/time.ts';
import type { Clock } from './clock.ts';
import { type HeapTimer, TimerHeap } from './timer-heap.ts';

export interface VirtualClock extends Clock {
  /** Timers that are still to fire. */
  readonly pending: number;
  /** The time of the next timer; null if none is pending. */
  nextAt(): EpochMs | null;
  /**
   * Fires every timer due up to and including `at`, in the order of (time, order of setting), and stands at `at`.
   * Timers that these set are fired too if they are due. @throws RangeError if `at` lies in the past.
   */
  advanceTo(at: EpochMs): void;
  /**
   * Fires timers until none is left. @throws Error after `most` timers (default 10 million): a timer that always sets
   * the next one would never end.
   */
  runUntilIdle(most?: number): void;
  /** Advances like `advanceTo`, and lets promises settle after every instant at which something fired. */
  settleTo(at: EpochMs): Promise<void>;
}

/** Makes a virtual clock that stands at `start`. Its timers lie in a heap: RxJS's own virtual scheduler sorts everything at every timer. */
export function createVirtualClock(start: EpochMs): VirtualClock {
  let now = start;
  const timers = new TimerHeap();

  function deadline(at: EpochMs, call: () => void): () => void {
    if (Number.isNaN(at)) throw new RangeError('a deadline needs a time, got NaN');
    return timers.set(at > now ? at : now, call);
  }

  /** The next timer, if it is due by an instant. */
  function dueBy(at: EpochMs): HeapTimer | null {
    const timer = timers.peek();
    return timer === null || timer.at > at ? null : timer;
  }

  /** Fires the timer that was just peeked. */
  function fire(timer: HeapTimer): void {
    const call = timers.take(timer);
    now = timer.at;
    call();
  }

  function checkForward(at: EpochMs): void {
    if (!(at >= now)) throw new RangeError(`a clock does not run backwards: it stands at ${now}, asked for ${at}`);
  }

  return {
    get pending() {
      return timers.pending;
    },
    now: () => now,
    elapsed: () => now,
    deadline,
    nextAt: () => timers.peek()?.at ?? null,
    advanceTo(at) {
      checkForward(at);
      for (let timer = dueBy(at); timer !== null; timer = dueBy(at)) fire(timer);
      // A timer may have moved the clock further by itself.
      if (at > now) now = at;
    },
    runUntilIdle(most = 10_000_000) {
      for (let fired = 0; ; fired++) {
        const timer = timers.peek();
        if (timer === null) return;
        if (fired >= most) throw new Error(`still not idle after ${most} timers; the next one is due at ${timer.at}`);
        fire(timer);
      }
    },
    async settleTo(at) {
      checkForward(at);
      await settled();
      for (let first = dueBy(at); first !== null; first = dueBy(at)) {
        for (let timer: HeapTimer | null = first; timer !== null; timer = dueBy(first.at)) fire(timer);
        await settled();
      }
      if (at > now) now = at;
    },
  };
}

/** Resolves when every promise that could settle without new input has settled. */
function settled(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
