/** How many open transactions an organization may have more, and what the creation of one may meet there. */
import type { ActorRecord } from '../../src/domain/actor-step.ts';
import { refuse } from '../../src/domain/refusal.ts';
import type { Obstacle } from '../manual-order/placing.ts';

/** How many transactions of an organization may be open at once. */
export const MOST_OPEN_TRANSACTIONS = 20;

/** What a creation that failed has met: what it was assessed on changed, the limit is reached, or the same message was prepared before. */
export type CapacityObstacle = 'moved' | 'full' | 'duplicate' | null;

/** The row that lets a transaction be created only while what it was validated on is unchanged, and only below the limit of open transactions. */
export function capacityRow(orgId: string, bookId: string, exposureVersion: string): ActorRecord {
  return { type: 'transaction_capacity', orgId, bookId, exposureVersion, most: MOST_OPEN_TRANSACTIONS };
}

/** What is answered to it: only where the exposure changed another validation can help. */
export function capacityAnswer(obstacle: CapacityObstacle): Obstacle {
  if (obstacle === 'full')
    return refuse('too_many_prepared', `${MOST_OPEN_TRANSACTIONS} transactions are open; an unsigned one ends by itself in about a minute`);
  if (obstacle === 'duplicate')
    return refuse('state_conflict', 'the same message is prepared already: sign that one, or ask again in a moment for another');
  return obstacle;
}
