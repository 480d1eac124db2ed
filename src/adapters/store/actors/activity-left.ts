/** SQL condition that an actor has moved past an activity, for listing and retrying activities. */
import type { Sql, Transaction } from '../database.ts';

/**
 * Builds the condition: the actor has taken a step after the one that requested the activity, whose version is in the key. If the steps
 * were archived, the actor has ended. The query has `c` of activities.
 */
export function activityLeft(sql: Sql | Transaction) {
  return sql`(exists (
    select 1 from steps s where s.actor_id = c.actor_id and s.version > split_part(c.key, ':', 2)::bigint
      and s.event->>'type' <> 'quarantine.released') or exists (select 1 from moved_actors m where m.actor_id = c.actor_id))`;
}
