// Row-level security on every table: what the callers' role sees and writes for one organization, and without one.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { API_ROLE, asOrganization } from '../../../src/adapters/store/callers/as-organization.ts';
import { openDatabase, type Sql, type Transaction } from '../../../src/adapters/store/database.ts';
import { separateLogins } from '../../../src/adapters/store/logins.ts';
import { fillTables, type OrganizationTable, organizationTables } from '../../harness/filled-tables.ts';
import { testDatabase } from '../../harness/postgres.ts';

const OURS = '00000000-0000-7000-8000-00000000000a';
const THEIRS = '00000000-0000-7000-8000-00000000000b';

/** Tables without an organization, and why their rows belong to none. */
const NOBODYS: Readonly<Record<string, string>> = {
  migrations: 'which files were applied',
  leases: 'duties of processes',
  activity_workers: 'processes that carry activities out',
  clock_shift: "how far the service's time is from the database's: the owner's own",
  simulated_time: "how far the time of a sandbox was moved on: the owner's own",
  quarantined_rows: 'rows that background loops leave out',
  recurring_work: 'what workers do again and again',
  published_takes: 'what was published to be read and forked by everybody, without whose it is',
  tick_shards: 'how far ticks are, over all organizations',
  cuts: 'when the market was looked at',
  observations: 'the market',
  candles: 'the market',
  candle_windows: 'the market',
  long_work: 'the market',
  candle_imports: 'the market',
  listed_tokens: 'the catalog',
  issuer_marks: 'the catalog',
  token_multipliers: 'the catalog',
  pool_liquidity: 'the market',
  market_history: 'the market',
  source_origins: 'which sources of the market are real',
  moved_history: 'which history lies in archive files',
  event_archives: 'the news',
  archived_reports: 'the news',
  prediction_events: 'the market',
  prediction_markets: 'the market',
  prediction_status_changes: 'the market',
  prediction_trades: 'the market',
  intelligence_events: 'the news',
  intelligence_reports: 'the news',
  event_receptions: 'the news',
  macro_observations: 'the news',
  macro_releases: 'the news',
  chain_tvl: 'the news',
  chain_tvl_days: 'the news',
  social_posts: 'the news',
  tick_batches: 'digests of ticks, over all organizations',
  cut_batches: 'digests of the market',
  cut_corrections: 'which cuts of the market were wrong',
  candle_stretches: 'digests of the market',
  leaderboard_wallets: 'public addresses, whoever registered them',
  leaderboard_events: 'public histories',
  leaderboard_sales: 'public histories',
  leaderboard_standings: 'the ranking of public addresses',
  leaderboard_progress: 'how far the refresh is',
  trail_writers: 'public keys of the service',
  trail_retirements: 'which public keys of the service count no more',
  trail_organization_secrets: 'what organizations are proved with, which nobody but the owner reads',
  trail_tables: 'how tables are protected',
  trail_batches: 'signatures, over all organizations',
  trail_changes: 'digests of rows, which callers may not read',
  trail_thinned_batches: 'digests of rows that have moved, which callers may not read',
  trail_log: 'the order of signatures',
  trail_checkpoints: 'states of the log',
};
/**
 * Tables of organizations without such a column: the column by which a row refers to a row that has one, and the table of that
 * row. A database sharded by organization keeps such rows with their owners (docs/reference/performance.md).
 */
