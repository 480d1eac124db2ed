/** Time of the next due work of actors, to which a simulated clock advances. */
import type { EpochMs } from '../../../domain/values/time.ts';
import type { Sql } from '../database.ts';

/** Returns the time of the first timer or the first pending activity of these kinds; null if there is none. */
export async function nextDue(sql: Sql, kinds: readonly string[]): Promise<EpochMs | null> {
  const [row] = await sql<{ at: EpochMs | null }[]>`
    select least(
      (select min(due_at) from timers t where (select status from actors a where a.id = t.actor_id) <> 'quarantined'),
      (select min(c.due_at) from activities c join actors a on a.id = c.actor_id
        where c.state = 'pending' and c.kind = any(${kinds as string[]}::text[]) and a.status <> 'quarantined')
    ) as at`;
  return row?.at ?? null;
}
