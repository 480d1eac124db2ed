// Processes of one service start at once on an unmigrated database: one migrates it, and it accepts changes of all.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '../../../src/adapters/store/database.ts';
import { readyDatabase } from '../../../src/adapters/store/ready-database.ts';
import { SCHEMA_LOCK } from '../../../src/adapters/store/trail/writer-registry.ts';
import { testDatabase } from '../../harness/postgres.ts';
import { waitFor } from '../../harness/wait-for.ts';

test('writers of processes that waited for the first migration are registered too', async () => {
  const url = await testDatabase('empty');
  const home = mkdtempSync(join(tmpdir(), 'ready-database-'));
  const owner = openDatabase({ url, role: null, connections: 1, name: 'ready database test' });
  onTestFinished(async () => {
    await owner.end({ timeout: 1 });
    rmSync(home, { recursive: true });
  });
  // All wait here, so that all of them find an empty database.
  await owner`select pg_advisory_lock(${SCHEMA_LOCK})`;
  const starts = (['worker', 'feed', 'api'] as const).map((writer) => readyDatabase(home, url, [writer]));
  const waiting = () => owner`select 1 from pg_locks where locktype = 'advisory' and objid = ${SCHEMA_LOCK} and not granted
    and database = (select oid from pg_database where datname = current_database())`;
  await waitFor(async () => (await waiting()).length === starts.length, { what: 'three processes that wait for the lock' });
  await owner`select pg_advisory_unlock(${SCHEMA_LOCK})`;
  const ready = await Promise.all(starts);
  expect(ready.map(({ applied }) => applied.length > 0).filter(Boolean)).toEqual([true]);
  expect(ready.filter(({ genesis }) => genesis !== null)).toHaveLength(1);
  const ids = ready.flatMap(({ keys }) => Object.values(keys).map(({ id }) => id));
  const known = await owner<{ id: string }[]>`
    select key_id as id from trail_writers join trail_organization_secrets using (key_id) order by key_id`;
  expect(known.map(({ id }) => id)).toEqual(ids.sort());
});
