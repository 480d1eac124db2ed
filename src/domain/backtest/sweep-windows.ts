/** Windows of a walk-forward: the length of training and test. */

/** Lengths in days of the equity curve: trading days if every instrument is a share, else calendar days. */
export type WalkForwardRequest = {
  /** Days over which the best variant is picked. */
  readonly trainDays: number;
  /** Days after the training window that are measured. */
  readonly testDays: number;
};

/** Default: a year of training, and a quarter of test. */
export const DEFAULT_WALK_FORWARD: WalkForwardRequest = { trainDays: 365, testDays: 91 };
