/** The one clock that is injected everywhere: now and deadlines, live or virtual. RxJS operators that take time wait by its scheduler (clock-scheduler.ts). */
import type { EpochMs } from '../src/domain/values/time.ts';

export interface Clock {
  /** Milliseconds since the epoch. Never runs backwards within a process, but for the correction of a time that was wrong by seconds. */
  now(): EpochMs;
  /** Milliseconds since any moment of before. Never steps, and is never slowed down to let the system's time catch up. */
  elapsed(): number;
  /** Calls once at or after `at`; returns what cancels it. */
  deadline(at: EpochMs, call: () => void): () => void;
}

/**
 * Returns a function that tells how much of `ms` is left. It counts by elapsed time, or by the time of day if that has moved further. Time
 * of day alone would not do: if it is set back, it reaches an instant later than others see it.
 */
export function timeLeft(clock: Pick<Clock, 'now' | 'elapsed'>, ms: number): () => number {
  const until = clock.now() + ms;
  const end = clock.elapsed() + ms;
  return () => Math.min(end - clock.elapsed(), until - clock.now());
}
