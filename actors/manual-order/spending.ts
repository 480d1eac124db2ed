/** Dollars that a manual order or transaction spends. The row binds them, so that vaults and armed Takes cannot use them as well. */
import type { ActorRecord } from '../../src/domain/agents/actor-step.ts';
import { Decimal } from '../../src/domain/values/decimal.ts';
import type { Spending } from '../../src/domain/take/live-capital.ts';
import type { EpochMs } from '../../src/domain/values/time.ts';

export interface DollarsSpentRecord extends ActorRecord, Spending {
  readonly type: 'dollars_spent';
  readonly orgId: string;
  readonly at: EpochMs;
}

/** Returns the row, or none if nothing is spent. The database refuses the step if the dollars are bound elsewhere. */
export function spendingRows(orgId: string, spending: Spending, at: EpochMs): readonly DollarsSpentRecord[] {
  return new Decimal(spending.usd).lte(0) ? [] : [{ type: 'dollars_spent', orgId, ...spending, at }];
}
