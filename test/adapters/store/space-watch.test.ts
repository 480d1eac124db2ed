// Disk full: errors of the database and the system are distinguished from others, and readiness reports it.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createReadiness } from '../../../api/operation/readiness-parts.ts';
import { openDatabase, type Sql } from '../../../src/adapters/store/database.ts';
import { createSpaceWatch } from '../../../src/adapters/store/space-watch.ts';
import { createVirtualClock } from '../../../streams/clock/virtual-clock.ts';
import { testDatabase } from '../../harness/postgres.ts';

const MIB = 1_048_576;
let sql: Sql;
let home: string;
beforeAll(async () => {
  sql = openDatabase({ url: await testDatabase(), name: 'room', connections: 2 });
  home = mkdtempSync(join(tmpdir(), 'sevengate-room-'));
});
afterAll(async () => {
  await sql.end();
  rmSync(home, { recursive: true });
});

/** Returns the error of a real server for a code. */
const refusal = (code: string): Promise<unknown> =>
  sql`select 1`.then(() =>
    sql.unsafe(`do $$ begin raise exception 'no room' using errcode = '${code}'; end $$`).then(
      () => expect.unreachable(),
      (error: unknown) => error,
    ),
  );

test.each(['53100', '53200', '53300', '58030'])('PostgreSQL has run out of something: %s', async (code) => {
  expect(createSpaceWatch(home, createVirtualClock(0)).noted(await refusal(code))).toBe(true);
});

test.each(['ENOSPC', 'EDQUOT', 'EMFILE', 'ENFILE'])('the system has run out of something: %s', (code) => {
  expect(createSpaceWatch(home, createVirtualClock(0)).noted(Object.assign(new Error('no'), { code }))).toBe(true);
});

test.each(['23505', '42501', '40001', 'P0001'])('a refusal for another reason is not a full disk: %s', async (code) => {
  expect(createSpaceWatch(home, createVirtualClock(0)).noted(await refusal(code))).toBe(false);
});

test('readiness reports at once that a disk is nearly full or that a change was refused, and when that is over', async () => {
  const clock = createVirtualClock(1_000_000);
  let free = 500 * MIB;
  const space = createSpaceWatch(home, clock, async () => free);
  const readiness = createReadiness({
    pingDatabase: () => sql`select 1`,
    stalledShards: async () => [],
    quarantined: async () => ({ actors: 0, rows: [] }),
    states: { snapshot: () => [] },
    space,
    clockState: () => ({ ok: true, detail: 'agrees' }),
    pingQueue: async () => {},
    emergency: { url: 'http://127.0.0.1:1', isUp: true },
    bus: { snapshot: () => [{ receivedAt: clock.now() }] },
    clock,
  });
  const disk = async () => {
    const { ready, parts } = await readiness();
    return { ready, ...parts.find(({ name }) => name === 'room') };
  };
  expect(await disk()).toEqual({ ready: true, name: 'room', ok: true, detail: '500 MiB are left on the disk of the state folder' });
  free = 3 * MIB;
  expect(await disk()).toMatchObject({ ready: false, ok: false, detail: `3 MiB are left on the disk of ${home}` });
  free = 500 * MIB;
  space.noted(await refusal('53100'));
  expect(await disk()).toMatchObject({ ready: false, ok: false, detail: expect.stringContaining('a change was refused: no room') });
  clock.advanceTo(clock.now() + 30_000);
  expect(await disk()).toMatchObject({ ready: true, ok: true });
});

test('the disk of a real folder is read', async () => {
  expect(await createSpaceWatch(home, createVirtualClock(0)).left()).toMatch(/^\d+ MiB are left/);
});
