/** Emits the newest value of each key once per interval, for slow clients. */
import { Observable, type OperatorFunction } from 'rxjs';
import type { Clock } from '../clock/clock.ts';

/**
 * Keeps the latest value of each key and emits them as one batch per interval, in the order of each key's first
 * change within it. Nothing is emitted, and no timer runs, while nothing comes. What waits is emitted on completion.
 * ```
 * source          --a1-b1-a2----------c1--|
 * conflate(10ms)  ------------[a2,b1]-----[c1]|
 * ```
 */
export function conflate<T, Key>(
  clock: Pick<Clock, 'now' | 'deadline'>,
  intervalMs: number,
  keyOf: (value: T) => Key,
): OperatorFunction<T, readonly T[]> {
  return (source) =>
    new Observable((subscriber) => {
      let latest = new Map<Key, T>();
      let cancelTimer: (() => void) | null = null;
      const flush = (): void => {
        cancelTimer = null;
        if (latest.size === 0) return;
        const batch = [...latest.values()];
        latest = new Map();
        subscriber.next(batch);
      };
      const subscription = source.subscribe({
        next: (value) => {
          latest.set(keyOf(value), value);
          cancelTimer ??= clock.deadline(clock.now() + intervalMs, flush);
        },
        error: (error) => subscriber.error(error),
        complete: () => {
          cancelTimer?.();
          flush();
          subscriber.complete();
        },
      });
      return () => {
        cancelTimer?.();
        subscription.unsubscribe();
      };
    });
}
