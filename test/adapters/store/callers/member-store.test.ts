// Members: grants take effect at once, no member changes the organization, and unknown permissions are refused.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createMemberStore } from '../../../../src/adapters/store/callers/member-store.ts';
import { openDatabase, type Sql } from '../../../../src/adapters/store/database.ts';
import { testDatabase } from '../../../harness/postgres.ts';
import { ORG, OTHER } from '../reads.ts';

let sql: Sql;
beforeAll(async () => {
  // Only the owner can add members.
  sql = openDatabase({ url: await testDatabase(), role: null, name: 'members test', connections: 4 });
  await sql`insert into organizations (id, name) values (${ORG}, 'ours'), (${OTHER}, 'theirs')`;
});
afterAll(() => sql.end());

test('a grant is found, changed and found again', async () => {
  const members = createMemberStore(sql);
  expect(await members.find('ann')).toBeNull();
  await members.grant('ann', { orgId: ORG, name: 'Ann', permissions: ['market:read', 'risk:manage'] });
  expect(await members.find('ann')).toMatchObject({ orgId: ORG, name: 'Ann', permissions: ['market:read', 'risk:manage'] });
  await members.grant('ann', { orgId: ORG, name: 'Ann B', permissions: [] });
  expect(await members.find('ann')).toMatchObject({ orgId: ORG, name: 'Ann B', permissions: [] });
});

test('a subject does not move to another organization', async () => {
  const members = createMemberStore(sql);
  await members.grant('bob', { orgId: ORG, name: 'Bob', permissions: ['agent:read'] });
  await expect(members.grant('bob', { orgId: OTHER, name: 'Bob', permissions: ['trade:execute'] })).rejects.toThrow(/another organization/);
  expect(await members.find('bob')).toMatchObject({ orgId: ORG, permissions: ['agent:read'] });
});

test('a permission that does not exist is refused by the database', async () => {
  await expect(createMemberStore(sql).grant('eve', { orgId: ORG, name: 'Eve', permissions: ['admin' as never] })).rejects.toThrow(
    /check constraint/,
  );
});

test('an organization is created once, however often it is requested', async () => {
  const members = createMemberStore(sql);
  const id = '00000000-0000-7000-8000-0000000000dd';
  await Promise.all([
    members.ensureOrganization(id, 'one'),
    members.ensureOrganization(id, 'two'),
    members.ensureOrganization(id, 'three'),
  ]);
  expect(await sql`select 1 from organizations where id = ${id}`).toHaveLength(1);
});
