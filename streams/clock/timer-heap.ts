/** Timers ordered by (time, order of setting) in a binary heap, so that 100,000 timers cost 17 comparisons each. */
import type { EpochMs } from '../../src/domain/values/time.ts';

export interface HeapTimer {
  readonly at: EpochMs;
  readonly order: number;
  /** Null once it has fired or was cancelled. */
  call: (() => void) | null;
}

/** Minimum number of cancelled timers before any is removed. */
const LEAST_COMPACTED = 1_024;

export class TimerHeap {
  #order = 0;
  #cancelled = 0;
  #heap: HeapTimer[] = [];
  /** Times of the heap's timers, kept separately so that comparisons read no object. */
  #times = new Float64Array(1_024);

  /** Number of pending timers. */
  get pending(): number {
    return this.#heap.length - this.#cancelled;
  }

  /** Sets a timer. Returns a function that cancels it. */
  set(at: EpochMs, call: () => void): () => void {
    const timer: HeapTimer = { at, order: this.#order++, call };
    this.#push(timer);
    return () => {
      if (timer.call === null) return;
      timer.call = null;
      this.#cancelled++;
      this.#compact();
    };
  }

  /** Returns the next timer that was not cancelled, or null. */
  peek(): HeapTimer | null {
    for (;;) {
      const root = this.#heap[0];
      if (root === undefined) return null;
      if (root.call !== null) return root;
      this.#cancelled--;
      this.#dropRoot();
    }
  }

  /** Removes the timer that was just peeked, and returns its callback. */
  take(timer: HeapTimer): () => void {
    const call = timer.call as () => void;
    timer.call = null;
    this.#dropRoot();
    return call;
  }

  #push(timer: HeapTimer): void {
    const heap = this.#heap;
    let index = heap.length;
    if (index === this.#times.length) this.#grow();
    const times = this.#times;
    heap.push(timer);
    const { at } = timer;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      const parentAt = times[parent] as number;
      // A new timer has the highest order, so that equal times never move it up.
      if (parentAt <= at) break;
      heap[index] = heap[parent] as HeapTimer;
      times[index] = parentAt;
      index = parent;
    }
    heap[index] = timer;
    times[index] = at;
  }

  #grow(): void {
    const larger = new Float64Array(this.#times.length * 2);
    larger.set(this.#times);
    this.#times = larger;
  }

  #sink(timer: HeapTimer, from: number): void {
    const heap = this.#heap;
    const times = this.#times;
    const { length } = heap;
    const { at, order } = timer;
    let index = from;
    for (let child = 2 * index + 1; child < length; child = 2 * index + 1) {
      let childAt = times[child] as number;
      const right = child + 1;
      if (right < length) {
        const rightAt = times[right] as number;
        if (rightAt < childAt || (rightAt === childAt && (heap[right] as HeapTimer).order < (heap[child] as HeapTimer).order)) {
          child = right;
          childAt = rightAt;
        }
      }
      if (at < childAt || (at === childAt && order < (heap[child] as HeapTimer).order)) break;
      heap[index] = heap[child] as HeapTimer;
      times[index] = childAt;
      index = child;
    }
    heap[index] = timer;
    times[index] = at;
  }

  #dropRoot(): void {
    const last = this.#heap.pop() as HeapTimer;
    if (this.#heap.length > 0) this.#sink(last, 0);
  }

  /** Removes cancelled timers once they are more than half of the heap, so that each costs its share once. */
  #compact(): void {
    if (this.#cancelled < LEAST_COMPACTED || this.#cancelled * 2 < this.#heap.length) return;
    this.#heap = this.#heap.filter((timer) => timer.call !== null);
    this.#heap.forEach((timer, index) => {
      this.#times[index] = timer.at;
    });
    this.#cancelled = 0;
    for (let index = (this.#heap.length >> 1) - 1; index >= 0; index--) this.#sink(this.#heap[index] as HeapTimer, index);
  }
}
