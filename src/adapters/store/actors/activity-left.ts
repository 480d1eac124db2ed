/** Condition that an activity was left behind by its actor, for listing and retrying activities. */
import type { Sql, Transaction } from '../database.ts';

/**
 * A condition: the actor of an activity has taken a step since the one that asked for it, whose version stands in the key. Where its
 * steps were moved it has ended. The query has `c` of activities.
 */
export function activityLeft(sql: Sql | Transaction) {
  return sql`(exists (
    select 1 from steps s where s.actor_id = c.actor_id and s.version > split_part(c.key, ':', 2)::bigint
      and s.event->>'type' <> 'quarantine.released') or exists (select 1 from moved_actors m where m.actor_id = c.actor_id))`;
}
