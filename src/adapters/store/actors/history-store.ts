/** Reads the steps and checkpoints of actors from PostgreSQL, from which past states are rebuilt. */
import type { CheckpointStore, HistorySubject, PastState, StoredStep } from '../../../../actors/runtime/actor-history.ts';
import type { ActorState } from '../../../domain/agents/actor-step.ts';
import type { Sql } from '../database.ts';
import { archivedSteps } from '../trail/history-archive.ts';
import { inTransaction } from './actor-store.ts';

export function createHistoryStore(sql: Sql): CheckpointStore {
  return {
    async find(orgId, kind, actorId) {
      const [row] = await sql`select 1 from actors where id = ${actorId} and org_id = ${orgId} and kind = ${kind}`;
      return row === undefined ? null : { id: actorId, orgId, kind };
    },

    async subject(orgId, actorId) {
      const [row] = await sql<{ kind: string }[]>`select kind from actors where id = ${actorId} and org_id = ${orgId}`;
      return row === undefined ? null : { id: actorId, orgId, kind: row.kind };
    },

    async checkpoint(actorId, version) {
      const [row] = await sql<{ version: number; at: number; machine: string; snapshot: ActorState }[]>`
        select version, at, machine, snapshot from actor_checkpoints where actor_id = ${actorId} and version <= ${version} order by version desc limit 1`;
      return row === undefined ? null : { version: row.version, at: row.at, machine: row.machine, state: row.snapshot };
    },

    async steps(actorId, from, to): Promise<readonly StoredStep[]> {
      return sql<StoredStep[]>`
        select version, at, machine, event, to_value as to from steps where actor_id = ${actorId} and version > ${from} and version <= ${to} order by version`;
    },

    archived: (actorId) => archivedSteps(sql, actorId),

    /** Searches only between the surrounding checkpoints, so that a long history is not read. */
    async versionAt(actorId, at) {
      const [row] = await sql<{ version: number | null }[]>`
        with around as (
          select coalesce((select version from actor_checkpoints where actor_id = ${actorId} and at <= ${at} order by version desc limit 1), 0) as low,
            (select version from actor_checkpoints where actor_id = ${actorId} and at > ${at} order by version limit 1) as high
        )
        select max(s.version) as version from steps s, around
        where s.actor_id = ${actorId} and s.version >= around.low and (around.high is null or s.version < around.high) and s.at <= ${at}`;
      return row?.version ?? null;
    },

    async due(limit) {
      return sql<(HistorySubject & { version: number; checkpointVersion: number })[]>`
        select id, org_id as "orgId", kind, version, checkpoint_version as "checkpointVersion" from actors
        where version - checkpoint_version >= 128 order by id limit ${limit}`;
    },

    async write(actorId: string, checkpoints: readonly PastState[], upTo: number) {
      await inTransaction(sql, async (transaction) => {
        await transaction`
          insert into actor_checkpoints (actor_id, version, at, machine, snapshot)
          select ${actorId}, version, at, machine, state from jsonb_to_recordset(${transaction.json(checkpoints)})
            as c(version bigint, at bigint, machine text, state jsonb) on conflict do nothing`;
        await transaction`update actors set checkpoint_version = ${upTo} where id = ${actorId} and checkpoint_version < ${upTo}`;
      });
    },
  };
}
