// Processes of one service start at once on an unmigrated database: one migrates it, and it accepts changes of all.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openWriterKeys } from '../../../src/adapters/signing-keys/writer-keys.ts';
import { openDatabase } from '../../../src/adapters/store/database.ts';
import { commandWriter, readyDatabase } from '../../../src/adapters/store/ready-database.ts';
import { SCHEMA_LOCK } from '../../../src/adapters/store/trail/writer-registry.ts';
import { testDatabase } from '../../harness/postgres.ts';
import { waitFor } from '../../harness/wait-for.ts';
import { sevengate } from '../../journeys/running-service.ts';

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

test('migrations from another state folder sign with a key that the database knows', async () => {
  const url = await testDatabase('empty');
  const [home, other] = ['ready-database-', 'ready-database-'].map((name) => mkdtempSync(join(tmpdir(), name))) as [string, string];
  const owner = openDatabase({ url, role: null, connections: 1, name: 'ready database test' });
  onTestFinished(async () => {
    await owner.end({ timeout: 1 });
    for (const folder of [home, other]) rmSync(folder, { recursive: true });
  });
  // Nobody signs yet.
  expect(await commandWriter(other, url)).toBeNull();
  await readyDatabase(home, url, ['api']);
  const { code, stderr } = await sevengate(['migrate', '--json'], { SEVENGATE_HOME: other, DATABASE_URL: url, QUEUE_BACKEND: 'postgres' });
  expect([code, stderr]).toEqual([0, expect.stringContaining('/')]);
  const known = await owner<{ id: string }[]>`select key_id as id from trail_writers`;
  expect(known.map(({ id }) => id)).toContain(openWriterKeys(other, ['api']).api.id);
});
