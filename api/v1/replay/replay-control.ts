/** The tape's position and its controls. */
import type { InstrumentKey } from '../../../src/domain/market/venue.ts';
import type { ReplayPosition } from '../../../src/domain/tape/replay-position.ts';
import type { Outcome } from '../../../src/domain/values/refusal.ts';
import type { EpochMs } from '../../../src/domain/values/time.ts';

export interface ReplayState extends ReplayPosition {
  /** File name without its folder. */
  readonly tape: string;
  /** Instruments of the tape with a price or a bar. */
  readonly instruments: readonly InstrumentKey[];
}

/** A tape that may be loaded. */
interface TapeFile {
  readonly name: string;
  readonly bytes: number;
}

/** Controls of a replay. Each command answers once its change is effective. */
export interface ReplayControl {
  state(): ReplayState;
  play(): Promise<void>;
  pause(): Promise<void>;
  step(steps: number): Promise<void>;
  seek(at: EpochMs): Promise<void>;
  setSpeed(speed: number): Promise<void>;
  /** Lists the tapes in the folder of the first one, by name. */
  tapes(): Promise<readonly TapeFile[]>;
  /** Loads another tape of the folder at its beginning, paused. */
  load(name: string): Promise<Outcome<void>>;
}
