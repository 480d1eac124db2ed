/** Store of agreement sessions: external agents that are due for one, and agents whose last session found different code. */
import type { DueAgreement, Disagreement } from '../../../../actors/agent/agreement.ts';
import type { Opening } from '../../../domain/backtest/agreement.ts';
import type { BacktestRequest } from '../../../domain/backtest/request.ts';
import { type EpochMs, HOUR_MS } from '../../../domain/values/time.ts';
import type { Sql } from '../database.ts';

/** Hours between two sessions: a minimum and a random addition, derived from the session's id. */
const HOURS = { least: 12, more: 24 };

/** Selects external agents on duty at a trading stage. `entered` is the start of the stage. */
const trading = (sql: Sql) => sql`
  select a.id, a.org_id, a.manifest_version, a.manifest_hash, (stage_entry(a.id)).at as entered
  from traders a where a.kind = 'agent' and a.stage in ('paper', 'shadow', 'limited_live', 'live') and not a.paused and is_external(a.id, a.manifest_version)`;

export async function dueAgreements(sql: Sql, now: EpochMs): Promise<readonly DueAgreement[]> {
  return sql<DueAgreement[]>`
    select t.id, t.org_id as "orgId", d.since as "dueSince", (
      select e.run_id from stage_changes s join evidence e on e.id = s.evidence_id and e.kind = 'backtest'
      where s.agent_id = t.id and s.manifest_hash = t.manifest_hash order by s.seq desc limit 1) as "passedRun"
    from (${trading(sql)}) t
    left join lateral (
      select r.id, r.created_at from evaluation_runs r where r.agent_id = t.id and r.evaluation = 'agreement' and r.created_at >= t.entered
      order by r.created_at desc limit 1) last on true
    cross join lateral (
      select coalesce(last.created_at, t.entered) + ${HOURS.least * HOUR_MS}::bigint
        + (hashtextextended(coalesce(last.id, t.id)::text, 0) & 65535) * ${HOURS.more * HOUR_MS}::bigint / 65536 as since) d
    where d.since <= ${now} and not exists (
      select 1 from evaluation_runs r where r.agent_id = t.id and r.evaluation = 'agreement' and r.state in ('queued', 'running'))
    order by row_number() over (partition by t.org_id order by d.since), t.id`;
}

/** Returns the disagreements. Ignores sessions that a process lost or whose history changed. */
export async function disagreements(sql: Sql): Promise<readonly Disagreement[]> {
  return sql<Disagreement[]>`
    select t.id, last.id as "runId", (last.summary ->> 'agreementPct')::float8 as "agreementPct"
    from (${trading(sql)}) t
    cross join lateral (
      select r.id, r.state, r.ending, r.summary from evaluation_runs r
      where r.agent_id = t.id and r.evaluation = 'agreement' and r.created_at >= t.entered and r.ended_at is not null
      order by r.created_at desc limit 1) last
    where (last.state = 'finished' and (last.summary ->> 'passed')::boolean is not true) or last.state = 'cancelled'
      or (last.state = 'refused' and last.ending ->> 'code' in ('expired', 'disagreed'))
    order by t.id`;
}

/** Part of a blind replay's stored result that opens another session. Older results have no opening. */
interface StoredReplay {
  readonly seed: string;
  readonly opening?: Opening;
  readonly paths: readonly { readonly historyHash: string }[];
}

/** Returns a finished session and its request for `AgreementSession`; null if it stored no answers. */
export async function passedSession(sql: Sql, agentId: string, runId: string) {
  const [row] = await sql<{ request: BacktestRequest; created_at: EpochMs; blind: StoredReplay | null }[]>`
    select r.request, r.created_at, p.result::jsonb -> 'blind' as blind from evaluation_runs r join evaluation_reports p on p.run_id = r.id
    where r.id = ${runId} and r.agent_id = ${agentId}`;
  if (row === undefined || row.blind?.opening === undefined) return null;
  const { seed, opening, paths } = row.blind;
  const passed = { seed, opening, histories: paths.map(({ historyHash }) => historyHash) };
  return { request: row.request, createdAt: row.created_at, passed };
}
