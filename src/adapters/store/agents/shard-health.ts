/** Which shards do not advance: those with actors on duty whose last slot lies further back than it may. */
import type { Sql } from '../database.ts';

/** So many whole periods a shard may lie behind before it counts as stalled: a worker that died is replaced within one. */
const PERIODS_BEHIND = 3;

export interface StalledShard {
  readonly periodMs: number;
  readonly shard: number;
  /** Milliseconds since the slot that it should have been ticked to by now. */
  readonly behindMs: number;
}

/** Shards that do not advance, the longest first. */
export async function stalledShards(sql: Sql): Promise<readonly StalledShard[]> {
  return sql<StalledShard[]>`
    select t.period_ms as "periodMs", t.shard, (n.now - t.last_slot - t.period_ms) as "behindMs"
    from tick_shards t cross join (select record_clock_ms() as now) n
    where n.now - t.last_slot > ${PERIODS_BEHIND + 1} * t.period_ms and exists (
      select 1 from actors a where a.tick_period_ms = t.period_ms and a.shard = t.shard and a.tick_from is not null and a.status = 'running'
        and a.tick_from <= n.now and (a.tick_until is null or a.tick_until > t.last_slot + t.period_ms))
    order by "behindMs" desc limit 100`;
}
