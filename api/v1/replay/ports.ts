/** What the routes of a replay ask: where the tape stands, and what moves it. */
import type { Outcome } from '../../../src/domain/refusal.ts';
import type { EpochMs } from '../../../src/domain/time.ts';
import type { InstrumentKey } from '../../../src/domain/venue.ts';

/** Where a replay stands. All times are those of the tape. */
export interface ReplayState {
  /** The file's name, without its folder. */
  readonly tape: string;
  readonly mode: 'playing' | 'paused' | 'ended' | 'failed';
  readonly at: EpochMs;
  /** The stretch that is played. */
  readonly from: EpochMs;
  readonly to: EpochMs;
  readonly speed: number;
  readonly loop: boolean;
  /** Events heard from the beginning of the tape up to here. */
  readonly events: number;
  readonly moves: number;
  readonly failure: string | null;
  /** Everything that the tape has a price or a bar of. */
  readonly instruments: readonly InstrumentKey[];
}

/** A tape that may be loaded. */
export interface TapeFile {
  readonly name: string;
  readonly bytes: number;
}

/** Every change answers once it holds. */
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
