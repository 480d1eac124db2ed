/** Reads of an actor's committed steps. The caller has checked the actor's organization. */
import type { Json } from '../../../domain/values/canonical-json.ts';
import type { Page, PageOf } from '../../../domain/values/page.ts';
import type { EpochMs } from '../../../domain/values/time.ts';
import type { Sql } from '../database.ts';
import { pageOfRows } from '../page-of-rows.ts';

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
export async function stepsBetween(sql: Sql, actorId: string, from: number, to: number): Promise<readonly ActorStep[]> {
  const rows = await sql<StepRow[]>`
    select ${columns(sql)} from steps where actor_id = ${actorId} and version > ${from} and version <= ${to} order by version`;
  return rows.map(toStep);
}