const OWNED: Readonly<Record<string, readonly [column: string, owner: string]>> = {
  activities: ['actor_id', 'actors'],
  actor_checkpoints: ['actor_id', 'actors'],
  bridge_arrivals: ['transfer_id', 'bridge_transfers'],
  decisions: ['agent_id', 'actors'],
  evaluation_reports: ['run_id', 'evaluation_runs'],
  evidence: ['agent_id', 'actors'],
  fills: ['book_id', 'books'],
  gate_heads: ['agent_id', 'actors'],
  incidents: ['actor_id', 'actors'],
  ledger_accounts: ['book_id', 'books'],
  ledger_legs: ['transaction_id', 'ledger_transactions'],
  ledger_transactions: ['book_id', 'books'],
  manifests: ['agent_id', 'actors'],
  moved_actors: ['actor_id', 'actors'],
  organizations: ['id', 'organizations'],
  stage_changes: ['agent_id', 'actors'],
  steps: ['actor_id', 'actors'],
  superseded_evidence: ['evidence_id', 'evidence'],
  tick_crashes: ['actor_id', 'actors'],
  tick_inputs: ['agent_id', 'actors'],
  timers: ['actor_id', 'actors'],
  vault_changes: ['agent_id', 'actors'],
  vault_marks: ['agent_id', 'actors'],
  vaults: ['agent_id', 'actors'],
};
/** Functions that change an organization's members: for a proven session of that organization whose caller manages members. */
const OF_MEMBERS = ['change_member', 'invite_member', 'revoke_invitation', 'revoke_tokens', 'set_member_role'];
/** Functions with owner rights for every caller: these, and those that sign or lock for sessions of registered writers. */
const DEFINERS = [
  ...OF_MEMBERS,
  'is_simulated',
  // Number over all organizations that sets how long a round of the polled venue takes.
  'live_instrument_count',
  'lock_delegation',
  'lock_prepared_transactions',
  'record_clock_ms',
  'service_clock_ms',
  'session_is_proven',
  'simulated',
  'trail_open_changes',
  'trail_seal',
];
/** The only partitioned table, because COPY needs a table without policies. Callers may not name it. */
const PARTITIONS = ['decision_rows'];

let superuser: Sql;
let callers: Sql;
let tables: readonly OrganizationTable[];
let ours: ReadonlyMap<string, { readonly [column: string]: unknown }>;
let theirs: typeof ours;
beforeAll(async () => {
  const url = await testDatabase();
  superuser = openDatabase({ url, role: null, connections: 2, name: 'security superuser' });
  const { apiUrl } = await separateLogins(url);
  // One connection, so that state left by one organization would be found by the next.
  callers = openDatabase({ url: apiUrl, role: API_ROLE, connections: 1, name: 'security callers' });
  tables = await organizationTables(superuser);
  ours = await fillTables(superuser, tables, OURS);
  theirs = await fillTables(superuser, tables, THEIRS);
});
afterAll(async () => {
  await callers.end();
  await superuser.end();
});

/** Runs something as the callers' role and rolls it back. */
async function trying<Value>(orgId: string | null, work: (transaction: Transaction) => Promise<Value>): Promise<Value> {
  let value: Value | undefined;
  const undo = new Error('taken back');
  await callers
    .begin(async (transaction) => {
      if (orgId !== null) await transaction`select set_config('sevengate.organization', ${orgId}, true)`;
      value = await work(transaction);
      throw undo;
    })
    .catch((error: unknown) => {
      if (error !== undo) throw error;
    });
  return value as Value;
}

