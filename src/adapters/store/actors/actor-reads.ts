/** Reads of actors of every kind: lists, single actors, committed steps, and results of activities. */
import type { ActivityFate, ActivityFates } from '../../../../actors/runtime/actor-branches.ts';
import type { ArchivedSteps } from '../../../../actors/runtime/actor-history.ts';
import type { ActorRow, ActorState } from '../../../domain/agents/actor-step.ts';
import type { Json } from '../../../domain/values/canonical-json.ts';
import type { Page, PageOf } from '../../../domain/values/page.ts';
import type { EpochMs } from '../../../domain/values/time.ts';
import type { Sql } from '../database.ts';
import { anywhere, pageOfRows } from '../queries.ts';
import { archivedSteps } from '../trail/history-archive.ts';

export interface ActorStep {
  readonly version: number;
  readonly at: EpochMs;
  readonly machine: string;
  readonly event: Json;
  readonly from: Json;
  readonly to: Json;
  readonly cause: string | null;
}

interface StepRow extends Omit<ActorStep, 'from' | 'to'> {
  readonly from_value: Json;
  readonly to_value: Json;
}

function toStep({ version, at, machine, event, from_value, to_value, cause }: StepRow): ActorStep {
  return { version, at, machine, event, from: from_value, to: to_value, cause };
}

const columns = (sql: Sql) => sql`version, at, machine, event, from_value, to_value, cause`;

/** Reads a page of steps, newest first. The position is the last step's version. */
export async function newestSteps(sql: Sql, actorId: string, { limit, after }: Page): Promise<PageOf<ActorStep>> {
  const rows = await sql<StepRow[]>`
    select ${columns(sql)} from steps
    where actor_id = ${actorId} ${after === null ? sql`` : sql`and version < ${Number(after)}`} order by version desc limit ${limit + 1}`;
  const page = pageOfRows(rows, limit, (row) => String(row.version));
  return { items: page.items.map(toStep), next: page.next };
}

/** Reads the steps after version `from` up to `to`, oldest first. */
async function stepsBetween(sql: Sql, actorId: string, from: number, to: number): Promise<readonly ActorStep[]> {
  const rows = await sql<StepRow[]>`
    select ${columns(sql)} from steps where actor_id = ${actorId} and version > ${from} and version <= ${to} order by version`;
  return rows.map(toStep);
}

/**
 * Builds the column: the name of the agent or of the evaluated agent, the instrument of an order, the asset of a transfer, the symbol of a
 * token or Take, or a transaction's purpose; null for other actors. The query has `a` of actors and `g` of agents. An outcome of a
 * prediction market is named by its question, which the caller adds.
 */
export function actorName(sql: Sql) {
  const order = sql`a.snapshot #> '{context,order}'`;
  const wish = sql`a.snapshot #> '{context,wish}'`;
  return sql`coalesce(g.name,
    case when ${order}->>'instrument' not like 'prediction:%'
      then concat_ws(' ', ${order}->>'side', ${order}->>'quantity', split_part(${order}->>'instrument', ':', 2)) end,
    case when a.kind = 'bridge_transfer' then concat_ws(' ', ${wish}->>'amount', ${wish}->>'token') end,
    case when a.kind = 'evaluation' then (select o.name from agents o where o.id = (a.snapshot #>> '{context,agentId}')::uuid) end,
    a.snapshot #>> '{context,symbol}',
    replace(a.snapshot #>> '{context,purpose}', '_', ' '))`;
}

export type ActorStatus = ActorRow['status'];

interface ActorSummary {
  readonly id: string;
  readonly kind: string;
  /** Agent's name; null for other actors. */
  readonly name: string | null;
  readonly machine: string;
  readonly version: number;
  readonly status: ActorStatus;
  readonly value: Json;
  /** ISO 8601. */
  readonly createdAt: string;
  readonly changedAt: string;
}

export interface ActorDetail extends ActorSummary {
  /** Current context of the actor. */
  readonly context: Json;
  /** Incidents in one line each, newest first, at most 20. */
  readonly incidents: readonly { readonly at: EpochMs; readonly kind: string; readonly detail: string }[];
}

