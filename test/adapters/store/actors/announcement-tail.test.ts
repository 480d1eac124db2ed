// The tail delivers every committed announcement once, in one order, despite failing transactions and connections.

import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AnnouncementRow } from '../../../../src/adapters/store/actors/announced-rows.ts';
import { type AnnouncementTail, createAnnouncementTail } from '../../../../src/adapters/store/actors/announcement-tail.ts';
import { API_ROLE, asOrganization } from '../../../../src/adapters/store/callers/as-organization.ts';
import { openDatabase, type Sql, type Transaction } from '../../../../src/adapters/store/database.ts';
import { startEmbeddedPostgres } from '../../../../src/adapters/store/embedded-postgres.ts';
import { createLiveClock } from '../../../../streams/clock/live-clock.ts';
import { testDatabase, withCluster } from '../../../harness/postgres.ts';
import { waitFor } from '../../../harness/wait-for.ts';

const OURS = '00000000-0000-7000-8000-00000000000a';
const THEIRS = '00000000-0000-7000-8000-00000000000b';
const clock = createLiveClock();

let url: string;
let writer: Sql;
const stops: (() => Promise<unknown>)[] = [];
beforeAll(async () => {
  url = await testDatabase();
  writer = openDatabase({ url, connections: 10, name: 'writers' });
  await writer`insert into organizations (id, name) values (${OURS}, 'ours'), (${THEIRS}, 'theirs')`;
});
afterAll(async () => {
  for (const stop of stops.reverse()) await stop();
  await writer?.end();
});

interface Received {
  readonly tail: AnnouncementTail;
  readonly rows: AnnouncementRow[];
  readonly errors: unknown[];
}

async function listen(options: { name?: string; pollMs?: number; pageRows?: number; at?: string } = {}): Promise<Received> {
  const sql = openDatabase({ url: options.at ?? url, connections: 3, name: options.name ?? 'tail' });
  const callers = openDatabase({ url: options.at ?? url, role: API_ROLE, connections: 1, name: 'tail callers' });
  const rows: AnnouncementRow[] = [];
  const errors: unknown[] = [];
  const { pollMs, pageRows } = options;
  const tail = createAnnouncementTail({
    sql,
    ownConnection: (orgId) => asOrganization(callers, orgId),
    clock,
    onError: (error) => errors.push(error),
    ...(pollMs === undefined ? {} : { pollMs }),
    ...(pageRows === undefined ? {} : { pageRows }),
  });
  tail.subscribe((found) => rows.push(...found));
  await tail.start();
  stops.push(async () => {
    await tail.stop();
    await sql.end({ timeout: 1 });
    await callers.end({ timeout: 1 });
  });
  return { tail, rows, errors };
}

async function insert(sql: Sql | Transaction, channel: string, n: number, orgId: string | null = OURS): Promise<void> {
  await sql`insert into announcements (channel, org_id, at, body) values (${channel}, ${orgId}, ${n}, ${sql.json({ n })})`;
}

const numbers = (rows: readonly AnnouncementRow[]): unknown[] => rows.map(({ body }) => body['n']);

test('a row that commits late is delivered late, and not skipped', async () => {
  const { rows } = await listen({ pollMs: 10 });
  let commitEarly = (): void => {};
  const begun = new Promise<void>((resolve, reject) => {
    const hold = new Promise<void>((release) => (commitEarly = release));
    stops.push(async () => {
      commitEarly();
      await finished;
    });
    const finished = writer
      .begin(async (transaction) => {
        await insert(transaction, 'late', 1);
        resolve();
        await hold;
      })
      .catch(reject);
  });
  await begun;
  await insert(writer, 'late', 2);
  // The later transaction has committed; several polls pass while the earlier one is open.
  const seen = await listen({ pollMs: 10 });
  await insert(writer, 'late', 3);
  await waitFor(async () => ((await writer`select 1 from announcements where channel = 'late'`).length === 2 ? true : null), {
    what: 'two visible rows',
  });
  await new Promise((resolve) => clock.deadline(clock.now() + 100, () => resolve(null)));
  expect(numbers(rows)).toEqual([]);
  commitEarly();
  await waitFor(() => rows.length === 3, { what: 'all three rows' });
  expect(numbers(rows)).toEqual([1, 2, 3]);
  await waitFor(() => seen.rows.length === 3, { what: 'all three rows at the second reader, which began while the first was open' });
});