describe('the catalog', () => {
  test('every table has policies, or a reason why its rows belong to no organization', async () => {
    const found = await superuser<{ name: string; secured: boolean; partition: boolean; policies: string[] }[]>`
      select relname as name, relrowsecurity as secured, relispartition as partition,
        array(select polname::text || ' ' || (select string_agg(r::regrole::text, ',' order by r::regrole::text) from unnest(polroles) as r) from pg_policy where polrelid = c.oid order by 1) as policies
      from pg_class c where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') order by 1`;
    for (const { name, secured, partition, policies } of found) {
      if (partition) expect(PARTITIONS, name).toContain(name);
      else if (!secured)
        expect(Object.keys(NOBODYS), `${name} has no policies: give it an org_id or a reference, or say here why not`).toContain(name);
      else {
        expect(
          policies.filter((policy) => !policy.startsWith('shared_rows ') && policy !== 'proven_rows sevengate_api'),
          name,
        ).toEqual(['engine_rows sevengate_app,sevengate_evaluator', 'organization_rows sevengate_api', 'reader_rows sevengate_reader']);
      }
    }
    expect(tables.length).toBeGreaterThan(30);
    const shared = found.filter(({ policies }) => policies.some((policy) => policy.startsWith('shared_rows '))).map(({ name }) => name);
    expect(shared).toEqual(['announcements', 'listing_prices', 'listing_rules', 'marketplace_listings']);
  });

  test('a table of organizations names the organization in each row, or refers to a table that does', () => {
    const unnamed = tables.filter(({ columns }) => columns.every(({ name }) => name !== 'org_id'));
    expect(unnamed.map(({ name }) => name).sort()).toEqual(Object.keys(OWNED).sort());
    for (const [table, [column]] of Object.entries(OWNED)) {
      const owners = [table];
      for (let owner = OWNED[table]?.[1]; owner !== undefined && owner !== owners.at(-1); owner = OWNED[owner]?.[1]) owners.push(owner);
      const last = tables.find(({ name }) => name === owners.at(-1));
      expect(last?.columns.some(({ name }) => name === 'org_id') === true || last?.name === 'organizations', `${table} by ${column}`).toBe(
        true,
      );
    }
  });

  test('every row of an organization leads to its owner', async () => {
    const columns = await superuser<{ name: string }[]>`
      select c.relname || '.' || a.attname as name from pg_class c join pg_attribute a on a.attrelid = c.oid
      where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and a.attnotnull and not a.attisdropped`;
    const never = new Set(columns.map(({ name }) => name));
    expect(Object.entries(OWNED).flatMap(([table, [column]]) => (never.has(`${table}.${column}`) ? [] : [`${table}.${column}`]))).toEqual(
      [],
    );
  });

  test('callers may read but not write shared tables that they can see; partitions not even that', async () => {
    const may = await superuser<{ name: string; privilege: string }[]>`
      select c.relname as name, p as privilege from pg_class c cross join unnest(array['insert', 'update', 'delete', 'truncate', 'references', 'trigger']) as p
      where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relrowsecurity and has_table_privilege('sevengate_api', c.oid, p)`;
    expect(may).toEqual([]);
    for (const name of PARTITIONS) {
      const [row] = await superuser<{ may: boolean }[]>`select has_table_privilege('sevengate_api', ${name}, 'select') as may`;
      expect(row?.may, name).toBe(false);
    }
  });

  test('the callers’ role is no bypass: no attribute, no membership, no function or view with other rights', async () => {
    const [role] = await superuser`
      select rolsuper, rolbypassrls, rolcreaterole, rolcanlogin, (select count(*) from pg_auth_members where member = r.oid) as memberships
      from pg_roles r where rolname = 'sevengate_api'`;
    expect(role).toEqual({ rolsuper: false, rolbypassrls: false, rolcreaterole: false, rolcanlogin: false, memberships: 0 });
    expect(
      await superuser`select proname from pg_proc where pronamespace = 'public'::regnamespace and prosecdef and prorettype <> 'trigger'::regtype
        and has_function_privilege('sevengate_api', oid, 'execute') order by 1`,
    ).toEqual(DEFINERS.toSorted().map((proname) => ({ proname })));
    const asked = {
      change_member: "'o', 's', null, null",
      invite_member: `'o', '${THEIRS}', repeat('0', 64), 'n', null, '{}', 0, 1`,
      revoke_invitation: `'o', '${THEIRS}', 0`,
      revoke_tokens: "'o', 's', null, null, 0, 1",
      set_member_role: "'o', 'n', '{agent:read}'",
    };
    expect(Object.keys(asked)).toEqual(OF_MEMBERS);
    for (const [name, rest] of Object.entries(asked)) {
      await expect(
        trying(OURS, (sql) => sql.unsafe(`select ${name}('${THEIRS}', ${rest})`)),
        name,
      ).rejects.toThrow(/does not work for organization|of a registered writer/);
    }
    expect(
      // A view with the rights of the caller is no bypass.
      await superuser`select relname from pg_class where relnamespace = 'public'::regnamespace and relkind in ('v', 'm')
        and not coalesce(reloptions @> array['security_invoker=true'], false)`,
    ).toEqual([]);
    for (const other of ['sevengate_app', 'sevengate_evaluator', 'sevengate_reader']) {
      await expect(
        trying(OURS, (sql) => sql.unsafe(`set role ${other}`)),
        other,
      ).rejects.toThrow(/permission denied/);
    }
    // Without its role the login has no rights.
    await expect(
      trying(OURS, async (sql) => {
        await sql`reset role`;
        await sql`set local role none`;
        return sql`select 1 from agents`;
      }),
    ).rejects.toThrow(/permission denied/);
    await expect(trying(OURS, (sql) => sql`set session_replication_role = replica`)).rejects.toThrow(/permission denied/);
    // Disabled row-level security refuses instead of showing everything.
    await expect(
      trying(OURS, async (sql) => {
        await sql`set local row_security = off`;
        return sql`select 1 from agents`;
      }),
    ).rejects.toThrow(/would be affected by row-level security/);
  });
});

