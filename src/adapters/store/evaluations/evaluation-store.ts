/** Store of evaluation runs: leases of the processes that run them, and reads of runs and reports. */
import type { EvaluationView } from '../../../../actors/evaluation/commands.ts';
import type { ProgressBody } from '../../../../actors/evaluation/run-worker.ts';
import type { Json } from '../../../domain/values/canonical-json.ts';
import type { Provenance } from '../../../domain/market/data-source.ts';
import type { Manifest } from '../../../domain/manifest/manifest.ts';
import type { Page, PageOf } from '../../../domain/values/page.ts';
import type { ToldProgress } from '../../../domain/values/work-progress.ts';
import { isoTime, isoTimeOrNull } from '../../../domain/values/time.ts';
import { hintAnnouncements } from '../actors/actor-store.ts';
import type { Sql } from '../database.ts';
import { holdsNow } from '../asked-together.ts';

type Fields = { readonly [name: string]: Json };
type Evaluation = 'backtest' | 'stress_test' | 'sweep' | 'agreement';

interface RunRow {
  id: string;
  agent_id: string;
  evaluation: Evaluation;
  state: 'queued' | 'running' | 'finished' | 'refused' | 'cancelled' | 'failed';
  manifest_version: number;
  manifest_hash: string;
  request: Fields;
  requested_by: string;
  created_at: number;
  started_at: number | null;
  ended_at: number | null;
  attempts: number;
  ending: { code: string; detail: string } | null;
  result_hash: string | null;
  summary: Fields | null;
  progress: ToldProgress | null;
  provenance: Provenance | null;
}

interface ClaimedRow {
  id: string;
  org_id: string;
  agent_id: string;
  evaluation: Evaluation;
  manifest_version: number;
  manifest_hash: string;
  canonical: string;
  request: Fields;
  created_at: number;
  attempts: number;
}

/** Takes leases in turns by organization: one with more running runs waits for those with fewer. */
async function claimRuns(sql: Sql, sessions: boolean, holder: string, limit: number, leaseMs: number) {
  const isFree = sql`
    exists (select 1 from evaluation_runs where state in ('queued', 'running') and (held_until is null or held_until < clock_timestamp()))`;
  if (!(await holdsNow(sql, isFree))) return [];
  const rows = await sql<ClaimedRow[]>`
    with ranked as materialized (
      select id, row_number() over (partition by org_id order by (held_until >= clock_timestamp()) is true desc, created_at, id) as turn
      from evaluation_runs where state in ('queued', 'running') and request ? 'session' = ${sessions}
    ), free as (
      select e.id from evaluation_runs e join ranked o on o.id = e.id
      where e.state in ('queued', 'running') and (e.held_until is null or e.held_until < clock_timestamp())
      order by o.turn, e.created_at, e.id limit ${limit} for update of e skip locked
    )
    update evaluation_runs r set holder = ${holder}, held_until = clock_timestamp() + ${leaseMs}::bigint * interval '1 millisecond'
    from free, manifests m
    where r.id = free.id and m.agent_id = r.agent_id and m.version = r.manifest_version
    returning r.id, r.org_id, r.agent_id, r.evaluation, r.manifest_version, r.manifest_hash, m.canonical, r.request, r.created_at, r.attempts`;
  return rows.map((row) => ({
    runId: row.id,
    orgId: row.org_id,
    agentId: row.agent_id,
    evaluation: row.evaluation,
    manifestVersion: row.manifest_version,
    manifestHash: row.manifest_hash,
    manifest: JSON.parse(row.canonical) as Manifest,
    request: row.request,
    createdAt: row.created_at,
    attempts: row.attempts,
  }));
}

/** Creates the leases of a process. @param sessions true for replay sessions only, false for all other runs */
export function createRunStore(sql: Sql, sessions = false) {
  return {
    claim: (holder: string, limit: number, leaseMs: number) => claimRuns(sql, sessions, holder, limit, leaseMs),

    async renew(holder: string, runIds: readonly string[], leaseMs: number): Promise<readonly string[]> {
      const rows = await sql<{ id: string }[]>`
        update evaluation_runs set held_until = clock_timestamp() + ${leaseMs}::bigint * interval '1 millisecond'
        where id = any(${runIds as string[]}::uuid[]) and holder = ${holder} and state in ('queued', 'running') returning id`;
      return rows.map(({ id }) => id);
    },

    async release(holder: string, runIds: readonly string[]): Promise<void> {
      if (runIds.length === 0) return;
      await sql`update evaluation_runs set holder = null, held_until = null where id = any(${runIds as string[]}::uuid[]) and holder = ${holder}`;
    },

    /** Announces the progress of a run. Skips runs that ended meanwhile, because their end was announced. */
    async announceProgress(
      run: { readonly runId: string; readonly orgId: string; readonly agentId: string },
      at: number,
      body: ProgressBody,
    ): Promise<void> {
      await sql.begin(async (transaction) => {
        // Locked, so that a concurrent end is announced after this.
        const told = await transaction`
          with kept as (
            update evaluation_runs set progress = ${transaction.json(pickProgress(body))}::jsonb
            where id = ${run.runId} and state = 'running' returning 1
          )
          insert into announcements (channel, org_id, actor_id, at, body)
          select 'agents', ${run.orgId}::uuid, ${run.agentId}::uuid, ${at}::bigint, ${transaction.json(body as never)}::jsonb
          from kept r`;
        if (told.count > 0) await hintAnnouncements(transaction);
      });
    },
  };
}

