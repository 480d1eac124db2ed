// `sevengate halt` for every organization at once or for one, on a real PostgreSQL, signed if the database requires it.
import { rmSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { haltOrganizations } from '../../actors/agent/halt-organizations.ts';
import { createNewIds } from '../../src/adapters/new-ids.ts';
import { openWriterKeys } from '../../src/adapters/signing-keys/writer-keys.ts';
import { openDatabase, type Sql } from '../../src/adapters/store/database.ts';
import { moveTimeTo } from '../../src/adapters/store/simulated-time.ts';
import { registerWriters } from '../../src/adapters/store/trail/writer-registry.ts';
import { ACTOR_KINDS } from '../../src/boot/capabilities/index.ts';
import { haltingOn } from '../../src/cli/operate/halt-run.ts';
import { createLiveClock } from '../../streams/clock/live-clock.ts';
import { sampleManifest } from '../actors/agent/sample.ts';
import { testDatabase } from '../harness/postgres.ts';
import { sevengate } from '../journeys/running-service.ts';
import { actorsOn } from '../world/actor-world.ts';
import { newRunFolder } from '../harness/temporary-files.ts';

const ORGS = ['00000000-0000-7000-8000-000000000001', '00000000-0000-7000-8000-000000000002'] as const;
const clock = createLiveClock();
const newId = createNewIds(clock);
let url: string;
let sql: Sql;
let home: string;

beforeEach(async () => {
  home = newRunFolder();
  url = await testDatabase();
  sql = openDatabase({ url, name: 'test' });
  for (const id of ORGS) await sql`insert into organizations (id, name) values (${id}, ${`org ${id.slice(-1)}`})`;
});
afterEach(async () => {
  await sql.end();
  rmSync(home, { recursive: true, force: true });
});

/** Creates three active agents in each organization. */
async function agents(on: Sql): Promise<void> {
  const { commands } = actorsOn(on, clock, newId);
  for (const orgId of ORGS)
    for (let n = 0; n < 3; n++) {
      const made = await commands.create({ orgId, subject: 'ann', permissions: ['trade:execute'], requestId: newId() }, sampleManifest());
      expect(made.ok).toBe(true);
    }
}

const paused = async () =>
  (
    await sql<
      { count: number }[]
    >`select count(*)::int as count from agents where pause_cause = 'emergency_halt' group by org_id order by org_id`
  ).map(({ count }) => count);

test('every agent of every organization is paused, with one epoch each, and the audit names the author', async () => {
  await agents(sql);
  const halted = await haltOrganizations(haltingOn(sql, ACTOR_KINDS, clock), null);
  expect(halted).toMatchObject(ORGS.map((orgId) => ({ orgId, epoch: 1, paused: 3, pausing: 0, cancelledProposals: 0 })));
  expect(await paused()).toEqual([3, 3]);
  expect(await sql`select org_id, subject, action from audit where action = 'agents.emergency_halt' order by org_id`).toEqual(
    ORGS.map((org_id) => ({ org_id, subject: 'command line', action: 'agents.emergency_halt' })),
  );
  // No worker is needed: agents are paused, and resumed ones get permits again.
  expect(await sql`select epoch from control where sweeping_until is null order by org_id`).toEqual([{ epoch: 1 }, { epoch: 1 }]);
});

test('one organization alone, from its own process, on a database that accepts changes only from its writers', async () => {
  const { api } = openWriterKeys(home, ['api']);
  await registerWriters(url, [api]);
  const signed = openDatabase({ url, name: 'test signed', writer: api });
  await agents(signed).finally(() => signed.end());
  const later = clock.now() + 86_400_000;
  const owner = openDatabase({ url, role: null, name: 'test owner' });
  await moveTimeTo(owner, later).finally(() => owner.end());
  const done = await sevengate(['halt', '--org', ORGS[1], '--reason', 'prices look wrong', '--database', url, '--json'], {
    SEVENGATE_HOME: home,
  });
  expect([done.stderr, done.code]).toEqual(['', 0]);
  expect(JSON.parse(done.stdout)).toMatchObject([{ orgId: ORGS[1], name: 'org 2', paused: 3, pausing: 0 }]);
  expect(await paused()).toEqual([3]);
  // In the time of the service, also if that of a sandbox was advanced.
  expect(await sql`select count(*)::int as count from steps where cause like 'command line %' and at >= ${later}`).toEqual([{ count: 3 }]);
  expect(await sql`select halted_by, halt_reason from control where epoch > 0`).toEqual([
    { halted_by: 'command line', halt_reason: 'prices look wrong' },
  ]);
  const blank = await sevengate(['halt', '--reason', ' ', '--database', url], { SEVENGATE_HOME: home });
  expect([blank.code, blank.stderr]).toEqual([1, expect.stringContaining('a reason has 1 to 500 characters')]);
  const unknown = await sevengate(['halt', '--org', ORGS[0].replace('8000', '8001'), '--database', url], { SEVENGATE_HOME: home });
  expect([unknown.code, unknown.stderr]).toEqual([1, `sevengate: there is no organization ${ORGS[0].replace('8000', '8001')}\n`]);
});
