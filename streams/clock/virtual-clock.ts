/** A clock that moves only on request, so that replays, simulations and tests run as fast as they can. */
import type { EpochMs } from '../../src/domain/values/time.ts';
import { type HeapTimer, TimerHeap } from './timer-heap.ts';

export type VirtualClock = ReturnType<typeof createVirtualClock>;

/** Creates a virtual clock at `start`. Its timers are in a heap, because RxJS's virtual scheduler sorts everything at every timer. */
export function createVirtualClock(start: EpochMs) {
  let now = start;
  const timers = new TimerHeap();

  function deadline(at: EpochMs, call: () => void): () => void {
    if (Number.isNaN(at)) throw new RangeError('a deadline needs a time, got NaN');
    return timers.set(at > now ? at : now, call);
  }

  /** Returns the next timer if it is due by an instant. */
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
    /** Number of pending timers. */
    get pending() {
      return timers.pending;
    },
    now: () => now,
    elapsed: () => now,
    deadline,
    /** Returns the time of the next timer, or null. */
    nextAt: (): EpochMs | null => timers.peek()?.at ?? null,
    /**
     * Fires every timer due up to and including `at`, ordered by (time, order of setting), and stops at `at`. Timers that these set also fire
     * if due. @throws RangeError if `at` is in the past.
     */
    advanceTo(at: EpochMs) {
      checkForward(at);
      for (let timer = dueBy(at); timer !== null; timer = dueBy(at)) fire(timer);
      // A timer may have moved the clock further.
      if (at > now) now = at;
    },
    /**
     * Fires timers until none is left. @throws Error after `most` timers (default 10 million), because a timer that always sets the next one
     * would never end.
     */
    runUntilIdle(most = 10_000_000) {
      for (let fired = 0; ; fired++) {
        const timer = timers.peek();
        if (timer === null) return;
        if (fired >= most) throw new Error(`still not idle after ${most} timers; the next one is due at ${timer.at}`);
        fire(timer);
      }
    },
    /** Advances like `advanceTo`, and lets promises settle after every instant at which a timer fired. */
    async settleTo(at: EpochMs) {
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

/** Resolves when every promise that can settle without new input has settled. */
function settled(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
