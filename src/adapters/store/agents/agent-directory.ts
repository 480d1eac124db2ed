/** Reads of the command handler: agents, their open work, and the organization's halt row. */
import type { HaltAuthor } from '../../../../actors/agent/emergency-halt.ts';
import { agent } from '../../../../actors/agent/resource.ts';
import type { ActorRecord } from '../../../domain/agents/actor-step.ts';
import type { InstrumentKey } from '../../../domain/market/venue.ts';
import { writeRecords } from '../actors/actor-records.ts';
import { hintAnnouncements, inTransaction } from '../actors/actor-store.ts';
import type { Sql, Transaction } from '../database.ts';
import { takeableMarketOrders } from '../orders/market-order-store.ts';
import { selectColumns } from '../resource-rows.ts';
import { toAgent } from './agent-reads.ts';
import { holdsNow } from '../asked-together.ts';

/** Lifetime of a claim on a halt's pausing after the process's last renewal. */
const SWEEP_CLAIM = '10 seconds';

export function createAgentDirectory(sql: Sql) {
  return {
    async find(orgId: string, agentId: string) {
      const [row] = await sql`select ${selectColumns(sql, agent)} from agents t where t.org_id = ${orgId} and t.id = ${agentId}`;
      return row ? toAgent(row) : null;
    },

    async held(agentId: string): Promise<readonly InstrumentKey[]> {
      const rows = await sql<{ instrument: InstrumentKey }[]>`
        select distinct h->>'instrument' as instrument from books b, jsonb_array_elements(b.holdings) h
        where b.agent_id = ${agentId} order by 1`;
      return rows.map(({ instrument }) => instrument);
    },

    async onDuty(orgId: string): Promise<readonly string[]> {
      const rows = await sql<{ id: string }[]>`
        select id from traders where org_id = ${orgId} and not paused order by id`;
      return rows.map(({ id }) => id);
    },

    beginHalt: (orgId: string, author: HaltAuthor, records: readonly ActorRecord[]) =>
      inTransaction(sql, (transaction) => beginHalt(transaction, orgId, author, records)),

    async haltProgress(orgId: string, progress: { readonly epoch: number; readonly paused: number; readonly of: number }): Promise<void> {
      await inTransaction(sql, async (transaction) => {
        await transaction`update control set sweeping_until = clock_timestamp() + ${SWEEP_CLAIM}::interval where org_id = ${orgId}`;
        await transaction`
          insert into announcements (channel, org_id, at, body)
          values ('alerts', ${orgId}, floor(extract(epoch from clock_timestamp()) * 1000)::bigint, ${transaction.json({ what: 'emergency_halt', ...progress })})`;
        await hintAnnouncements(transaction);
      });
    },

    async endHalt(orgId: string, epoch: number): Promise<void> {
      await sql`
        update control set swept_epoch = greatest(swept_epoch, ${epoch}), sweeping_until = case when epoch = ${epoch} then null else sweeping_until end
        where org_id = ${orgId}`;
    },

    async takeOverHalts(): Promise<readonly { readonly orgId: string; readonly epoch: number }[]> {
      const abandoned = sql`swept_epoch < epoch and (sweeping_until is null or sweeping_until < clock_timestamp())`;
      if (!(await holdsNow(sql, sql`exists (select 1 from control where ${abandoned})`))) return [];
      return sql<{ orgId: string; epoch: number }[]>`
        update control set sweeping_until = clock_timestamp() + ${SWEEP_CLAIM}::interval
        where org_id in (select org_id from control where ${abandoned}
          limit 10 for update skip locked) returning org_id as "orgId", epoch`;
    },

    /** Returns open proposals that may be cancelled. An executing one decides itself what can still be stopped. */
    async cancellable(orgId: string, agentId: string | null): Promise<readonly { readonly id: string; readonly reduceOnly: boolean }[]> {
      return sql<{ id: string; reduceOnly: boolean }[]>`
        select id, side = 'exit' as "reduceOnly" from proposals
        where org_id = ${orgId} and state in ('pending_approval', 'approved', 'executing') ${agentId === null ? sql`` : sql`and agent_id = ${agentId}`} order by id`;
    },

    openOrders: (orgId: string) => takeableMarketOrders(sql, orgId),

    /**
     * Resolves when the leases that exist now have ended, of one agent or (null) of all. A lease ends with its execution, or by its time if
     * its process died.
     */
    async leasesEnded(orgId: string, agentId: string | null): Promise<void> {
      const live = await sql<{ key: string }[]>`
        select key from execution_leases l where org_id = ${orgId} and held_until > clock_timestamp()
        ${agentId === null ? sql`` : sql`and exists (select 1 from proposals p where p.id::text = l.key and p.agent_id = ${agentId})`}`;
      const keys = live.map(({ key }) => key);
      for (let open = keys.length > 0; open; ) {
        const left = await sql`
          select pg_sleep(0.01) from (select 1 from execution_leases where key = any(${keys}::text[]) and held_until > clock_timestamp() limit 1) live`;
        open = left.length > 0;
      }
    },

    write: (records: readonly ActorRecord[]): Promise<void> => inTransaction(sql, (transaction) => writeRecords(transaction, records)),
  };
}

async function beginHalt(
  transaction: Transaction,
  orgId: string,
  { subject, reason = null }: HaltAuthor,
  records: readonly ActorRecord[],
): Promise<{ readonly epoch: number; readonly onDuty: number }> {
  const [row] = await transaction<{ epoch: number }[]>`
    insert into control (org_id, halted_at, halted_by, halt_reason, epoch, sweeping_until)
    values (${orgId}, clock_timestamp(), ${subject}, ${reason}, 1, clock_timestamp() + ${SWEEP_CLAIM}::interval)
    on conflict (org_id) do update set halted_at = clock_timestamp(), halted_by = excluded.halted_by, halt_reason = excluded.halt_reason,
      epoch = control.epoch + 1, sweeping_until = excluded.sweeping_until
    returning epoch`;
  const [duty] = await transaction<{ count: number }[]>`
    select count(*) from traders where org_id = ${orgId} and not paused`;
  await writeRecords(transaction, records);
  return { epoch: row?.epoch as number, onDuty: duty?.count ?? 0 };
}
