// Old announcements are forgotten and recent ones are not; whoever resumes from before them is told so.
import { beforeAll, expect, test } from 'vitest';
import { createAnnouncementTail } from '../../../../src/adapters/store/actors/announcement-tail.ts';
import { forgetAnnouncements } from '../../../../src/adapters/store/actors/feed-history.ts';
import { openDatabase, type Sql } from '../../../../src/adapters/store/database.ts';
import { createLiveClock } from '../../../../streams/live-clock.ts';
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

test('a place is known as long as all that follows it is kept', async () => {
  const tail = createAnnouncementTail({ sql, clock: createLiveClock() });
  const [first] = await sql<
    { xid: string; seq: number }[]
  >`select xid::text, seq from announcements order by announcements.xid, seq limit 1`;
  const [recent] = await sql<{ xid: string; seq: number }[]>`
    select xid::text, seq from announcements where at >= ${now - 4 * DAY} order by announcements.xid, seq limit 1`;
  const known = (row: { xid: string; seq: number } | undefined) => tail.isKnown({ xid: Number(row?.xid), seq: row?.seq as number });
  // 0.0 is the beginning of everything that is kept, now as later.
  expect([await tail.isKnown({ xid: 0, seq: 0 }), await known(first), await known(recent)]).toEqual([true, true, true]);
  expect(await forgetAnnouncements(sql, 7)).toBe(OLD);
  expect(await kept()).toBe(20);
  expect([await tail.isKnown({ xid: 0, seq: 0 }), await known(first), await known(recent)]).toEqual([true, false, true]);
  expect(await forgetAnnouncements(sql, 7)).toBe(0);
});

test('what is recent is not forgotten, whoever asks and whatever is asked', async () => {
  await expect(forgetAnnouncements(sql, 0)).rejects.toThrow('kept for at least one day, and 0 was asked');
  await expect(sql`delete from announcements`).rejects.toThrow(/permission denied/);
  await expect(owner`delete from announcements where at > ${now - DAY / 2}`).rejects.toThrow(/append-only/);
  await expect(owner`update announcements set channel = 'quotes'`).rejects.toThrow(/append-only/);
  expect(await kept()).toBe(20);
});

test('the newest one stays however old it is, so that a place before the others is not taken for the present', async () => {
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