test('a row is found without a notification, and at once with one', async () => {
  const slow = await listen({ pollMs: 30_000 });
  await insert(writer, 'hinted', 1);
  await waitFor(
    async () => {
      await writer`select pg_notify('sevengate_announcements', '')`;
      return slow.rows.some(({ channel }) => channel === 'hinted');
    },
    { what: 'the notified row' },
  );
  const polling = await listen({ pollMs: 20 });
  await insert(writer, 'polled', 1);
  await waitFor(() => polling.rows.some(({ channel }) => channel === 'polled'), { what: 'the row nobody was told of' });
});

test('with notifications it polls rarely, and a lost one costs no row', async () => {
  const polls: number[] = [];
  const counted = openDatabase({ url, connections: 2, name: 'counted tail' });
  const counting = new Proxy(counted, {
    apply(target, self, parameters) {
      polls.push(clock.now());
      return Reflect.apply(target as never, self, parameters) as unknown;
    },
  });
  const rows: AnnouncementRow[] = [];
  const tail = createAnnouncementTail({ sql: counting, clock, pollMs: 5 });
  tail.subscribe((found) => rows.push(...found.filter(({ channel }) => channel === 'seldom')));
  await tail.start();
  stops.push(async () => {
    await tail.stop();
    await counted.end({ timeout: 1 });
  });
  await waitFor(() => polls.length > 1 && clock.now() - (polls.at(-1) as number) > 100, { what: 'a tail that waits for notifications' });
  await insert(writer, 'seldom', 1);
  await waitFor(() => rows.length === 1, { what: 'the row that nobody told of' });
  const before = polls.length;
  await waitFor(() => polls.length > before + 20, { what: 'looking often, now that a notification was lost' });
  await writer.begin(async (transaction) => {
    await insert(transaction, 'seldom', 2);
    await transaction`select pg_notify('sevengate_announcements', '')`;
  });
  await waitFor(() => rows.length === 2 && clock.now() - (polls.at(-1) as number) > 100, { what: 'waiting for notifications again' });
  expect(numbers(rows)).toEqual([1, 2]);
});

test('reading page by page gives exactly the matching rows, and always ends', async () => {
  const { tail, rows } = await listen({ pollMs: 10, pageRows: 7 });
  const before = tail.position();
  for (let n = 0; n < 50; n++) await insert(writer, n % 3 === 0 ? 'wanted' : 'other', n, n % 2 === 0 ? OURS : n % 5 === 0 ? null : THEIRS);
  await waitFor(() => rows.length === 50, { what: '50 rows' });
  const read = async (shared: boolean): Promise<unknown[]> => {
    const found: AnnouncementRow[] = [];
    let at = before;
    for (let pages = 0; at.xid < tail.position().xid || at.seq < tail.position().seq; pages++) {
      expect(pages).toBeLessThan(20);
      const page = await tail.read(at, tail.position(), { channel: 'wanted', orgId: OURS, actorId: null, shared });
      found.push(...page.rows);
      at = page.position;
    }
    return numbers(found);
  };
  const wanted = [...Array(50).keys()].filter((n) => n % 3 === 0);
  expect(await read(false)).toEqual(wanted.filter((n) => n % 2 === 0));
  expect(await read(true)).toEqual(wanted.filter((n) => n % 2 === 0 || n % 5 === 0));
});

test('a reached cursor is known, a foreign one is not', async () => {
  const { tail } = await listen();
  expect(await tail.isKnown(tail.position())).toBe(true);
  expect(await tail.isKnown({ xid: 2 ** 50, seq: 1 })).toBe(false);
});

