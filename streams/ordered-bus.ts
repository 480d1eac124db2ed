/** A bus whose subscribers all see the same order, even if one of them answers an event with another. */
import { Subject } from 'rxjs';

/**
 * Creates a bus. A plain Subject delivers an event emitted during a delivery at once, so that later subscribers receive the answer before
 * the question. Here it waits for its turn.
 */
export function createOrderedBus<T>() {
  const subject = new Subject<T>();
  const waiting: T[] = [];
  let delivering = false;
  return {
    stream: subject.asObservable(),
    /** True if it has subscribers. */
    get observed() {
      return subject.observed;
    },
    /** Delivers to every subscriber, or, if called during a delivery, right after it. */
    next(value: T) {
      if (delivering) {
        waiting.push(value);
        return;
      }
      delivering = true;
      try {
        subject.next(value);
        for (let index = 0; index < waiting.length; index++) subject.next(waiting[index] as T);
      } finally {
        if (waiting.length > 0) waiting.length = 0;
        delivering = false;
      }
    },
    error: (error: unknown) => subject.error(error),
    complete: () => subject.complete(),
  };
}
