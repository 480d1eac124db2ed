/** Dollars that something takes which a person has asked for: the row that binds it to what vaults and armed Takes have left. */
import type { ActorRecord } from '../../src/domain/agents/actor-step.ts';
import { Decimal } from '../../src/domain/values/decimal.ts';
import type { Spending } from '../../src/domain/take/live-capital.ts';
import type { EpochMs } from '../../src/domain/values/time.ts';

export interface DollarsSpentRecord extends ActorRecord, Spending {
  readonly type: 'dollars_spent';
  readonly orgId: string;
  readonly at: EpochMs;
}

/** The row, or none if nothing is spent. The step that carries it is refused if the dollars are bound. */
export function spendingRows(orgId: string, spending: Spending, at: EpochMs): readonly DollarsSpentRecord[] {
  return new Decimal(spending.usd).lte(0) ? [] : [{ type: 'dollars_spent', orgId, ...spending, at }];
}
