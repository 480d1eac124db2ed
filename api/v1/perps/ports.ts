/** Venue ports of the perpetuals routes. */
import type { DecimalString } from '../../../src/domain/values/decimal.ts';
import type { Outcome } from '../../../src/domain/values/refusal.ts';
import type { EpochMs } from '../../../src/domain/values/time.ts';

/** Funding that a perpetual paid in the last hours, ascending, as its venue says. */
export interface FundingReads {
  recent(
    instrument: string,
    hours: number,
  ): Promise<
    Outcome<{ readonly rates: readonly { readonly at: EpochMs; readonly hourlyFunding: DecimalString }[]; readonly fetchedAt: EpochMs }>
  >;
}