describe('in every table', () => {
  test('an organization reads only its own row; without a name there is none', async () => {
    for (const { name } of tables) {
      const read = (orgId: string | null) =>
        trying(orgId, (sql) => sql<{ row: unknown }[]>`select to_jsonb(t.*) as row from ${sql(name)} t`);
      expect(await read(OURS), name).toEqual([{ row: ours.get(name) }]);
      expect(await read(THEIRS), name).toEqual([{ row: theirs.get(name) }]);
      expect(await read(null), name).toEqual([]);
      expect(await read('00000000-0000-7000-8000-00000000000c'), name).toEqual([]);
    }
  });

  test('nobody writes, changes or deletes a row of another organization', async () => {
    for (const { name, columns } of tables) {
      const foreign = theirs.get(name);
      const names = columns.filter(({ made }) => !made).map((column) => column.name);
      const insert = trying(
        OURS,
        (sql) => sql`
          insert into ${sql(name)} (${sql(names)}) select ${sql(names)} from jsonb_populate_record(null::${sql(name)}, ${sql.json(foreign as never)})`,
      );
      await expect(insert, `insert into ${name}`).rejects.toThrow(/row-level security|permission denied/);
      const first = names[0] as string;
      const changes: readonly ((sql: Transaction) => Promise<{ count: number }>)[] = [
        (sql) => sql`update ${sql(name)} set ${sql(first)} = ${sql(first)}`,
        (sql) => sql`delete from ${sql(name)}`,
      ];
      for (const orgId of [OURS, null]) {
        for (const change of changes) {
          const what = await trying(orgId, change).then(
            ({ count }) => count,
            (error: Error) => error.message.slice(0, 17),
          );
          expect([orgId === null ? 0 : 1, 'permission denied'], `${name} of ${orgId}`).toContain(what);
        }
      }
    }
  });

  test('no row is given away, and none refers to another organization’s data', async () => {
    const taken: string[] = [];
    for (const { name, columns } of tables) {
      const tied = columns.filter((column) => !column.made && (column.name === 'org_id' || column.refersTo !== null));
      for (const column of tied) {
        const value = theirs.get(name)?.[column.name];
        if (value === ours.get(name)?.[column.name]) continue;
        const given = trying(
          OURS,
          (sql) => sql`
            update ${sql(name)} set ${sql(column.name)} = r.v from (select ${sql(column.name)} as v from jsonb_populate_record(null::${sql(name)}, ${sql.json({ [column.name]: value } as never)})) r`,
        );
        const what = await given.then(
          () => 'taken',
          (error: Error) => error.message,
        );
        if (!/row-level security|permission denied/.test(what)) taken.push(`${name}.${column.name}: ${what}`);
      }
    }
    expect(taken).toEqual([]);
  });

  test('the engine has every row, and the reader reads every row', async () => {
    for (const role of ['sevengate_app', 'sevengate_reader']) {
      await superuser.begin(async (sql) => {
        await sql`set local role ${sql(role)}`;
        for (const { name } of tables) {
          const [row] = await sql<{ rows: number }[]>`select count(*) as rows from ${sql(name)}`;
          expect(row?.rows, `${role} ${name}`).toBe(2);
        }
      });
    }
  });
});

describe('announcements', () => {
  test('without an organization they are for everybody, and no caller writes one', async () => {
    await superuser`insert into announcements (channel, at, body) values ('decisions', 0, '{"shard": 0}')`;
    const read = (orgId: string | null) =>
      trying(orgId, (sql) => sql<{ org_id: string | null }[]>`select org_id from announcements order by org_id nulls last`);
    expect(await read(OURS)).toEqual([{ org_id: OURS }, { org_id: null }]);
    expect(await read(null)).toEqual([{ org_id: null }]);
    await expect(trying(OURS, (sql) => sql`insert into announcements (channel, at, body) values ('alerts', 0, '{}')`)).rejects.toThrow(
      /row-level security/,
    );
    await superuser`delete from announcements where org_id is null`;
  });
});

