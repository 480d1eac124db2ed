/** A machine with a wrong clock writes no cut, reports it, and continues once the clock is right. The database refuses future times. */
import { Subject } from 'rxjs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createClockWatch } from '../../actors/runtime/clock-watch.ts';
import { SlotNotReached, writeCut } from '../../src/adapters/store/agents/cut-store.ts';
import { serviceClock } from '../../src/adapters/store/agents/dispatch-store.ts';
import { openDatabase, type Sql } from '../../src/adapters/store/database.ts';
import { createLog } from '../../src/adapters/log/log.ts';
import { startFeed } from '../../src/boot/roles/feed.ts';
import type { FeedMessage } from '../../src/domain/market/market-event.ts';
import type { Quote } from '../../src/domain/market/quote.ts';
import { createLiveQuotes } from '../../src/trading/live-marks.ts';
import { createLiveClock } from '../../streams/clock/live-clock.ts';
import { testDatabase } from '../harness/postgres.ts';
import { waitFor } from '../harness/wait-for.ts';
import { feedOptions } from './feed-fixture.ts';

const HOUR = 3_600_000;
const SLOT = 60_000;
let url = '';
let sql: Sql;

beforeAll(async () => {
  url = await testDatabase();
  // This database lives in the present.
  const owner = openDatabase({ url, role: null, connections: 1, name: 'test clock owner' });
  await owner`delete from clock_shift`.finally(() => owner.end());
  sql = openDatabase({ url, name: 'test clock' });
});
afterAll(() => sql.end());

/** Returns the time of the database's clock, and the slot that it has reached. */
async function databaseTime(): Promise<{ readonly now: number; readonly slot: number }> {
  const [row] = await sql<{ now: string }[]>`select service_clock_ms()::text as now`;
  const now = Number(row?.now);
  return { now, slot: Math.floor(now / SLOT) * SLOT };
}

/** Creates a live clock whose system time is shifted by the test. */
function shiftedClock(shift: { ms: number }) {
  return createLiveClock({
    wall: () => Date.now() + shift.ms,
    monotonic: () => performance.now(),
    timer: (delayMs, call) => {
      const timer = setTimeout(call, delayMs);
      return () => clearTimeout(timer);
    },
  });
}

test('a cut is written only for a slot that the database has reached', async () => {
  const { slot } = await databaseTime();
  const cut = (at: number) => ({ slot: at, observations: new Map() });
  expect(await writeCut(sql, cut(slot), 'streams')).toBe(true);
  for (const ahead of [2 * SLOT, 2 * HOUR, 365 * 24 * HOUR]) {
    await expect(writeCut(sql, cut(slot + ahead), 'streams')).rejects.toThrow(SlotNotReached);
    await expect(writeCut(sql, cut(slot + ahead), 'silence')).rejects.toThrow(SlotNotReached);
  }
  expect(await sql`select slot from cuts where slot > ${slot}`).toHaveLength(0);
});

test('the service cannot shift the clock that its cuts are checked against', async () => {
  await expect(sql`insert into clock_shift (ms) values (${2 * HOUR})`).rejects.toMatchObject({ code: '42501' });
  await expect(sql`update clock_shift set ms = 0`).rejects.toMatchObject({ code: '42501' });
});

test('a difference is reported with its direction, and none within the bound', async () => {
  const shift = { ms: 500 };
  const clock = shiftedClock(shift);
  const told: (number | null)[] = [];
  const watch = createClockWatch({
    databaseNow: () => serviceClock(sql),
    clock,
    log: createLog('silent'),
    told: ({ offsetMs }) => told.push(offsetMs),
  });
  expect(await watch.check()).toMatchObject({ ok: true });
  // An age is truncated, and reading the clocks takes milliseconds.
  shift.ms = 2 * HOUR + 60_000;
  expect(await watch.check()).toMatchObject({
    ok: false,
    detail: expect.stringMatching(/^this machine's clock is 2 h ahead of PostgreSQL's; at most 2 s is accepted$/),
  });
  shift.ms = -30_000;
  expect(await watch.check()).toMatchObject({ ok: false, detail: expect.stringContaining('behind PostgreSQL') });
  shift.ms = 0;
  expect(await watch.check()).toMatchObject({ ok: true });
  await watch.stop();
  expect(told).toHaveLength(4);
  expect(told[1]).toBeGreaterThan(2 * HOUR - 1_000);
});

