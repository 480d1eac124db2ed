// I1: every active agent has exactly one decision per slot, and a late one is marked.
import { LATE_AFTER_MS } from '../../actors/ticking/tick-window.ts';
import type { Sql } from '../../src/adapters/store/database.ts';
import type { EpochMs } from '../../src/domain/values/time.ts';

/** The server ends longer statements, so nothing is committed later than this after it was assessed as in time. */
const LONGEST_COMMIT_MS = 15_000;

/**
 * Returns violations of I1 in the slots up to and including `through`, one sentence each; empty if there are none. It checks each agent's
 * present tick window: from `tick_from`, before `tick_until`, without its `rests`.
 */
export async function oneDecisionPerSlot(sql: Sql, { through }: { readonly through: EpochMs }): Promise<readonly string[]> {
  const rows = await sql<{ what: string }[]>`
    with expected as (
      select a.id, s.slot from actors a
      cross join lateral generate_series(
        (a.tick_from + a.tick_period_ms - 1) / a.tick_period_ms * a.tick_period_ms,
        least(${through}::bigint, coalesce(a.tick_until - 1, ${through}::bigint)),
        a.tick_period_ms::bigint
      ) s(slot)
      where a.tick_from is not null and not a.rests @> s.slot
    ), assessed as (
      select d.*, a.tick_until, a.rests, a.tick_period_ms,
        extract(epoch from d.written_at) * 1000 - d.slot as behind_ms
      from decisions d join actors a on a.id = d.agent_id
    )
    select 'agent ' || id || ' has no decision for slot ' || slot as what from expected
      where not exists (select 1 from decisions d where d.agent_id = expected.id and d.slot = expected.slot)
    union all
    select 'agent ' || agent_id || ' decided ' || count(*) || ' times in slot ' || slot from decisions group by agent_id, slot having count(*) > 1
    union all
    select 'agent ' || agent_id || ' decided at ' || slot || ', which begins no slot of its' from assessed where slot % tick_period_ms <> 0
    union all
    select 'agent ' || agent_id || ' decided at ' || slot || ', after it was taken off duty' from assessed where slot >= tick_until or rests @> slot
    union all
    select 'agent ' || agent_id || ' decided slot ' || slot || ' before it began' from assessed where behind_ms < 0
    union all
    select 'agent ' || agent_id || ' decided slot ' || slot || ' ' || behind_ms::bigint || ' ms late and does not say so' from assessed
      where behind_ms > ${LATE_AFTER_MS + LONGEST_COMMIT_MS} and reason is distinct from 'late_tick'
    union all
    select 'agent ' || agent_id || ' calls slot ' || slot || ' late after ' || behind_ms::bigint || ' ms' from assessed
      where reason = 'late_tick' and behind_ms < least(tick_period_ms, ${LATE_AFTER_MS}::int)
    union all
    select 'agent ' || agent_id || ' looked at data for the late slot ' || slot from assessed
      where reason = 'late_tick' and (disposition <> 'hold' or observed_hash <> '' or instrument is not null or outcome <> '[]')
    union all
    select 'agent ' || agent_id || ' decided slot ' || slot || ' without a cut on record' from assessed
      where reason is distinct from 'late_tick' and reason is distinct from 'tick_crash' and not exists (select 1 from cuts where cuts.slot = assessed.slot)
    limit 20`;
  return rows.map(({ what }) => what);
}
