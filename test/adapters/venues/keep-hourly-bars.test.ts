// Hourly bars of the last weeks are requested one series after the other, stored, and never requested twice; a refusing venue gets a pause.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createCandleStore } from '../../../src/adapters/store/candles/candle-store.ts';
import { createWorkReads, createWorkRecorder } from '../../../src/adapters/store/long-work-store.ts';
import { openDatabase, type Sql } from '../../../src/adapters/store/database.ts';
import { keepHourlyBars } from '../../../src/adapters/venues/keep-hourly-bars.ts';
import { VenueError } from '../../../src/adapters/venues/venue-feed.ts';
import { hourlySeries } from '../../../src/domain/basis/basis-legs.ts';
import { CATALOG } from '../../../src/domain/catalog/catalog.ts';
import type { InstrumentKey } from '../../../src/domain/market/venue.ts';
import { createVirtualClock } from '../../../streams/clock/virtual-clock.ts';
import { testDatabase } from '../../harness/postgres.ts';
import { waitFor } from '../../harness/wait-for.ts';

const HOUR = 3_600_000;
const NOW = Date.UTC(2026, 2, 2, 14, 31);
let sql: Sql;
beforeAll(async () => {
  sql = openDatabase({ url: await testDatabase(), name: 'hourly bars test' });
});
afterAll(() => sql.end());

const SERIES: readonly InstrumentKey[] = ['spotchain:NOPOOLx', 'evmvenue:xyz:AAPL', 'spotchain:AAPLx'];

/** Answers every closed bar; one token has no pool. */
function venueOf(clock: { now(): number }) {
  const asked: { instrument: string; bars: number }[] = [];
  const fetchCandles = async (instrument: string, _timeframe: string, from: number, to: number) => {
    asked.push({ instrument, bars: (to - from) / HOUR });
    if (instrument === 'NOPOOLx') throw new VenueError('spotchain', 0, 'unknown_instrument', 'no pool is known of it');
    return Array.from({ length: (Math.min(to, clock.now()) - from) / HOUR }, (_, index) => ({
      openTime: from + index * HOUR,
      open: '1',
      high: '3',
      low: '1',
      close: '2',
      volume: '4',
    }));
  };
  return { asked, fetchCandles };
}

test('each series is filled once, then its bar of each hour is requested; a refused one is requested again an hour later', async () => {
  const clock = createVirtualClock(NOW);
  const { asked, fetchCandles } = venueOf(clock);
  const failures: unknown[] = [];
  const store = createCandleStore(sql);
  const stop = keepHourlyBars({
    histories: { spotchain: { fetchCandles }, evmvenue: { fetchCandles } },
    series: () => SERIES,
    store,
    recorder: createWorkRecorder(sql, clock, 'this test'),
    clock,
    onFailure: (error) => failures.push(error),
  });
  const storedOf = async () => {
    const rows = await sql<
      { n: number }[]
    >`select count(*)::int as n from candles where timeframe = '1h' group by venue, instrument order by 1`;
    return rows.map(({ n }) => n);
  };
  /** Advances time until so many series have so many bars. */
  const until = (counts: readonly number[]) =>
    waitFor(
      async () => {
        clock.advanceTo(clock.now() + 1_000);
        return (await storedOf()).join() === counts.join();
      },
      { what: `${counts.join(' and ')} bars`, deadlineMs: 60_000 },
    );
  expect(asked).toEqual([]);
  await until([743, 743]);
  expect(asked.map(({ instrument, bars }) => `${instrument} ${bars}`)).toEqual(['NOPOOLx 743', 'xyz:AAPL 743', 'AAPLx 743']);
  // Nothing is requested before the next bar has closed and settled.
  clock.advanceTo(Date.UTC(2026, 2, 2, 15, 1));
  expect(asked.length).toBe(3);
  await until([744, 744]);
  expect(asked.slice(3).map(({ instrument }) => instrument)).toEqual(['NOPOOLx', 'xyz:AAPL', 'AAPLx']);
  expect(asked.slice(4).map(({ bars }) => bars)).toEqual([1, 1]);
  stop();
  clock.advanceTo(clock.now() + 5 * HOUR);
  expect([asked.length, failures]).toEqual([6, []]);
  // Work that took a second is shown as ended.
  const works = async () => (await createWorkReads(sql).list({ limit: 10, after: null }, null)).items;
  await waitFor(async () => (await works()).every(({ endedAt }) => endedAt !== null), { what: 'nothing is under way' });
});

test('the series are the legs of the basis and the tokens whose momentum is ranked', () => {
  const series = hourlySeries(CATALOG.fixed.entries);
  for (const key of ['spotchain:AAPLx', 'reference:AAPL', 'evmvenue:xyz:AAPL', 'spotexchange:BTCUSDT', 'evmvenue:BTC', 'spotchain:OPENAI'])
    expect(series.has(key as InstrumentKey)).toBe(true);
  expect(series.has('reference:OPENAI')).toBe(false);
});
