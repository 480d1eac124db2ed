// Shards that are due together are ticked by turns of their organizations, on real PostgreSQL.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDispatchStore } from '../../../../src/adapters/store/agents/dispatch-store.ts';
import { openDatabase, type Sql } from '../../../../src/adapters/store/database.ts';
import { testDatabase } from '../../../harness/postgres.ts';
import { ORG, OTHER } from '../reads.ts';

let sql: Sql;
let owner: Sql;
beforeAll(async () => {
  const url = await testDatabase();
  sql = openDatabase({ url, name: 'turns' });
  owner = openDatabase({ url, role: null, connections: 1, name: 'turns owner' });
  await owner`insert into organizations (id, name) values (${ORG}, 'ours'), (${OTHER}, 'theirs')`;
});
afterAll(async () => {
  await sql.end();
  await owner.end();
});

/** Actors on duty from the slot 60,000 on, as their rows lie. */
async function onDuty(orgId: string, first: number, count: number): Promise<void> {
  await owner.begin(async (transaction) => {
    await transaction`alter table actors disable trigger all`;
    await transaction`
      insert into actors (id, number, org_id, kind, machine, version, snapshot, status, tick_period_ms, tick_from) overriding system value
      select gen_random_uuid(), n, ${orgId}, 'agent', 'agent@1', 3, '{}', 'running', 60000, 60000 from generate_series(${first}::int, ${first + count - 1}::int) n`;
    await transaction`alter table actors enable trigger all`;
  });
}

test("one organization's 5,000 agents do not delay another's slot: its shard comes second, not eleventh", async () => {
  await onDuty(OTHER, 1, 5_000);
  await onDuty(ORG, 5_500, 3);
  const due = await createDispatchStore(sql).dueShards(60_000, 60_000);
  expect(due.map(({ shard }) => shard)).toEqual([0, 11, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  // An agent of ours in their last shard gives that shard our first turn, and ours its second.
  await onDuty(ORG, 5_001, 1);
  const shared = await createDispatchStore(sql).dueShards(60_000, 60_000);
  expect(shared.map(({ shard }) => shard)).toEqual([0, 10, 1, 11, 2, 3, 4, 5, 6, 7, 8, 9]);
});
