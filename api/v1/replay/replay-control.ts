/** The tape's position and its controls. */
import type { InstrumentKey } from '../../../src/domain/market/venue.ts';
import type { ReplayPosition } from '../../../src/domain/tape/replay-position.ts';
import type { Outcome } from '../../../src/domain/values/refusal.ts';
import type { EpochMs } from '../../../src/domain/values/time.ts';

export interface ReplayState extends ReplayPosition {
  /** The file's name, without its folder. */
  readonly tape: string;
  /** Every instrument of the tape that has a price or a bar. */
  readonly instruments: readonly InstrumentKey[];
}

/** A tape that may be loaded. */
export interface TapeFile {
  readonly name: string;
  readonly bytes: number;
}

/** Every command answers once its change holds. */
export interface ReplayControl {
  state(): ReplayState;
  play(): Promise<void>;
  pause(): Promise<void>;
  step(steps: number): Promise<void>;
  seek(at: EpochMs): Promise<void>;
  setSpeed(speed: number): Promise<void>;
  /** The tapes that lie beside the one that was named at the start, by name. */
  tapes(): Promise<readonly TapeFile[]>;
  /** Replays another one of them from its beginning, paused. */
  load(name: string): Promise<Outcome<void>>;
}
