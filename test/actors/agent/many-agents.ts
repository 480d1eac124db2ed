/** Many agents of one organization, copied from an existing one by the database itself. */
import type { Sql } from '../../../src/adapters/store/database.ts';

/** Copies the database's only agent until there are `agents`, without triggers. `owner`: a connection of the owner of the tables. */
export async function copyAgent(owner: Sql, agents: number): Promise<void> {
  const tables = ['actors', 'manifests', 'agents'];
  await owner.begin(async (transaction) => {
    for (const table of tables) await transaction`alter table ${transaction(table)} disable trigger all`;
    await transaction`
      with copied as (
        insert into actors (id, org_id, kind, machine, version, snapshot, status, tick_period_ms, tick_from)
        select gen_random_uuid(), org_id, kind, machine, 1, snapshot, status, tick_period_ms, tick_from from actors cross join generate_series(2, ${agents})
        returning id, org_id
      ), written as (
        insert into manifests (agent_id, version, hash, canonical, created_by)
        select c.id, 1, m.hash, m.canonical, 'ann' from copied c cross join manifests m
      )
      insert into agents (id, org_id, name, stage, autonomy, manifest_version, manifest_hash, created_by)
      select c.id, c.org_id, 'copy', 'draft', 'research', 1, m.hash, 'ann' from copied c cross join manifests m`;
    for (const table of tables) await transaction`alter table ${transaction(table)} enable trigger all`;
  });
}
