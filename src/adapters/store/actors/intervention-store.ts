/** Writes of interventions: activities to retry, and actors released from quarantine. */
import type { FoundActivity, InterventionStore } from '../../../../actors/intervention/commands.ts';
import type { Sql } from '../database.ts';
import { writeRecords } from './actor-records.ts';
import { createActorStore, inTransaction } from './actor-store.ts';
import { activityLeft } from './runtime-reads.ts';

export function createInterventionStore(sql: Sql): InterventionStore {
  const { load } = createActorStore(sql);

  return {
    async actor(orgId, actorId) {
      const row = (await load([actorId])).get(actorId);
      return row === undefined || row.orgId !== orgId ? null : row;
    },

    async activity(actorId, key) {
      const [row] = await sql<
        FoundActivity[]
      >`select c.state, ${activityLeft(sql)} as "isLeft" from activities c where c.key = ${key} and c.actor_id = ${actorId}`;
      return row ?? null;
    },

    tryAnew: (actor, key, at, rows) =>
      inTransaction(sql, async (transaction) => {
        // Lock the actor: it must not move past the activity meanwhile.
        const [held] = await transaction`select 1 from actors where id = ${actor.id} and status = 'running' for update`;
        if (held === undefined) return 0;
        const which =
          key === null
            ? transaction`c.state = 'pending'`
            : transaction`c.key = ${key} and (c.state = 'pending' or c.state = 'given_up' and not ${activityLeft(transaction)})`;
        const { count } = await transaction`
          update activities c set state = 'pending', attempts = 0, due_at = ${at}, answer = null, ended_at = null
          where c.actor_id = ${actor.id} and ${which}`;
        if (count > 0) await writeRecords(transaction, rows(count));
        return count;
      }),

    release: (actor, rows) =>
      inTransaction(sql, async (transaction) => {
        const { count } = await transaction`
          update actors set status = 'running', version = version + 1, changed_at = clock_timestamp()
          where id = ${actor.id} and version = ${actor.version} and status = 'quarantined'`;
        if (count > 0) await writeRecords(transaction, rows);
        return count > 0;
      }),
  };
}
