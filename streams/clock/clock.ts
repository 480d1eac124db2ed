/** The injected clock: time and deadlines, live or virtual. RxJS time operators wait by its scheduler (clock-scheduler.ts). */
import type { EpochMs } from '../../src/domain/values/time.ts';

export interface Clock {
  /** Returns milliseconds since the epoch. Never runs backwards within a process, except to correct a time that was wrong by seconds. */
  now(): EpochMs;
  /** Returns milliseconds since an arbitrary start. Never steps, and is never slowed down. */
  elapsed(): number;
  /** Calls once at or after `at`. Returns a function that cancels it. */
  deadline(at: EpochMs, call: () => void): () => void;
}

/**
 * Returns a function that returns the rest of `ms`. It counts by elapsed time, or by wall-clock time if that has moved further. Wall-clock
 * time alone would not do: if it is set back, it reaches an instant later than others see it.
 */
export function timeLeft(clock: Pick<Clock, 'now' | 'elapsed'>, ms: number): () => number {
  const until = clock.now() + ms;
  const end = clock.elapsed() + ms;
  return () => Math.min(end - clock.elapsed(), until - clock.now());
}
