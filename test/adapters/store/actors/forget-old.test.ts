// Old announcements and ended activities are deleted, recent ones are not. Resuming a feed from before them is refused.
import { beforeAll, expect, test } from 'vitest';
import { createAnnouncementTail } from '../../../../src/adapters/store/actors/announcement-tail.ts';
import { forgetActivities, forgetAnnouncements } from '../../../../src/adapters/store/store-upkeep.ts';
import { openDatabase, type Sql } from '../../../../src/adapters/store/database.ts';
import { createLiveClock } from '../../../../streams/clock/live-clock.ts';
import { testDatabase } from '../../../harness/postgres.ts';

const DAY = 86_400_000;
const OLD = 12_000;
let sql: Sql;
let owner: Sql;
const now = Date.now();

beforeAll(async () => {
  const url = await testDatabase();
  sql = openDatabase({ url, name: 'test' });
  owner = openDatabase({ url, name: 'owner', role: null });
  const announce = (from: number, to: number, at: number) =>
    sql`insert into announcements (channel, org_id, at, body) select 'alerts', null, ${at}, jsonb_build_object('n', n) from generate_series(${from}::int, ${to}::int) as n`;
  await announce(1, OLD, now - 10 * DAY);
  await announce(OLD + 1, OLD + 10, now - 3 * DAY);
  await announce(OLD + 11, OLD + 20, now);
  return async () => {
    await sql.end();
    await owner.end();
  };
});

const kept = async (): Promise<number> => (await sql<{ count: number }[]>`select count(*) as count from announcements`)[0]?.count as number;

test('a cursor is known as long as everything after it is kept', async () => {
  const tail = createAnnouncementTail({ sql, clock: createLiveClock() });
  const [first] = await sql<
    { xid: string; seq: number }[]
  >`select xid::text, seq from announcements order by announcements.xid, seq limit 1`;
  const [recent] = await sql<{ xid: string; seq: number }[]>`
    select xid::text, seq from announcements where at >= ${now - 4 * DAY} order by announcements.xid, seq limit 1`;
  const known = (row: { xid: string; seq: number } | undefined) => tail.isKnown({ xid: Number(row?.xid), seq: row?.seq as number });
  // 0.0 always means the beginning of what is kept.
  expect([await tail.isKnown({ xid: 0, seq: 0 }), await known(first), await known(recent)]).toEqual([true, true, true]);
  expect(await forgetAnnouncements(sql, 7)).toBe(OLD);
  expect(await kept()).toBe(20);
  expect([await tail.isKnown({ xid: 0, seq: 0 }), await known(first), await known(recent)]).toEqual([true, false, true]);
  expect(await forgetAnnouncements(sql, 7)).toBe(0);
});

test('recent rows are never deleted', async () => {
  await expect(forgetAnnouncements(sql, 0)).rejects.toThrow('kept for at least one day, and 0 was asked');
  await expect(sql`delete from announcements`).rejects.toThrow(/permission denied/);
  await expect(owner`delete from announcements where at > ${now - DAY / 2}`).rejects.toThrow(/append-only/);
  await expect(owner`update announcements set channel = 'quotes'`).rejects.toThrow(/append-only/);
  expect(await kept()).toBe(20);
});

test('the newest one stays however old it is, so that an earlier cursor is not taken for the present', async () => {
  const url = await testDatabase();
  const idle = openDatabase({ url, name: 'idle' });
  try {
    await idle`insert into announcements (channel, org_id, at, body) select 'alerts', null, ${now - 30 * DAY}, '{}' from generate_series(1, 3)`;
    expect(await forgetAnnouncements(idle, 7)).toBe(2);
    const tail = createAnnouncementTail({ sql: idle, clock: createLiveClock() });
    const [last] = await idle<{ xid: string; seq: number }[]>`select xid::text, seq from announcements`;
    expect(await tail.isKnown({ xid: Number(last?.xid), seq: last?.seq as number })).toBe(true);
    expect(await tail.isKnown({ xid: Number(last?.xid), seq: 1 })).toBe(false);
  } finally {
    await idle.end();
  }
});

test('activities are deleted days after they ended; pending ones stay, however old', async () => {
  const [org, actor] = ['00000000-0000-7000-8000-000000000001', '00000000-0000-7000-8000-00000000000a'];
  await owner`insert into organizations (id, name) values (${org}, 'ours')`;
  await owner`
    insert into actors (id, org_id, kind, machine, version, snapshot, status) values (${actor}, ${org}, 'lamp', 'lamp@1', 1, '{}', 'running')`;
  const insert = (name: string, count: number, state: string, endedDaysAgo: number | null) => owner`
    insert into activities (key, actor_id, kind, payload, state, due_at, ended_at)
    select ${name} || n, ${actor}, 'bill', '{}', ${state}, 0, clock_timestamp() - make_interval(days => ${endedDaysAgo}::int)
    from generate_series(1, ${count}::int) as n`;
  await insert('done', 7_000, 'done', 40);
  await insert('given up', 3, 'given_up', 31);
  await insert('recent', 3, 'done', 29);
  await insert('pending', 3, 'pending', null);
  expect(await forgetActivities(sql, 30)).toBe(7_003);
  expect(await forgetActivities(sql, 30)).toBe(0);
  const left = await sql<{ key: string }[]>`select key from activities order by key`;
  expect(left.map(({ key }) => key)).toEqual(['pending1', 'pending2', 'pending3', 'recent1', 'recent2', 'recent3']);
  await expect(forgetActivities(sql, 0)).rejects.toThrow('kept for at least one day, and 0 was asked');
  await expect(sql`delete from activities`).rejects.toThrow(/permission denied/);
});
