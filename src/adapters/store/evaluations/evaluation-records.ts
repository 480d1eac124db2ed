/** Writes the rows of evaluation runs in their actors' steps: the projection and the reports. */
import type { ActorRecord } from '../../../domain/agents/actor-step.ts';
import type { Transaction } from '../database.ts';

/** Inserts or updates the projection of runs. */
export function writeEvaluationRuns(transaction: Transaction, rows: readonly ActorRecord[]): Promise<unknown> {
  return transaction`
    insert into evaluation_runs (id, org_id, agent_id, evaluation, state, manifest_version, manifest_hash, request, requested_by,
      created_at, started_at, ended_at, attempts, ending, result_hash, summary)
    select id, "orgId", "agentId", evaluation, state, "manifestVersion", "manifestHash", request, "requestedBy",
      "createdAt", "startedAt", "endedAt", attempts, nullif(ending, 'null'::jsonb), "resultHash", nullif(summary, 'null'::jsonb)
    from jsonb_to_recordset(${transaction.json(rows)})
      as r(id uuid, "orgId" uuid, "agentId" uuid, evaluation text, state text, "manifestVersion" int, "manifestHash" text, request jsonb,
        "requestedBy" text, "createdAt" bigint, "startedAt" bigint, "endedAt" bigint, attempts int, ending jsonb, "resultHash" text, summary jsonb)
    on conflict (id) do update set state = excluded.state, started_at = excluded.started_at, ended_at = excluded.ended_at,
      attempts = excluded.attempts, ending = excluded.ending, result_hash = excluded.result_hash, summary = excluded.summary`;
}

export function writeEvaluationReports(transaction: Transaction, rows: readonly ActorRecord[]): Promise<unknown> {
  return transaction`
    insert into evaluation_reports (run_id, result_hash, result, report)
    select "runId", "resultHash", result, report from jsonb_to_recordset(${transaction.json(rows)})
      as r("runId" uuid, "resultHash" text, result text, report text)`;
}

/** Writes trials by run or, with a null `runId`, by a preview. Existing trials are not changed. */
export function writeTrials(transaction: Transaction, rows: readonly ActorRecord[]): Promise<unknown> {
  return transaction`
    insert into trials (org_id, run_id, manifest_hash, sharpe, first_day, returns)
    select "orgId", "runId", "manifestHash", sharpe, "firstDay", returns from jsonb_to_recordset(${transaction.json(rows)})
      as r("orgId" uuid, "runId" uuid, "manifestHash" text, sharpe float8, "firstDay" int, returns real[])
    on conflict do nothing`;
}