test('a feed whose clock is two hours ahead stands by and releases its lease, and resumes once the clock is right', async () => {
  const shift = { ms: 0 };
  const clock = shiftedClock(shift);
  const watch = createClockWatch({ databaseNow: () => serviceClock(sql), clock, log: createLog('silent') });
  await watch.check();
  let begun = 0;
  let ended = 0;
  const feed = startFeed({
    ...feedOptions(sql, clock),
    clockWatch: watch,
    onPipeline: () => {
      begun++;
      return async () => {
        ended++;
      };
    },
  });
  const leased = async (): Promise<boolean> =>
    (await sql`select 1 from leases where duty = 'feed' and held_until > clock_timestamp()`).length > 0;
  await waitFor(() => begun === 1, { what: 'the feed on duty', deadlineMs: 10_000 });
  expect(await leased()).toBe(true);
  shift.ms = 2 * HOUR;
  await watch.check();
  await waitFor(async () => ended === 1 && !(await leased()), { what: 'the feed stood down', deadlineMs: 10_000 });
  shift.ms = 0;
  await watch.check();
  await waitFor(async () => begun === 2 && (await leased()), { what: 'the feed on duty again', deadlineMs: 10_000 });
  const { now } = await databaseTime();
  expect(await sql`select slot from cuts where slot > ${now}`).toHaveLength(0);
  await feed.stop();
  await watch.stop();
  expect(ended).toBe(2);
});

test('a feed restarts when its clock is set back together with the database’s, and prices are received again', async () => {
  const owner = openDatabase({ url, role: null, connections: 1, name: 'test clock owner' });
  const shift = { ms: 2 * HOUR };
  await owner`insert into clock_shift (ms) values (${shift.ms})`;
  const clock = shiftedClock(shift);
  const received = new Subject<FeedMessage>();
  const options = feedOptions(sql, clock, [{ venue: 'spotexchange', messages: received }]);
  let begun = 0;
  const feed = startFeed({
    ...options,
    onPipeline: () => {
      begun++;
      return async () => {};
    },
  });
  const bid = (): string | null => {
    const newest = options.bus.latest('spotexchange:BTCUSDT');
    return newest?.kind === 'quote' ? newest.bid : null;
  };
  await waitFor(() => received.observed, { what: 'the feed on duty', deadlineMs: 10_000 });
  received.next(quoteOf(clock.now(), '100'));
  await waitFor(() => bid() === '100', { what: 'the price before' });
  shift.ms = 0;
  await owner`delete from clock_shift`.finally(() => owner.end());
  await waitFor(() => begun === 2 && received.observed, { what: 'the feed on duty again', deadlineMs: 10_000 });
  expect(createLiveQuotes(options.bus, clock)('spotexchange:BTCUSDT')).toBeNull();
  received.next(quoteOf(clock.now(), '101'));
  await waitFor(() => bid() === '101', { what: 'the price after' });
  expect(createLiveQuotes(options.bus, clock)('spotexchange:BTCUSDT')?.bid).toBe('101');
  await feed.stop();
});

function quoteOf(receivedAt: number, bid: string): Quote {
  const sides = { bid, ask: bid, bidSize: '1', askSize: '1', sequence: null };
  const times = { observedAt: receivedAt, receivedAt, sourceTime: false };
  return {
    kind: 'quote',
    venue: 'spotexchange',
    instrument: 'BTCUSDT',
    source: 'binance:bookTicker',
    ...times,
    ...sides,
    quality: 'live',
    flags: [],
  };
}
