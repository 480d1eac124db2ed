/** Finds stalled shards: shards with actors on duty whose last slot or last decision is too old. */
import type { Sql } from '../database.ts';

/** Number of periods behind at which a shard counts as stalled. A dead worker is replaced within one. */
const PERIODS_BEHIND = 3;

interface StalledShard {
  readonly periodMs: number;
  readonly shard: number;
  /** Milliseconds since the slot that should have been ticked or decided by now. */
  readonly behindMs: number;
}

/**
 * Returns stalled shards, the longest first. A shard's own slot is compared with its newest decisions, or, before the first ones, with the
 * first slot of its actors.
 */
export async function stalledShards(sql: Sql): Promise<readonly StalledShard[]> {
  return sql<StalledShard[]>`
    select t.period_ms as "periodMs", t.shard, (n.now - d.slot - t.period_ms) as "behindMs"
    from tick_shards t cross join (select record_clock_ms() as now) n
    cross join lateral (
      select max(b.slot) as decided from tick_batches b where b.period_ms = t.period_ms and b.shard = t.shard) b
    cross join lateral (
      select least(t.last_slot, greatest(b.decided, min(a.tick_from) - t.period_ms)) as slot from actors a
      where a.tick_period_ms = t.period_ms and a.shard = t.shard and a.status = 'running' and a.tick_from <= n.now
        and (a.tick_until is null or a.tick_until > least(t.last_slot, coalesce(b.decided, t.last_slot)) + t.period_ms)
      having count(*) > 0) d
    where n.now - d.slot > ${PERIODS_BEHIND + 1} * t.period_ms
    order by "behindMs" desc limit 100`;
}