describe('the pool for an organization', () => {
  test('each statement sees its own organization, however many share a connection, and leaves no state behind', async () => {
    const asked = Array.from({ length: 60 }, (_, index) => (index % 2 === 0 ? OURS : THEIRS));
    const answers = await Promise.all(
      asked.map((orgId) => asOrganization(callers, orgId)<{ org_id: string }[]>`select org_id from agents`),
    );
    expect(answers.map((rows) => [...rows])).toEqual(asked.map((orgId) => [{ org_id: orgId }]));
    expect(await callers`select id from agents`).toEqual([]);
    const [left] = await callers`select nullif(current_setting('sevengate.organization', true), '') as left`;
    expect(left).toEqual({ left: null });
  });

  test('parts of statements, names, lists and JSON come through; transactions name the organization too', async () => {
    const sql = asOrganization(callers, OURS);
    const { id } = ours.get('agents') as { id: string };
    const columns = sql`id, ${sql('org_id')}`;
    const mine = sql`and id = any(${[id]}::uuid[])`;
    expect(await sql`select ${columns} from ${sql('agents')} where true ${mine}`).toEqual([{ id, org_id: OURS }]);
    expect(await sql`select ${sql.json({ a: [1, 'x'] })}::jsonb as body`).toEqual([{ body: { a: [1, 'x'] } }]);
    expect(
      await sql.begin(async (transaction) => [await transaction`select ${1}::int as one`, await transaction`select id from agents`]),
    ).toEqual([[{ one: 1 }], [{ id }]]);
  });

  test('concurrent statements share a transaction; if one fails, each reports only its own error', async () => {
    const sql = asOrganization(callers, OURS);
    const started = await Promise.all([1, 2, 3].map(() => sql<{ at: string }[]>`select transaction_timestamp()::text as at`));
    expect(new Set(started.map(([row]) => row?.at)).size).toBe(1);
    const outcomes = await Promise.allSettled([
      sql`select id from agents`,
      sql`select 1 / 0`,
      sql`insert into audit (org_id, subject, action, request_id, target) values (${OURS}, 'together', 'a', 'r', 't')`,
      sql`insert into audit (org_id, subject, action, request_id, target) values (${THEIRS}, 'together', 'a', 'r', 't')`,
      ...Array.from({ length: 20 }, () => sql`select 1 as one`),
    ]);
    expect(outcomes.slice(0, 4).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'rejected']);
    expect((outcomes[1] as PromiseRejectedResult).reason.message).toBe('division by zero');
    expect((outcomes[3] as PromiseRejectedResult).reason.message).toMatch(/row-level security/);
    expect(outcomes.slice(4).every(({ status }) => status === 'fulfilled')).toBe(true);
    expect(await superuser`select org_id from audit where subject = 'together'`).toEqual([{ org_id: OURS }]);
    await superuser`delete from audit where subject = 'together'`;
  });

  test('a statement that fails ends its transaction, and the next one is served', async () => {
    const sql = asOrganization(callers, OURS);
    await expect(sql`select 1 / 0`).rejects.toThrow(/division by zero/);
    await expect(
      sql.begin(async (transaction) => {
        await transaction`insert into audit (org_id, subject, action, request_id, target) values (${OURS}, 's', 'a', 'r', 't')`;
        throw new Error('changed my mind');
      }),
    ).rejects.toThrow('changed my mind');
    expect(await sql`select count(*) as rows from audit`).toEqual([{ rows: 1 }]);
  });

  test('an invalid name shows nothing: the statement fails', async () => {
    await expect(asOrganization(callers, 'ours')`select id from agents`).rejects.toThrow(/invalid input syntax for type uuid/);
    expect(await asOrganization(callers, '')`select id from agents`).toEqual([]);
  });

  test('nothing can be sent without the name', () => {
    const sql = asOrganization(callers, OURS) as unknown as Record<string, unknown>;
    for (const way of ['unsafe', 'listen', 'notify', 'file', 'reserve', 'subscribe']) expect(sql[way], way).toBeUndefined();
  });
});
