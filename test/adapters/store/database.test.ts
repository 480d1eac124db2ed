// Database connections: exact numbers, arrays without a type query to the server, and distinguished connection losses.
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { isConnectionLoss, isRetryable, openDatabase, send, type Sql } from '../../../src/adapters/store/database.ts';
import { REFERRED_TABLES } from '../../../src/adapters/store/gathered-statements.ts';
import { testDatabase } from '../../harness/postgres.ts';
import { rounds } from '../../harness/rounds.ts';
import { waitFor } from '../../harness/wait-for.ts';

let url: string;
let sql: Sql;
beforeAll(async () => {
  url = await testDatabase();
  sql = openDatabase({ url, name: 'test', connections: 3 });
});
afterAll(() => sql.end());

/** Numbers of killed connections, in single statements and in transactions: a new one costs the server ten milliseconds. */
const [KILLED_ALONE, KILLED_IN_TRANSACTIONS] = [rounds({ suite: 50, proof: 150 }), rounds({ suite: 120, proof: 400 })];

test('arrays of text and uuid survive the round trip, whatever they contain', async () => {
  const texts = ['plain', 'with "quotes"', 'back\\slash', 'comma, brace {}', '', 'NULL', ' blank ', 'ünïcode 漢'];
  const [row] = await sql<{ texts: string[]; ids: string[]; empty: string[] }[]>`
    select ${texts}::text[] as texts, ${['01900000-0000-7000-8000-000000000001']}::uuid[] as ids, ${[] as string[]}::text[] as empty`;
  expect(row).toEqual({ texts, ids: ['01900000-0000-7000-8000-000000000001'], empty: [] });
});

test('arrays of numbers survive the round trip', async () => {
  const [row] =
    await sql`select ${[1, -2, 3]}::int[] as ints, ${[1_790_000_000_000, 0]}::bigint[] as bigs, ${[] as number[]}::int[] as none`;
  expect(row).toEqual({ ints: [1, -2, 3], bigs: [1_790_000_000_000, 0], none: [] });
});

test('bigints are numbers, numerics stay text', async () => {
  const [row] = await sql`select 1790000000000::bigint as big, 1.10::numeric as exact, 12345678901234567890.123::numeric as long`;
  expect(row).toEqual({ big: 1790000000000, exact: '1.10', long: '12345678901234567890.123' });
});

test('the pool uses the application role, which may not change the schema', async () => {
  expect((await sql`select current_user as role`)[0]).toEqual({ role: 'sevengate_app' });
  await expect(sql`create table mine (a int)`).rejects.toThrow(/permission denied/);
  await expect(sql`drop table actors`).rejects.toThrow(/must be owner/);
});

test('unawaited statements run in order, and the transaction ends only after them', async () => {
  const found = await sql.begin(async (transaction) => {
    await transaction`create temporary table in_order (place int generated always as identity, said text) on commit drop`;
    for (const said of ['first', 'x'.repeat(4_000), 'third']) send(transaction, transaction`insert into in_order (said) values (${said})`);
    return transaction<{ length: number }[]>`select length(said) from in_order order by place`;
  });
  expect(found.map(({ length }) => length)).toEqual([5, 4_000, 5]);
});

test('statements on different tables become one, and a read sees earlier writes', async () => {
  const seen = await sql.begin(async (transaction) => {
    for (const table of ['left_over', 'right_over'])
      await transaction.unsafe(`create temporary table ${table} (id int primary key, said text) on commit drop`);
    send(transaction, transaction`insert into left_over (id, said) values (1, 'left'), (2, 'left')`, 2);
    send(transaction, transaction`insert into right_over (id, said) values (1, 'right')`, 1);
    // It reads what the first one wrote.
    send(transaction, transaction`insert into right_over (id, said) select id + 10, said from left_over`, 2);
    send(transaction, transaction`update left_over set said = 'changed' where id = 2`, 1);
    const rows = await transaction<{ said: string }[]>`
      select said from left_over union all select said from right_over order by said`;
    const [sent] = await transaction<{ together: number }[]>`
      select count(*)::int as together from pg_prepared_statements where statement like 'with s0 as (%left_over%right_over%'`;
    return { said: rows.map(({ said }) => said), sent };
  });
  expect(seen).toEqual({ said: ['changed', 'left', 'left', 'left', 'right'], sent: { together: 1 } });
});

test('every referenced table is known, so that no row is written in one statement with what it refers to', async () => {
  const referred = await sql<{ name: string }[]>`
    select distinct confrelid::regclass::text as name from pg_constraint
    where contype = 'f' and connamespace = 'public'::regnamespace and not starts_with(confrelid::regclass::text, 'trail_') order by 1`;
  expect(referred.map(({ name }) => name)).toEqual([...REFERRED_TABLES].sort());
});