test('connections killed during a burst lose and repeat nothing', async () => {
  const { rows, errors } = await listen({ name: 'killed tail', pollMs: 20 });
  const admin = openDatabase({ url, connections: 1, role: null, name: 'killer' });
  let killed = 0;
  let writing = true;
  const burst = Promise.all(
    [0, 1, 2, 3].map(async (instrumentState) => {
      for (let n = instrumentState; n < 800; n += 4) {
        await writer.begin(async (transaction) => {
          await insert(transaction, 'burst', n);
          await transaction`select pg_notify('sevengate_announcements', '')`;
        });
      }
    }),
  ).then(() => (writing = false));
  while (writing) {
    // Only connections that have already run a statement: the first queries of postgres.js on a new one cannot be caught.
    const gone = await admin`
        select pg_terminate_backend(pid) from pg_stat_activity
        where application_name = 'killed tail' and datname = current_database() and query like '%announcements%'`;
    killed += gone.length;
    await new Promise((resolve) => clock.deadline(clock.now() + 30, () => resolve(null)));
  }
  await burst;
  await insert(writer, 'burst', 800);
  const own = (): AnnouncementRow[] => rows.filter(({ channel }) => channel === 'burst');
  await waitFor(() => numbers(own()).includes(800), { what: 'the row after the burst' });
  await admin.end();
  expect(killed).toBeGreaterThan(0);
  expect(errors.length).toBeGreaterThan(0);
  const order = own();
  expect(order).toHaveLength(801);
  expect(new Set(numbers(order)).size).toBe(801);
  for (let index = 1; index < order.length; index++) {
    const [one, other] = [order[index - 1] as AnnouncementRow, order[index] as AnnouncementRow];
    expect(one.xid < other.xid || (one.xid === other.xid && one.seq < other.seq)).toBe(true);
  }
});

test('a database that crashes and recovers loses and repeats nothing', async () => {
  const home = mkdtempSync(join(tmpdir(), 'sevengate-tail-'));
  chmodSync(home, 0o711);
  await withCluster(home);
  const server = await startEmbeddedPostgres({ home, log: () => {} });
  try {
    const sql = openDatabase({ url: server.url, connections: 2, name: 'writer' });
    await sql`insert into organizations (id, name) values (${OURS}, 'ours')`;
    const { rows } = await listen({ at: server.url, pollMs: 20 });
    const written: number[] = [];
    let crashed = false;
    for (let n = 0; n < 300; n++) {
      if (n === 150) {
        const [victim] = await sql<{ pid: number }[]>`select pid from pg_stat_activity where application_name = 'tail' limit 1`;
        // A killed backend makes the server end all others and recover from its log.
        process.kill(victim?.pid as number, 'SIGKILL');
        crashed = true;
      }
      await waitFor(
        async () => {
          try {
            const [stored] = await sql`select 1 from announcements where at = ${n}`;
            if (!stored) await insert(sql, 'crash', n);
            return true;
          } catch {
            return false;
          }
        },
        { what: `row ${n}`, deadlineMs: 20_000 },
      );
      written.push(n);
    }
    expect(crashed).toBe(true);
    await waitFor(() => rows.length >= 300, { what: 'all rows', deadlineMs: 20_000 });
    expect(numbers(rows)).toEqual(written);
    await stops.pop()?.();
    await sql.end({ timeout: 1 });
  } finally {
    await server.stop();
    rmSync(home, { recursive: true, force: true });
  }
});

test('following many announcements reads each of them once, however many are stored', async () => {
  const stored = await testDatabase();
  const own = openDatabase({ url: stored, connections: 1, name: 'many announcements' });
  await own`insert into organizations (id, name) values (${OURS}, 'ours')`;
  const insertMany = (from: number, to: number) => own`
    insert into announcements (channel, org_id, at, body)
    select 'many', ${OURS}, n, jsonb_build_object('n', n) from generate_series(${from}::int, ${to}::int) n`;
  await insertMany(1, 20_000);
  await own`analyze announcements`;
  // A transaction in any database of the cluster that began before these rows would delay them.
  await waitFor(async () => (await own`select 1 from announcements having max(xid) < pg_snapshot_xmin(pg_current_snapshot())`).length > 0, {
    what: 'the stored announcements to lie before every open transaction',
  });
  const { rows } = await listen({ at: stored, name: 'tail of many', pollMs: 10, pageRows: 100 });
  await insertMany(20_001, 21_000);
  await waitFor(() => rows.length === 1_000, { what: 'the new announcements' });
  // A connection's statistics become visible some time after it goes idle.
  const counts = await waitFor(
    async () => {
      const [found] = await own<{ one_by_one: number; whole: number }[]>`
        select idx_tup_fetch::int as one_by_one, seq_tup_read::int as whole from pg_stat_user_tables where relname = 'announcements'`;
      return found && found.one_by_one >= 1_000 ? found : null;
    },
    { what: 'the counts of rows read' },
  );
  expect(counts.whole).toBe(0);
  await own.end();
});
