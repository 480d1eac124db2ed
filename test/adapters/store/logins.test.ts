// Logins of the service: created by a superuser or by a plain owner, and the result if neither is permitted.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { API_ROLE } from '../../../src/adapters/store/callers/as-organization.ts';
import { openDatabase, type Sql } from '../../../src/adapters/store/database.ts';
import { EVALUATOR_ROLE } from '../../../src/adapters/store/gates/evidence-store.ts';
import { separateLogins } from '../../../src/adapters/store/logins.ts';
import { migrate } from '../../../src/adapters/store/migrate.ts';
import { testDatabase } from '../../harness/postgres.ts';

let url: string;
let superuser: Sql;
beforeAll(async () => {
  url = await testDatabase('empty');
  superuser = openDatabase({ url, role: null, connections: 1, name: 'logins superuser' });
  // The service's roles already exist on a server where another database has them.
  await migrate(await testDatabase());
});
afterAll(() => superuser.end());

async function withSql<Value>(options: { url: string; role?: string | null }, work: (sql: Sql) => Promise<Value>): Promise<Value> {
  const sql = openDatabase({ ...options, connections: 1, name: 'logins test' });
  try {
    return await work(sql);
  } finally {
    await sql.end();
  }
}

/** Creates a login that owns the empty database and is no superuser. */
async function plainOwner(name: string): Promise<string> {
  const database = new URL(url).pathname.slice(1);
  await superuser.unsafe(`
    create role ${name} login createrole password 'plain';
    grant sevengate_app, sevengate_api, sevengate_evaluator, sevengate_reader to ${name} with admin option;
    alter database ${database} owner to ${name};
    alter schema public owner to ${name};`);
  const address = new URL(url);
  address.username = name;
  address.password = 'plain';
  return address.href;
}

test('a plain owner with CREATEROLE migrates, creates its logins, and again after a restart with the same passwords', async () => {
  const owner = await plainOwner(`plain_owner_${process.pid}`);
  await migrate(owner);
  const [first, second] = [await separateLogins(owner), await separateLogins(owner)];
  expect(first.shared).toBe(null);
  // A plain owner cannot revoke them, and the start says so; after a superuser's migration none are left.
  expect(first.openFunctions).toEqual(expect.arrayContaining(['pg_advisory_lock', 'pg_terminate_backend']));
  expect((await separateLogins(await testDatabase())).openFunctions).toEqual([]);
  expect(second).toEqual(first);
  const both = await Promise.all([1, 2, 3, 4].map(() => separateLogins(owner)));
  for (const one of both) expect(one).toEqual(first);
  await withSql({ url: first.appUrl }, async (sql) => {
    expect(await sql`select current_user as role, session_user <> current_user as apart`).toEqual([{ role: 'sevengate_app', apart: true }]);
    await sql`insert into organizations (id, name) values (gen_random_uuid(), 'made by the application')`;
    await expect(sql`select rolpassword from pg_authid`).rejects.toThrow(/permission denied/);
  });
  await withSql({ url: first.evaluatorUrl, role: EVALUATOR_ROLE }, async (sql) => {
    expect(await sql`select current_user as role`).toEqual([{ role: 'sevengate_evaluator' }]);
    await expect(sql`insert into organizations (id, name) values (gen_random_uuid(), 'x')`).rejects.toThrow(/permission denied/);
  });
  await withSql({ url: first.apiUrl, role: API_ROLE }, async (sql) => {
    expect(await sql`select current_user as role, session_user <> current_user as apart`).toEqual([{ role: 'sevengate_api', apart: true }]);
    await expect(sql`insert into organizations (id, name) values (gen_random_uuid(), 'x')`).rejects.toThrow(/permission denied/);
  });
  // The callers' login cannot become the engine, which sees every organization.
  await expect(withSql({ url: first.apiUrl }, (sql) => sql`select 1`)).rejects.toThrow(/permission denied/);
  // The server refuses the application's login with the evaluator's role.
  await expect(withSql({ url: first.appUrl, role: EVALUATOR_ROLE }, (sql) => sql`select 1`)).rejects.toThrow(/permission denied/);
  // The owner's own statements meet the same gates.
  await withSql({ url: owner, role: null }, async (sql) => {
    await expect(sql`truncate evidence cascade`).rejects.toThrow(/append-only/);
    await expect(sql`truncate stage_changes`).rejects.toThrow(/append-only/);
  });
});

test('a login’s changes to its own settings and password are reverted by the next start', async () => {
  const migrated = await testDatabase();
  const { appUrl } = await separateLogins(migrated);
  await withSql({ url: appUrl, role: null }, async (sql) => {
    const [{ login } = { login: '' }] = await sql<{ login: string }[]>`select session_user as login`;
    await sql`alter role ${sql(login)} set default_transaction_read_only = on`;
    await sql`alter role ${sql(login)} in database ${sql(new URL(migrated).pathname.slice(1))} set extra_float_digits = -15`;
    await sql`alter role ${sql(login)} password 'mine'`;
  });
  expect((await separateLogins(migrated)).appUrl).toBe(appUrl);
  await withSql({ url: appUrl }, async (sql) => {
    await sql`insert into organizations (id, name) values (gen_random_uuid(), 'made after it')`;
    expect(await sql`select 0.1::float8::text as value`).toEqual([{ value: '0.1' }]);
  });
});

test('a login that may use the roles but not create any serves for all, and the start reports why', async () => {
  const migrated = await testDatabase();
  const name = `plain_member_${process.pid}`;
  await superuser.unsafe(`create role ${name} login password 'plain'; grant sevengate_app, sevengate_evaluator to ${name};`);
  const address = new URL(migrated);
  address.username = name;
  address.password = 'plain';
  await expect(separateLogins(address.href)).rejects.toThrow(/can neither create logins nor use the role sevengate_api: grant it/);
  await superuser.unsafe(`grant sevengate_api to ${name}`);
  const logins = await separateLogins(address.href);
  expect(logins).toMatchObject({
    appUrl: address.href,
    apiUrl: address.href,
    evaluatorUrl: address.href,
    shared: expect.stringContaining('permission denied'),
  });
  expect(await withSql({ url: logins.appUrl }, (sql) => sql`select current_user as role`)).toEqual([{ role: 'sevengate_app' }]);
});
