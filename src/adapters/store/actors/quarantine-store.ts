/** Quarantined rows of background loops and quarantined actors, as readiness and metrics count them. */
import type { QuarantineLedger } from '../../../../actors/runtime/containment.ts';
import type { Sql } from '../database.ts';
import { hintAnnouncements, inTransaction } from './actor-store.ts';

/** Number of quarantined rows per loop, and of quarantined actors. */
interface Quarantined {
  readonly actors: number;
  readonly rows: readonly { readonly loop: string; readonly count: number }[];
}

export async function countQuarantined(sql: Sql): Promise<Quarantined> {
  const [[actors], rows] = await Promise.all([
    sql<{ count: number }[]>`select count(*)::int as count from actors where status = 'quarantined'`,
    sql<{ loop: string; count: number }[]>`
      select loop, count(*)::int as count from quarantined_rows where counts_until > clock_timestamp() group by loop order by loop`,
  ]);
  return { actors: actors?.count ?? 0, rows };
}

export function createQuarantineLedger(sql: Sql): QuarantineLedger {
  return {
    async note(loop, { id, orgId }, detail, forMs) {
      await inTransaction(sql, async (transaction) => {
        const [noted] = await transaction<{ failures: number }[]>`
          insert into quarantined_rows as q (loop, row_id, detail, counts_until)
          values (${loop}, ${id}, ${detail}, clock_timestamp() + ${forMs} * interval '1 millisecond')
          on conflict (loop, row_id) do update set detail = excluded.detail, failures = q.failures + 1, counts_until = excluded.counts_until
          returning failures`;
        if (noted?.failures !== 1) return;
        const body = { what: 'row_quarantined', loop, row: id, detail };
        await transaction`
          insert into announcements (channel, org_id, at, body)
          values ('alerts', ${orgId}, floor(extract(epoch from clock_timestamp()) * 1000)::bigint, ${transaction.json(body)})`;
        await hintAnnouncements(transaction);
      });
    },

    async release(loop, id) {
      await sql`delete from quarantined_rows where loop = ${loop} and row_id = ${id}`;
    },
  };
}
