/** Windows of a walk-forward: how long each one picks, and how long its pick counts. */

/** Lengths in days of the equity curve: trading days where every instrument is a share, else calendar days. */
export interface WalkForwardRequest {
  /** Days over which the best variant is picked. */
  readonly trainDays: number;
  /** Days after the training window whose result counts. */
  readonly testDays: number;
}

/** A year picks, and the quarter after it counts. */
export const DEFAULT_WALK_FORWARD: WalkForwardRequest = { trainDays: 365, testDays: 91 };
