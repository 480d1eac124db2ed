/** What the command desk reads of agents, and the organization's halt row. */
import type { ActorRecord } from '../../domain/actor-step.ts';
import type { Autonomy, PauseCause, Stage } from '../../domain/agent.ts';
import { writeRecords } from './actor-records.ts';
import { inTransaction } from './actor-store.ts';
import type { Sql } from './database.ts';

export function createAgentDirectory(sql: Sql) {
  return {
    async find(orgId: string, agentId: string) {
      const [row] = await sql<
        {
          id: string;
          name: string;
          description: string;
          stage: Stage;
          autonomy: Autonomy;
          pause_cause: PauseCause | null;
          manifest_version: number;
          manifest_hash: string;
          created_by: string;
          created_at: Date;
        }[]
      >`
        select id, name, description, stage, autonomy, pause_cause, manifest_version, manifest_hash, created_by, created_at
        from agents where org_id = ${orgId} and id = ${agentId}`;
      if (!row) return null;
      return {
        id: row.id,
        name: row.name,
        description: row.description,
        stage: row.stage,
        paused: row.pause_cause !== null,
        pauseCause: row.pause_cause,
        autonomy: row.autonomy,
        manifestHash: row.manifest_hash,
        manifestVersion: row.manifest_version,
        createdBy: row.created_by,
        createdAt: row.created_at.toISOString(),
      };
    },

    async onDuty(orgId: string): Promise<readonly string[]> {
      const rows = await sql<{ id: string }[]>`select id from agents where org_id = ${orgId} and pause_cause is null order by id`;
      return rows.map(({ id }) => id);
    },

    async beginHalt(orgId: string): Promise<number> {
      return inTransaction(sql, async (transaction) => {
        const [row] = await transaction<{ epoch: number }[]>`
          insert into control (org_id, halted_at, epoch) values (${orgId}, clock_timestamp(), 1)
          on conflict (org_id) do update set halted_at = clock_timestamp(), epoch = control.epoch + 1 returning epoch`;
        return row?.epoch as number;
      });
    },

    async write(records: readonly ActorRecord[]): Promise<void> {
      await inTransaction(sql, (transaction) => writeRecords(transaction, records));
    },
  };
}
