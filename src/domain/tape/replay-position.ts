/** Position of a tape's replay, as its player and its routes report it. */
import type { EpochMs } from '../values/time.ts';

/** `failed`: the tape could not be read further. The position is the time of the failure. */
export type ReplayMode = 'playing' | 'paused' | 'ended' | 'failed';

/** Position. All times are those of the tape. */
export interface ReplayPosition {
  readonly mode: ReplayMode;
  readonly at: EpochMs;
  /** Period that is played. */
  readonly from: EpochMs;
  readonly to: EpochMs;
  readonly speed: number;
  readonly loop: boolean;
  /** Events received from the beginning of the tape up to here. */
  readonly events: number;
  /** Number of jumps in time since it was loaded. */
  readonly moves: number;
  /** Reason of the failure in one sentence, or null. */
  readonly failure: string | null;
}

export const LEAST_SPEED = 0.01;
export const MOST_SPEED = 100_000;
