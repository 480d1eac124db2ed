/** Replay of a recorded tape instead of live data. The replay server marks its page. */
export const IS_REPLAY = document.documentElement.hasAttribute('data-replay');

/** State of the tape as its server reports it. */
export interface Replay {
  readonly tape: string;
  readonly mode: 'playing' | 'paused' | 'ended' | 'failed';
  readonly at: string;
  readonly from: string;
  readonly to: string;
  readonly speed: number;
  readonly loop: boolean;
  /** Number of jumps. */
  readonly moves: number;
  readonly failure: string | null;
  readonly instruments: readonly string[];
}
