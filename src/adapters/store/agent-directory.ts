/** What the command desk reads of agents, and the organization's halt row. */
import type { ActorRecord } from '../../domain/actor-step.ts';
import { writeRecords } from './actor-records.ts';
import { inTransaction } from './actor-store.ts';
import { type AgentRow, agentOf } from './agent-reads.ts';
import type { Sql } from './database.ts';

export function createAgentDirectory(sql: Sql) {
  return {
    async find(orgId: string, agentId: string) {
      const [row] = await sql<AgentRow[]>`
        select id, name, description, stage, autonomy, pause_cause, manifest_version, manifest_hash, created_by, created_at
        from agents where org_id = ${orgId} and id = ${agentId}`;
      return row ? agentOf(row) : null;
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