test('a statement of several that wrote an unexpected number of rows fails the transaction', async () => {
  const duty = 'a duty beside too few timers';
  const writing = sql.begin(async (transaction) => {
    send(transaction, transaction`insert into leases (duty, holder, held_until) values (${duty}, 'nobody', clock_timestamp())`, 1);
    send(transaction, transaction`delete from timers where false`, 1);
  });
  await expect(writing).rejects.toThrow('0 of 1 rows were written');
  expect(await sql`select duty from leases where duty = ${duty}`).toEqual([]);
});

test('a failed unawaited statement fails its transaction with its own error, and nothing is committed', async () => {
  const duty = 'a duty of a failed transaction';
  const failing = (more: boolean) =>
    sql.begin(async (transaction) => {
      send(transaction, transaction`insert into leases (duty, holder, held_until) values (${duty}, 'nobody', clock_timestamp())`);
      send(transaction, transaction`select 1 / (length(${'x'}) - 1)`);
      if (more) await transaction`select 2`;
    });
  await expect(failing(false)).rejects.toThrow(/division by zero/);
  await expect(failing(true)).rejects.toThrow(/division by zero/);
  expect(await sql`select duty from leases where duty = ${duty}`).toEqual([]);
});

test('outside a transaction no unawaited statement is sent', () => {
  expect(() => send(sql as never, sql`select 1`)).toThrow(/only a transaction/);
});

test('notifications continue after another connection of the pool was lost', async () => {
  const listener = openDatabase({ url, name: 'listener', connections: 1 });
  const received: string[] = [];
  try {
    const { unlisten } = await listener.listen('lost_and_found', (text) => received.push(text));
    for (const round of ['first', 'second']) {
      await listener`select pg_terminate_backend(pg_backend_pid())`.catch(() => {});
      await waitFor(
        async () => {
          await sql`select pg_notify('lost_and_found', ${round})`;
          return received.includes(round);
        },
        { what: `the notification after the ${round} loss` },
      );
    }
    await unlisten();
    await sql`select pg_notify('lost_and_found', 'late')`;
    await listener`select 1`;
    expect(received).not.toContain('late');
  } finally {
    await listener.end();
  }
});

test('a transaction that continues long after its connection was lost is rejected, and ends no process', async () => {
  const killer = openDatabase({ url, name: 'late killer', role: null, connections: 1 });
  const victim = openDatabase({ url, name: 'late victim', connections: 1 });
  try {
    for (const afterMs of [0, 50, 300]) {
      const late: unknown[] = [];
      const lost = await victim
        .begin(async (transaction) => {
          const [{ pid } = { pid: 0 }] = await transaction<{ pid: number }[]>`select pg_backend_pid() as pid`;
          await killer`select pg_terminate_backend(${pid})`;
          await transaction`select pg_sleep(1)`.catch((error: unknown) => late.push(error));
          const told = performance.now();
          await waitFor(() => performance.now() - told >= afterMs, { what: 'some other work' });
          // Sent despite the first loss, to a connection that is long gone.
          for (let n = 0; n < 3; n++) await transaction`select ${'x'.repeat(n * 2_000)}::text`.catch((error: unknown) => late.push(error));
        })
        .catch((error: unknown) => error);
      await waitFor(() => late.length === 4, { what: 'every statement of the lost transaction to be told' });
      for (const error of [...late, lost]) expect(isConnectionLoss(error), String(error)).toBe(true);
      expect(await victim`select 1 as one`).toEqual([{ one: 1 }]);
    }
  } finally {
    await Promise.all([killer.end(), victim.end()]);
  }
});

test('a long transaction completes when another connection of its pool is lost', async () => {
  const killer = openDatabase({ url, name: 'killer of others', role: null, connections: 1 });
  const owner = openDatabase({ url, name: 'long work', role: null, connections: 2 });
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'], shouldAdvanceTime: true });
  try {
    const kept = await owner.begin(async (transaction) => {
      const [{ pid } = { pid: 0 }] = await transaction<{ pid: number }[]>`select pg_backend_pid() as pid`;
      const [other] = await owner<{ pid: number }[]>`select pg_backend_pid() as pid`;
      expect(other?.pid).not.toBe(pid);
      await killer`select pg_terminate_backend(${other?.pid as number})`;
      // The loss is reported, and the next statement outside the transaction uses a new connection.
      await waitFor(
        () =>
          owner<{ pid: number }[]>`select pg_backend_pid() as pid`.then(
            ([row]) => row?.pid !== other?.pid,
            () => false,
          ),
        {
          what: 'a new connection',
        },
      );
      vi.advanceTimersByTime(3_600_000);
      await killer`select 1`;
      return transaction<{ pid: number }[]>`select pg_backend_pid() as pid, ${pid}::int as before`;
    });
    expect(kept[0]).toMatchObject({ before: kept[0]?.pid });
  } finally {
    vi.useRealTimers();
    await Promise.all([killer.end(), owner.end()]);
  }
});