interface SummaryRow {
  readonly id: string;
  readonly number: number;
  readonly kind: string;
  readonly name: string | null;
  readonly machine: string;
  readonly version: number;
  readonly status: ActorRow['status'];
  readonly snapshot: ActorState;
  readonly created_at: Date;
  readonly changed_at: Date;
}

function toSummary(row: SummaryRow): ActorSummary {
  const { id, kind, name, machine, version, status, snapshot } = row;
  const changedAt = row.changed_at.toISOString();
  return { id, kind, name, machine, version, status, value: snapshot.value, createdAt: row.created_at.toISOString(), changedAt };
}

export function createActorReads(sql: Sql) {
  const columns = () =>
    sql`a.id, a.number, a.kind, ${actorName(sql)} as name, a.machine, a.version, a.status, a.snapshot, a.created_at, a.changed_at`;

  return {
    /** Lists actors, newest first. The position is the last actor's number. */
    async list(
      orgId: string,
      { kind, status, search }: { readonly kind: string | null; readonly status: ActorStatus | null; readonly search: string | null },
      { limit, after }: Page,
    ): Promise<PageOf<ActorSummary>> {
      const found = search === null ? '' : anywhere(search);
      const rows = await sql<SummaryRow[]>`
        select ${columns()} from actors a left join agents g on g.id = a.id
        where a.org_id = ${orgId} ${kind === null ? sql`` : sql`and a.kind = ${kind}`} ${status === null ? sql`` : sql`and a.status = ${status}`}
        ${search === null ? sql`` : sql`and (g.name ilike ${found} or replace(a.kind, '_', ' ') ilike ${found} or a.id::text ilike ${found})`}
        ${after === null ? sql`` : sql`and a.number < ${Number(after)}`} order by a.number desc limit ${limit + 1}`;
      const page = pageOfRows(rows, limit, (row) => String(row.number));
      return { items: page.items.map(toSummary), next: page.next };
    },

    async get(orgId: string, actorId: string): Promise<ActorDetail | null> {
      const [[row], incidents] = await Promise.all([
        sql<
          SummaryRow[]
        >`select ${columns()} from actors a left join agents g on g.id = a.id where a.id = ${actorId} and a.org_id = ${orgId}`,
        sql<{ at: number; kind: string; detail: string }[]>`
          select i.at, i.kind, i.detail from incidents i join actors a on a.id = i.actor_id
          where i.actor_id = ${actorId} and a.org_id = ${orgId} order by i.id desc limit 20`,
      ]);
      if (row === undefined) return null;
      const told = incidents.map(({ detail, ...incident }) => ({ ...incident, detail: detail.split('\n', 1)[0] ?? '' }));
      return { ...toSummary(row), context: row.snapshot.context, incidents: told };
    },

    /**
     * Returns the steps after version `from` up to `to`, oldest first, with the actor's version and the location of archived steps. Null if
     * the organization has no such actor. A quarantine raises the version without a step.
     */
    async steps(
      orgId: string,
      actorId: string,
      from: number,
      to: number,
    ): Promise<{ readonly version: number; readonly items: readonly ActorStep[]; readonly archived: ArchivedSteps | null } | null> {
      const [[row], items] = await Promise.all([
        sql<{ version: number }[]>`select version from actors where id = ${actorId} and org_id = ${orgId}`,
        stepsBetween(sql, actorId, from, to),
      ]);
      if (row === undefined) return null;
      const archived = items.length === 0 ? await archivedSteps(sql, actorId) : null;
      return { version: row.version, items, archived };
    },
  };
}

export type ActorReads = ReturnType<typeof createActorReads>;

/** Reads the results of a step's activities by index. */
export function createActivityFates(sql: Sql): ActivityFates {
  return async (actorId, version, count) => {
    if (count === 0) return [];
    const keys = Array.from({ length: count }, (_, index) => `${actorId}:${version}:${index}`);
    const rows = await sql<
      { key: string; state: ActivityFate['state']; attempts: number; due_at: number; answer: Json; ended_at: Date | null }[]
    >`select key, state, attempts, due_at, answer, ended_at from activities where key = any(${keys}::text[])`;
    return keys.map((key) => {
      const row = rows.find((one) => one.key === key);
      if (row === undefined) return null;
      return { state: row.state, attempts: row.attempts, dueAt: row.due_at, answer: row.answer, endedAt: row.ended_at?.getTime() ?? null };
    });
  };
}
