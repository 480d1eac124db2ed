// Recent announcements in memory are exactly the rows of the store, and never a part of them.
import { expect, test } from 'vitest';
import { type AnnouncementRow, RecentAnnouncements } from '../../../../src/adapters/store/actors/announced-rows.ts';

const OURS = '00000000-0000-7000-8000-00000000000a';
const THEIRS = '00000000-0000-7000-8000-00000000000b';
const FILTER = { channel: 'agents', orgId: OURS, actorId: null, shared: false };

const row = (xid: number, more: Partial<AnnouncementRow> = {}): AnnouncementRow => ({
  xid,
  seq: xid * 10,
  channel: 'agents',
  orgId: OURS,
  actorId: null,
  at: xid,
  body: {},
  ...more,
});
const at = (xid: number) => ({ xid, seq: xid * 10 });
const xids = (rows: readonly AnnouncementRow[] | null): unknown => rows?.map(({ xid }) => xid) ?? null;

test('rows between two positions are those after the first up to the second, of one channel and organization', () => {
  const recent = new RecentAnnouncements(100);
  recent.begin(at(1));
  recent.add([row(2), row(3, { orgId: THEIRS }), row(4, { channel: 'proposals' })]);
  recent.add([row(5, { orgId: null }), row(6, { actorId: THEIRS }), row(7)]);
  expect(xids(recent.between(at(1), at(7), FILTER))).toEqual([2, 6, 7]);
  expect(xids(recent.between(at(2), at(6), FILTER))).toEqual([6]);
  expect(xids(recent.between(at(7), at(7), FILTER))).toEqual([]);
  expect(xids(recent.between(at(1), at(7), { ...FILTER, shared: true }))).toEqual([2, 5, 6, 7]);
  expect(xids(recent.between(at(1), at(7), { ...FILTER, actorId: THEIRS }))).toEqual([6]);
});

test('a position before the first row or beyond the last one is left to the store', () => {
  const recent = new RecentAnnouncements(100);
  recent.begin(at(5));
  recent.add([row(6), row(7)]);
  expect([at(4), at(5), at(6), at(7), at(8)].map((one) => recent.holds(one))).toEqual([false, true, true, true, false]);
  expect(xids(recent.between(at(4), at(7), FILTER))).toBeNull();
  expect(xids(recent.between(at(5), at(8), FILTER))).toBeNull();
});

test('old rows are dropped, and the rest is still complete', () => {
  const recent = new RecentAnnouncements(10);
  recent.begin(at(0));
  for (let xid = 1; xid <= 100; xid++) {
    recent.add([row(xid)]);
    const kept = Array.from({ length: xid }, (_, index) => index).filter((since) => recent.holds(at(since)));
    expect(kept.length).toBeLessThanOrEqual(21);
    for (const since of kept)
      expect(xids(recent.between(at(since), at(xid), FILTER))).toEqual(Array.from({ length: xid - since }, (_, n) => since + 1 + n));
  }
  expect(recent.holds(at(89))).toBe(true);
});

test('after a beginning at another position, as after the restoration of an older copy, nothing earlier is left', () => {
  const recent = new RecentAnnouncements(100);
  recent.begin(at(1));
  recent.add([row(2), row(3)]);
  recent.begin(at(2));
  expect([at(1), at(2), at(3)].map((one) => recent.holds(one))).toEqual([false, true, false]);
  recent.add([row(3, { body: { restored: true } })]);
  expect(recent.between(at(2), at(3), FILTER)).toMatchObject([{ body: { restored: true } }]);
});
