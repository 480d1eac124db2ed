// Work that was under way when the table got its present name is carried on under the same key.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { createActorStore } from '../../../../src/adapters/store/actors/actor-store.ts';
import { openDatabase } from '../../../../src/adapters/store/database.ts';
import { migrate } from '../../../../src/adapters/store/migrate.ts';
import { testDatabase } from '../../../harness/postgres.ts';

const MIGRATIONS = new URL('../../../../migrations/', import.meta.url);
const ORG = '00000000-0000-7000-8000-000000000001';
const ACTOR = '00000000-0000-7000-8000-00000000000a';

test('activities that were pending before the migration are taken after it, with their keys and attempts', async () => {
  const url = await testDatabase('empty');
  const owner = openDatabase({ url, connections: 1, role: null, name: 'test' });
  await owner`create table migrations (name text primary key, hash text not null, applied_at timestamptz not null default clock_timestamp())`;
  for (const name of readdirSync(MIGRATIONS).sort()) {
    if (!name.endsWith('.sql') || name >= '0026') continue;
    const text = readFileSync(new URL(name, MIGRATIONS), 'utf8');
    await owner.begin(async (transaction) => {
      await transaction.unsafe(text);
      await transaction`insert into migrations (name, hash) values (${name}, ${createHash('sha256').update(text).digest('hex')})`;
    });
  }
  await owner`insert into organizations (id, name) values (${ORG}, 'ours')`;
  await owner`
    insert into actors (id, org_id, kind, machine, version, snapshot, status)
    values (${ACTOR}, ${ORG}, 'proposal', 'proposal@1', 3, '{"value":"approved","context":{},"status":"active"}', 'running')`;
  await owner`
    insert into errands (key, actor_id, kind, payload, attempts, due_at)
    values (${`${ACTOR}:3:0`}, ${ACTOR}, 'execute_order', ${owner.json({ proposalId: ACTOR })}, 2, 1000)`;
  await owner.end();

  expect((await migrate(url)).applied[0]).toBe('0026_activities.sql');
  const sql = openDatabase({ url, connections: 1, name: 'test' });
  expect(await createActorStore(sql).takeActivities(2_000, 5_000, 10, ['execute_order'])).toEqual([
    { key: `${ACTOR}:3:0`, actorId: ACTOR, kind: 'execute_order', payload: { proposalId: ACTOR }, attempts: 3 },
  ]);
  await sql.end();
});
