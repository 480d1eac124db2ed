/** Limit of open transactions per organization, and the errors of their creation. */
import type { ActorRecord } from '../../src/domain/agents/actor-step.ts';
import { refuse } from '../../src/domain/values/refusal.ts';
import type { Obstacle } from '../manual-order/placing.ts';

/** Maximum open transactions of an organization. */
const MOST_OPEN_TRANSACTIONS = 20;

/** Reason why a creation failed: the assessed exposure changed, the limit is reached, or the same message was prepared before. */
export type CapacityObstacle = 'moved' | 'full' | 'duplicate' | null;

/** Returns the row that allows a creation only while the validated facts are unchanged and the limit is not reached. */
export function capacityRow(orgId: string, bookId: string, exposureVersion: string): ActorRecord {
  return { type: 'transaction_capacity', orgId, bookId, exposureVersion, most: MOST_OPEN_TRANSACTIONS };
}

/** Returns the answer to a failed creation. Another validation helps only if the exposure changed. */
export function capacityAnswer(obstacle: CapacityObstacle): Obstacle {
  if (obstacle === 'full')
    return refuse('too_many_prepared', `${MOST_OPEN_TRANSACTIONS} transactions are open; an unsigned one expires in about a minute`);
  if (obstacle === 'duplicate')
    return refuse('state_conflict', 'the same message is prepared already: sign that one, or ask again in a moment for another');
  return obstacle;
}
