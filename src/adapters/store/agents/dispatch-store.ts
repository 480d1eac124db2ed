/** Due slots: the database's clock, the shards behind it, and the process on duty. */
import type { EpochMs } from '../../../domain/values/time.ts';
import type { Sql } from '../database.ts';
import { cutExists, writeCut } from './cut-store.ts';

/** Returns the time of record: PostgreSQL's clock plus the shift of a sandbox. */
export async function databaseNow(sql: Sql): Promise<EpochMs> {
  const [row] = await sql<{ now: number }[]>`select record_clock_ms() as now`;
  return row?.now as number;
}

/** Returns PostgreSQL's clock, by which slots of cuts are checked. */
export async function serviceClock(sql: Sql): Promise<EpochMs> {
  const [row] = await sql<{ now: string }[]>`select service_clock_ms()::text as now`;
  return Number(row?.now);
}

/** Shard that is behind a slot. */
interface DueShard {
  readonly periodMs: number;
  readonly shard: number;
}

/** Orders shards so that organizations take turns. The index finds the organizations of a shard one by one. */
async function byTurns(sql: Sql, periodMs: number, due: readonly number[]): Promise<readonly number[]> {
  const rows = await sql<{ shard: number }[]>`
    with recursive shared as (
      select d.shard, f.org_id from unnest(${due as number[]}::int[]) as d(shard) cross join lateral (
        select a.org_id from actors a where a.tick_period_ms = ${periodMs} and a.shard = d.shard and a.tick_from is not null order by a.org_id limit 1) f
      union all
      select s.shard, n.org_id from shared s cross join lateral (
        select a.org_id from actors a where a.tick_period_ms = ${periodMs} and a.shard = s.shard and a.tick_from is not null and a.org_id > s.org_id
        order by a.org_id limit 1) n
    ), turns as (select shard, row_number() over (partition by org_id order by shard) as turn from shared)
    select d.shard from unnest(${due as number[]}::int[]) as d(shard) left join turns t on t.shard = d.shard
    group by d.shard order by coalesce(min(t.turn), 1), d.shard`;
  return rows.map(({ shard }) => shard);
}

/** Creates the reads of shards with a due slot. */
export function createDispatchStore(sql: Sql) {
  return {
    now: () => databaseNow(sql),

    cutExists: (slot: EpochMs): Promise<boolean> => cutExists(sql, slot),

    /** Records that nothing was received for a slot; a cut that arrives later is dropped. */
    writeSilence: (slot: EpochMs): Promise<boolean> => writeCut(sql, { slot, observations: new Map() }, 'silence'),

    /**
     * Returns shards of this period whose last slot is before `slot`; a new shard begins before its first actor's first slot. Organizations
     * take turns: each one's first shard precedes any one's second. The index finds the shards one by one, so the cost grows with their
     * number and not with their actors.
     */
    async dueShards(periodMs: number, slot: EpochMs): Promise<readonly DueShard[]> {
      await sql`
        insert into tick_shards (period_ms, shard, last_slot)
        with recursive ticked(shard) as (
          select min(shard) from actors where tick_period_ms = ${periodMs} and tick_from is not null
          union all
          select (select min(a.shard) from actors a where a.tick_period_ms = ${periodMs} and a.tick_from is not null and a.shard > t.shard)
          from ticked t where t.shard is not null
        )
        select ${periodMs}::int, n.shard, (
          select min(a.tick_from) - ${periodMs} from actors a where a.tick_period_ms = ${periodMs} and a.shard = n.shard and a.tick_from is not null
        ) from ticked n
        where n.shard is not null and not exists (select 1 from tick_shards s where s.period_ms = ${periodMs} and s.shard = n.shard)
        on conflict do nothing`;
      const rows = await sql<
        { shard: number }[]
      >`select shard from tick_shards where period_ms = ${periodMs} and last_slot < ${slot} order by shard`;
      const due = rows.map(({ shard }) => shard);
      const ordered = due.length > 1 ? await byTurns(sql, periodMs, due) : due;
      return ordered.map((shard) => ({ periodMs, shard }));
    },

    /**
     * Takes or renews a duty; false while another process holds it. Renewing is a signed transaction, so it happens only when less than the
     * share `renewedBelow` of its time is left.
     */
    async hold(duty: string, holder: string, forMs: number, renewedBelow = 1): Promise<boolean> {
      if (renewedBelow < 1) {
        const [kept] = await sql`
          select 1 from leases where duty = ${duty} and holder = ${holder}
            and held_until > clock_timestamp() + ${forMs * renewedBelow} * interval '1 millisecond'`;
        if (kept !== undefined) return true;
      }
      const [row] = await sql`
        insert into leases (duty, holder, held_until) values (${duty}, ${holder}, clock_timestamp() + ${forMs} * interval '1 millisecond')
        on conflict (duty) do update set holder = excluded.holder, held_until = excluded.held_until
        where leases.holder = excluded.holder or leases.held_until < clock_timestamp() returning 1`;
      return row !== undefined;
    },

    async release(duty: string, holder: string): Promise<void> {
      await sql`delete from leases where duty = ${duty} and holder = ${holder}`;
    },
  };
}