test('an error of class 08 from a live server is rolled back and reported, and the connection stays usable', async () => {
  const raised = sql.begin(async (transaction) => {
    await transaction`do $$ begin raise exception 'no such thing' using errcode = '08P01'; end $$`;
  });
  await expect(raised).rejects.toThrow('no such thing');
  expect(await sql`select 1 as one`).toEqual([{ one: 1 }]);
});

test('repeatedly killed connections, even while starting, never end the process', async () => {
  const unhandled: unknown[] = [];
  const receive = (reason: unknown): void => void unhandled.push(reason);
  process.on('unhandledRejection', receive);
  const killer = openDatabase({ url, name: 'killer', role: null, connections: 1 });
  const victim = openDatabase({ url, name: 'victim', connections: 8 });
  try {
    let killed = 0;
    const losses: unknown[] = [];
    let over = false;
    const load = Promise.all(
      Array.from({ length: 8 }, async () => {
        while (!over) await victim`select pg_sleep(0.002)`.catch((error: unknown) => losses.push(error));
      }),
    );
    await waitFor(
      async () => {
        killed += (await killer`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'victim'`).length;
        return killed >= KILLED_ALONE;
      },
      { what: `${KILLED_ALONE} killed connections`, deadlineMs: 20_000 },
    );
    over = true;
    await load;
    expect(losses.length).toBeGreaterThan(0);
    for (const loss of losses) expect(isConnectionLoss(loss), String(loss)).toBe(true);
    for (const loss of losses) expect(isRetryable(loss)).toBe(true);
    // A query started on a dying connection is lost with it; after that the whole pool works again.
    const all = () => Promise.all(Array.from({ length: 64 }, (_, n) => victim`select ${n}::int as n`.then(([row]) => row?.['n'])));
    const numbers = Array.from({ length: 64 }, (_, n) => n);
    expect(await waitFor(() => all().catch(() => null), { what: 'every place in the pool works again', deadlineMs: 4_000 })).toEqual(
      numbers,
    );
    expect(unhandled).toEqual([]);
  } finally {
    process.off('unhandledRejection', receive);
    await Promise.all([killer.end(), victim.end()]);
  }
});

test('transactions that lose their connection at any statement or within COPY are rejected, and end neither process nor pool', async () => {
  const uncaught: unknown[] = [];
  const receive = (error: unknown): void => void uncaught.push(error);
  process.on('uncaughtException', receive);
  const killer = openDatabase({ url, name: 'killer', role: null, connections: 1 });
  const victim = openDatabase({ url, name: 'victim in transactions', role: null, connections: 6 });
  await killer`create table copied (line text)`;
  try {
    let [killed, done, lost, over] = [0, 0, 0, false];
    const load = Promise.all(
      Array.from({ length: 6 }, async () => {
        while (!over) {
          await victim
            .begin(async (transaction) => {
              await transaction`select ${1}::int`;
              const writable = await transaction`copy copied (line) from stdin`.writable();
              await new Promise<void>((sent, failed) => {
                const final = writable._final.bind(writable);
                writable._final = (ended) => {
                  final(ended);
                  sent();
                };
                writable.on('error', failed);
                writable.end('a line\n');
              });
              await transaction`select ${'after the copy'}::text`;
            })
            .then(
              () => done++,
              () => lost++,
            );
        }
      }),
    );
    await waitFor(
      async () => {
        killed += (await killer`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'victim in transactions'`)
          .length;
        return killed >= KILLED_IN_TRANSACTIONS;
      },
      { what: `${KILLED_IN_TRANSACTIONS} killed connections`, deadlineMs: 20_000 },
    );
    over = true;
    await load;
    expect(lost).toBeGreaterThan(KILLED_IN_TRANSACTIONS / 4);
    expect(await waitFor(() => victim`select count(*) from copied`.catch(() => null), { what: 'the pool to work again' })).toEqual([
      { count: expect.any(Number) },
    ]);
    const [row] = await victim<{ count: number }[]>`select count(*) from copied`;
    // Everything acknowledged is there; of the rest, some may be, because the answer to their COMMIT was lost.
    expect(row?.count).toBeGreaterThanOrEqual(done);
    expect(uncaught).toEqual([]);
  } finally {
    process.off('uncaughtException', receive);
    await Promise.all([killer.end(), victim.end()]);
  }
});
