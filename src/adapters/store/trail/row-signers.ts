/**
 * Expected signers of rows with one writer: the feed signs what it received, the worker what it ticked. Another writer's valid signature
 * does not count, so stolen keys of other processes are useless.
 */
import type { EpochMs } from '../../../domain/values/time.ts';
import type { Writer } from '../../../domain/trail/batch.ts';
import type { TrustedKey } from '../../signing-keys/writer-keys.ts';
import type { Transaction } from '../database.ts';
import { FEED_EVENTS } from './table-writers.ts';

/** Row that was signed by another writer than expected. */
interface ForeignRow {
  readonly at: EpochMs;
  /** Sentence with the fault. */
  readonly fault: string;
}

/** Maximum reported rows. */
const MOST = 100;

const selectIds = (keys: readonly TrustedKey[], wanted: Writer): string[] =>
  keys.filter(({ writer }) => writer === wanted).map(({ id }) => id);

/**
 * Returns received cuts without a signature of the feed, except those of a genesis. Slots without received data are written by the worker.
 * @param slots restricts the check; null for all
 */
export async function foreignCuts(
  sql: Transaction,
  keys: readonly TrustedKey[],
  slots: readonly string[] | null = null,
): Promise<readonly ForeignRow[]> {
  const rows = await sql<{ slot: EpochMs; key_id: string }[]>`
    select c.slot, s.key_id from cut_batches c cross join lateral (
      select h.xid, b.key_id from trail_changes h join trail_batches b on b.xid = h.xid
      where h.name = 'cut_batches' and hashtext(h.key) = hashtext(c.slot::text) and h.key = c.slot::text order by h.seq desc limit 1) s
    where c.source = 'streams' and s.key_id <> all(${selectIds(keys, 'feed')}::text[])
      and ${slots === null ? sql`true` : sql`c.slot = any(${slots as string[]}::text[]::bigint[])`}
      and not exists (select 1 from trail_changes g where g.xid = s.xid and g.op = 'genesis') order by 1 limit ${MOST}`;
  return rows.map(({ slot, key_id }) => ({ at: slot, fault: `key ${key_id} signed this cut, and it is no key of the feed` }));
}

/** Returns ticks without a signature of the worker. */
export async function foreignTicks(sql: Transaction, keys: readonly TrustedKey[]): Promise<readonly ForeignRow[]> {
  const rows = await sql<{ slot: EpochMs; shard: number; key_id: string }[]>`
    select t.slot, t.shard, s.key_id from tick_batches t cross join lateral (
      select h.xid, b.key_id from trail_changes h join trail_batches b on b.xid = h.xid
      where h.name = 'tick_batches' and hashtext(h.key) = hashtext(t.period_ms || ' ' || t.shard || ' ' || t.slot)
        and h.key = t.period_ms || ' ' || t.shard || ' ' || t.slot order by h.seq desc limit 1) s
    where s.key_id <> all(${selectIds(keys, 'worker')}::text[])
      and not exists (select 1 from trail_changes g where g.xid = s.xid and g.op = 'genesis') order by 1 limit ${MOST}`;
  return rows.map(({ slot, shard, key_id }) => ({
    at: slot,
    fault: `key ${key_id} signed this tick of shard ${shard}, and it is no key of the worker`,
  }));
}

/** Returns steps that the feed signed although it may not cause them. */
export async function foreignSteps(sql: Transaction, keys: readonly TrustedKey[]): Promise<readonly ForeignRow[]> {
  const rows = await sql<{ actor_id: string; version: number; at: EpochMs; key_id: string }[]>`
    select s.actor_id, s.version, s.at, b.key_id from trail_batches b
    join trail_changes h on h.xid = b.xid and h.name = 'steps' and h.op = 'insert'
    join steps s on s.actor_id = split_part(h.key, ' ', 1)::uuid and s.version = split_part(h.key, ' ', 2)::bigint
    where b.key_id = any(${selectIds(keys, 'feed')}::text[]) and not (s.event ->> 'type' = any(${FEED_EVENTS as string[]}::text[]) and s.cause = 'feed')
    order by s.at limit ${MOST}`;
  return rows.map(({ actor_id, version, at, key_id }) => ({
    at,
    fault: `key ${key_id} of the feed signed step ${version} of actor ${actor_id}, and the feed tells actors of feeds alone`,
  }));
}
