/** Last completed slot of every recurring work, and the worker of the next one. */
import type { RecurringStore } from '../../../../actors/runtime/recurring.ts';
import { databaseNow } from '../agents/dispatch-store.ts';
import type { Sql } from '../database.ts';

export function createRecurringStore(sql: Sql): RecurringStore {
  return {
    now: () => databaseNow(sql),

    async waiting(slots) {
      const rows = await sql<{ what: string }[]>`
        select what from jsonb_to_recordset(${sql.json(slots)}) as s(what text, slot bigint) where not exists (
          select 1 from recurring_work where name = s.what and (done_slot >= s.slot or claimed_until >= clock_timestamp()))`;
      return new Set(rows.map(({ what }) => what));
    },

    async claim(name, slot, holder, forMs) {
      // Claiming needs a signed transaction, and most checks find the slot done or taken.
      const [busy] = await sql`
        select 1 from recurring_work where name = ${name} and (done_slot >= ${slot} or claimed_until >= clock_timestamp())`;
      if (busy !== undefined) return false;
      const rows = await sql`
        insert into recurring_work as w (name, done_slot, claimed_by, claimed_until)
        values (${name}, 0, ${holder}, clock_timestamp() + ${forMs} * interval '1 millisecond')
        on conflict (name) do update set claimed_by = excluded.claimed_by, claimed_until = excluded.claimed_until
        where w.done_slot < ${slot} and (w.claimed_until is null or w.claimed_until < clock_timestamp()) returning 1`;
      return rows.length > 0;
    },

    async renew(name, holder, forMs) {
      await sql`
        update recurring_work set claimed_until = clock_timestamp() + ${forMs} * interval '1 millisecond'
        where name = ${name} and claimed_by = ${holder}`;
    },

    async ended(name, slot, holder, failure) {
      await sql`
        update recurring_work set done_slot = case when ${failure}::text is null then greatest(done_slot, ${slot}) else done_slot end,
          claimed_by = null, claimed_until = null, failure = ${failure}
        where name = ${name} and claimed_by = ${holder}`;
    },
  };
}