/** Creates the reads of runs. Each takes the organization; a foreign agent or run is answered like a missing one. */
export function createEvaluationReads(sql: Sql) {
  const columns = sql`r.id, r.agent_id, r.evaluation, r.state, r.manifest_version, r.manifest_hash, r.request, r.requested_by, r.created_at,
    r.started_at, r.ended_at, r.attempts, r.ending, r.result_hash, r.summary, r.progress, (
      select jsonb_build_object('origins', o.origins, 'simulated',
        is_simulated(r.ended_at) or exists (select 1 from jsonb_each_text(o.origins) s where s.value <> 'real'))
      from manifests m cross join lateral (
        select origins_between(manifest_sources(readable_json(m.canonical)), r.created_at, r.ended_at) as origins) o
      where m.agent_id = r.agent_id and m.version = r.manifest_version and r.state = 'finished') as provenance`;
  return {
    async activeManifest(orgId: string, agentId: string) {
      const [row] = await sql<{ version: number; hash: string; timeframe: string; external: boolean }[]>`
        select a.manifest_version as version, a.manifest_hash as hash, readable_json(m.canonical) ->> 'timeframe' as timeframe,
          is_external(a.id, a.manifest_version) as external
        from agents a join manifests m on m.agent_id = a.id and m.version = a.manifest_version where a.id = ${agentId} and a.org_id = ${orgId}`;
      return row ?? null;
    },

    async find(orgId: string, agentId: string, runId: string): Promise<EvaluationView | null> {
      const [row] = await sql<RunRow[]>`
        select ${columns} from evaluation_runs r where r.id = ${runId} and r.agent_id = ${agentId} and r.org_id = ${orgId}`;
      return row === undefined ? null : toRun(row);
    },

    /** Lists runs, newest first. The position is the last run's id. */
    async list(orgId: string, agentId: string, { limit, after }: Page): Promise<PageOf<EvaluationView> | null> {
      const known = await sql`select 1 from agents where id = ${agentId} and org_id = ${orgId}`;
      if (known.length === 0) return null;
      const rows = await sql<RunRow[]>`
        select ${columns} from evaluation_runs r where r.agent_id = ${agentId} and r.org_id = ${orgId}
        ${after === null ? sql`` : sql`and (r.created_at, r.id) < (select created_at, id from evaluation_runs where id = ${after} and agent_id = ${agentId})`}
        order by r.created_at desc, r.id desc limit ${limit + 1}`;
      const items = rows.slice(0, limit).map(toRun);
      return { items, next: rows.length > limit ? (items.at(-1)?.id ?? null) : null };
    },

    /** Returns the result of a finished run with its stored page and manifest name, or null. */
    async report(orgId: string, agentId: string, runId: string) {
      const [row] = await sql<{ result: string; report: string | null; result_hash: string; name: string }[]>`
        select p.result, p.report, p.result_hash, m.canonical::jsonb ->> 'name' as name
        from evaluation_reports p join evaluation_runs r on r.id = p.run_id
        join manifests m on m.agent_id = r.agent_id and m.version = r.manifest_version
        where r.id = ${runId} and r.agent_id = ${agentId} and r.org_id = ${orgId}`;
      return row === undefined ? null : { result: row.result, report: row.report, resultHash: row.result_hash, name: row.name };
    },
  };
}

export type EvaluationReads = ReturnType<typeof createEvaluationReads>;

/** Returns the progress for readers of the run. */
function pickProgress({ done, total, doing, since, waitsForWork }: ProgressBody): ToldProgress & { [field: string]: Json } {
  return { done, total, doing, since, waitsForWork: waitsForWork ?? null };
}

function toRun(row: RunRow): EvaluationView {
  return {
    id: row.id,
    agentId: row.agent_id,
    evaluation: row.evaluation,
    state: row.state,
    manifestVersion: row.manifest_version,
    manifestHash: row.manifest_hash,
    request: row.request,
    requestedBy: row.requested_by,
    createdAt: isoTime(row.created_at),
    startedAt: isoTimeOrNull(row.started_at),
    endedAt: isoTimeOrNull(row.ended_at),
    attempts: row.attempts,
    ending: row.ending,
    resultHash: row.result_hash,
    summary: row.summary,
    told: row.progress,
    provenance: row.provenance,
  };
}
