/** The capital that an organization may allocate to live Takes, all of them together. */
import type { DecimalString } from '../decimal.ts';

/**
 * Thrown by a store inside the transaction of a live arming where the mandate's capital is allocated to other live Takes
 * already: nothing of the step is written. An exception, because it has to undo the transaction that it is found out in.
 */
export class LiveCapitalUsed extends Error {
  /** What the other live Takes are allocated, in US dollars. */
  readonly committedUsd: DecimalString;
  readonly allocationUsd: DecimalString;
  readonly maxCapitalUsd: DecimalString;

  constructor(committedUsd: DecimalString, allocationUsd: DecimalString, maxCapitalUsd: DecimalString) {
    super(`live Takes are allocated ${committedUsd} of ${maxCapitalUsd} USD`);
    this.committedUsd = committedUsd;
    this.allocationUsd = allocationUsd;
    this.maxCapitalUsd = maxCapitalUsd;
  }
}
