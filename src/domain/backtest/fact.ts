/** Value with its time of receipt, of which a history is made. */
import type { DecimalString } from '../values/decimal.ts';
import type { EpochMs } from '../values/time.ts';

/** Value about an instrument with its time of receipt. Lists are ascending by `receivedAt`. */
export interface Fact {
  readonly receivedAt: EpochMs;
  readonly value: DecimalString;
}
