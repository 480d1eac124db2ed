/** The one clock that is injected everywhere: now, an RxJS scheduler and deadlines, live or virtual. */
import type { SchedulerLike } from 'rxjs';
import type { EpochMs } from '../src/domain/time.ts';

export interface Clock {
  /** Milliseconds since the epoch. Never runs backwards within a process, but for the correction of a time that was wrong by seconds. */
  now(): EpochMs;
  /** For every RxJS operator that takes time. */
  readonly scheduler: SchedulerLike;
  /** Calls once at or after `at`; returns what cancels it. */
  deadline(at: EpochMs, call: () => void): () => void;
}
