/** A clock that only moves when it is told to: replays, simulations and tests run on it as fast as they can. */
import type { EpochMs } from '../src/domain/time.ts';
import type { Clock } from './clock.ts';

export interface VirtualClock extends Clock {
  /** Timers that are still to fire. */
  readonly pending: number;
  /** The time of the next timer; null where none is pending. */
  nextAt(): EpochMs | null;
  /**
   * Fires every timer due up to and including `at`, in the order of (time, order of setting), and stands at `at`.
   * Timers that these set are fired too where they are due. @throws RangeError where `at` lies in the past.
   */
  advanceTo(at: EpochMs): void;
  /**
   * Fires timers until none is left. @throws Error after `most` timers (default 10 million): a timer that always sets
   * the next one would never end.
   */
  runUntilIdle(most?: number): void;
  /** As `advanceTo`, but lets promises settle after every instant at which something fired. */
  settleTo(at: EpochMs): Promise<void>;
}

interface Timer {
  at: EpochMs;
  order: number;
  /** Null once it has fired or was cancelled. */
  call: (() => void) | null;
}

/**
 * Makes a virtual clock that stands at `start`. The timers lie in a binary heap keyed by (time, order of setting), so
 * that 100,000 timers cost 17 comparisons each (RxJS's own virtual scheduler sorts everything at every timer).
 */
export function createVirtualClock(start: EpochMs): VirtualClock {
  let now = start;
  let order = 0;
  let cancelled = 0;
  let heap: Timer[] = [];
  /** The time of each timer of the heap: beside it, so that a comparison reads no object. */
  let times = new Float64Array(1_024);

  function grow(): void {
    const larger = new Float64Array(times.length * 2);
    larger.set(times);
    times = larger;
  }

  function push(timer: Timer): void {
    let index = heap.length;
    if (index === times.length) grow();
    heap.push(timer);
    const { at } = timer;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      const parentAt = times[parent] as number;
      // A new timer has the highest order, so that equal times never move it up.
      if (parentAt <= at) break;
      heap[index] = heap[parent] as Timer;
      times[index] = parentAt;
      index = parent;
    }
    heap[index] = timer;
    times[index] = at;
  }

  function sink(timer: Timer, from: number): void {
    const { length } = heap;
    const { at, order: timerOrder } = timer;
    let index = from;
    for (let child = 2 * index + 1; child < length; child = 2 * index + 1) {
      let childAt = times[child] as number;
      const right = child + 1;
      if (right < length) {
        const rightAt = times[right] as number;
        if (rightAt < childAt || (rightAt === childAt && (heap[right] as Timer).order < (heap[child] as Timer).order)) {
          child = right;
          childAt = rightAt;
        }
      }
      if (at < childAt || (at === childAt && timerOrder < (heap[child] as Timer).order)) break;
      heap[index] = heap[child] as Timer;
      times[index] = childAt;
      index = child;
    }
    heap[index] = timer;
    times[index] = at;
  }

  function dropRoot(): void {
    const last = heap.pop() as Timer;
    if (heap.length > 0) sink(last, 0);
  }

  /** The next timer that was not cancelled. */
  function peek(): Timer | null {
    for (;;) {
      const root = heap[0];
      if (root === undefined) return null;
      if (root.call !== null) return root;
      cancelled--;
      dropRoot();
    }
  }

  /** Cancelled timers are left in the heap until they are more than half of it: each costs its share once. */
  function compact(): void {
    if (cancelled < 1_024 || cancelled * 2 < heap.length) return;
    heap = heap.filter((timer) => timer.call !== null);
    heap.forEach((timer, index) => {
      times[index] = timer.at;
    });
    cancelled = 0;
    for (let index = (heap.length >> 1) - 1; index >= 0; index--) sink(heap[index] as Timer, index);
  }

  function deadline(at: EpochMs, call: () => void): () => void {
    if (Number.isNaN(at)) throw new RangeError('a deadline needs a time, got NaN');
    const timer: Timer = { at: at > now ? at : now, order: order++, call };
    push(timer);
    return () => {
      if (timer.call === null) return;
      timer.call = null;
      cancelled++;
      compact();
    };
  }

  /** Fires the root, which was just peeked. */
  function fire(timer: Timer): void {
    const call = timer.call as () => void;
    timer.call = null;
    dropRoot();
    now = timer.at;
    call();
  }

  function checkForward(at: EpochMs): void {
    if (!(at >= now)) throw new RangeError(`a clock does not run backwards: it stands at ${now}, asked for ${at}`);
  }

  return {
    get pending() {
      return heap.length - cancelled;
    },
    now: () => now,
    elapsed: () => now,
    deadline,
    nextAt: () => peek()?.at ?? null,
    advanceTo(at) {
      checkForward(at);
      for (;;) {
        const timer = peek();
        if (timer === null || timer.at > at) break;
        fire(timer);
      }
      // A timer may have moved the clock further by itself.
      if (at > now) now = at;
    },
    runUntilIdle(most = 10_000_000) {
      for (let fired = 0; ; fired++) {
        const timer = peek();
        if (timer === null) return;
        if (fired >= most) throw new Error(`still not idle after ${most} timers; the next one is due at ${timer.at}`);
        fire(timer);
      }
    },
    async settleTo(at) {
      checkForward(at);
      await settled();
      for (;;) {
        const timer = peek();
        if (timer === null || timer.at > at) break;
        const instant = timer.at;
        for (let due: Timer | null = timer; due !== null && due.at <= instant; due = peek()) fire(due);
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
