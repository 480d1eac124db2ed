// Backfill of a venue's history in parts: paced, resumable, never requested twice, and clear about what is unavailable.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createCandleStore } from '../../../src/adapters/store/candles/candle-store.ts';
import { createWorkReads, createWorkRecorder } from '../../../src/adapters/store/long-work-store.ts';
import { openDatabase, type Sql } from '../../../src/adapters/store/database.ts';
import {
  answered,
  type BackfillOptions,
  backfillCandles,
  recordedBackfill,
  unanswered,
} from '../../../src/adapters/venues/candle-backfill.ts';
import { VenueError } from '../../../src/adapters/venues/venue-feed.ts';
import type { Candle } from '../../../src/domain/candles/candle.ts';
import { createVirtualClock } from '../../../streams/clock/virtual-clock.ts';
import { testDatabase } from '../../harness/postgres.ts';
import { waitFor } from '../../harness/wait-for.ts';

const HOUR = 3_600_000;
const NOW = Date.UTC(2026, 2, 2, 14, 31);
/** Open time of the forming bar. */
const LAST = Date.UTC(2026, 2, 2, 14);
let sql: Sql;
beforeAll(async () => {
  sql = openDatabase({ url: await testDatabase(), name: 'backfill test' });
});
afterAll(() => sql.end());

const bar = (openTime: number): Candle => ({ openTime, open: '1', high: '3', low: '1', close: '2', volume: '4' });
const barsOf = (from: number, to: number): Candle[] => Array.from({ length: (to - from) / HOUR }, (_, index) => bar(from + index * HOUR));

let series = 0;
function optionsOf(
  fetchCandles: (from: number, to: number) => Promise<readonly Candle[]>,
  over: Partial<BackfillOptions> = {},
  venue: Partial<BackfillOptions['history']> = {},
): BackfillOptions {
  const store = createCandleStore(sql);
  return {
    venue: 'spotexchange',
    instrument: `MADE${++series}`,
    timeframe: '1h',
    barMs: HOUR,
    from: LAST - 2_500 * HOUR,
    history: { fetchCandles: (_instrument, _timeframe, from, to) => fetchCandles(from, to), ...venue },
    store,
    windows: store,
    clock: createVirtualClock(NOW),
    ...over,
  };
}

test('an interrupted fetch resumes, and a finished one requests nothing', async () => {
  const asked: number[] = [];
  const stop = new AbortController();
  const options = optionsOf(async (from, to) => {
    asked.push((to - from) / HOUR);
    if (asked.length === 2) stop.abort(new Error('interrupted'));
    return barsOf(from, to);
  });
  await expect(backfillCandles({ ...options, signal: stop.signal })).rejects.toThrow('interrupted');
  expect(asked).toEqual([1_000, 1_000]);
  const progress: string[] = [];
  const report = await backfillCandles({ ...options, progress: (done, total) => progress.push(`${done}/${total}`) });
  expect(report).toMatchObject({ fetched: 500, saved: 500, skippedBars: 2_000, stopped: null, steps: 1 });
  expect(progress).toEqual(['2000/2500', '2500/2500']);
  expect(await backfillCandles(options)).toMatchObject({ fetched: 0, steps: 0, skippedBars: 2_500 });
  expect(asked).toEqual([1_000, 1_000, 500]);
});

test('a hole in the middle is requested separately', async () => {
  const asked: string[] = [];
  const options = optionsOf(
    async (from, to) => {
      asked.push(`${(LAST - from) / HOUR}-${(LAST - to) / HOUR}`);
      return barsOf(from, to);
    },
    { from: LAST - 100 * HOUR },
  );
  const at = (hours: number): number => LAST - hours * HOUR;
  await options.windows.record(options, { from: at(80), to: at(50) }, 'asked', '', NOW);
  await backfillCandles(options);
  expect(asked).toEqual(['100-80', '50-0']);
});

test('a busy venue is waited for as long as it says; a final refusal ends it with advice', async () => {
  const clock = createVirtualClock(NOW);
  let tries = 0;
  const busy = optionsOf(
    async (from, to) => {
      if (++tries < 4) throw new VenueError('spotexchange', 429, '-1003', 'too many requests', 30_000);
      return barsOf(from, to);
    },
    { clock, from: LAST - 10 * HOUR },
  );
  const running = backfillCandles(busy);
  let ended = false;
  void running.then(() => {
    ended = true;
  });
  while (!ended) {
    clock.advanceTo(clock.now() + 1_000);
    await new Promise<void>((turn) => setImmediate(turn));
  }
  expect(await running).toMatchObject({ stopped: null });
  expect(tries).toBe(4);
  expect(clock.now() - NOW).toBeGreaterThanOrEqual(90_000);

  const wrong = optionsOf(async () => {
    throw new VenueError('spotexchange', 400, '-1121', 'Invalid symbol.');
  });
  expect(await backfillCandles(wrong)).toMatchObject({ fetched: 0, stopped: { code: '-1121', detail: 'Invalid symbol.' } });
  const [window] = await wrong.windows.windows(wrong, { from: 0, to: NOW });
  expect(window).toMatchObject({ state: 'refused', code: '-1121' });
});

test('progress and the venue’s requested wait are public, and the outcome stays', async () => {
  const clock = createVirtualClock(NOW);
  const recorder = createWorkRecorder(sql, clock, 'this test');
  let tries = 0;
  const options = optionsOf(
    async (from, to) => {
      if (++tries === 2) throw new VenueError('spotexchange', 0, 'budget_exhausted', 'the request budget of spot is spent', 90_000);
      if (tries === 4) throw new VenueError('spotexchange', 400, '-1121', 'Invalid symbol.');
      return barsOf(from, to);
    },
    { clock },
  );
  const shown = async () =>
    (await createWorkReads(sql).list({ limit: 10, after: null }, null)).items.find(({ instrument }) => instrument === options.instrument);
  const stop = new AbortController();
  const told: { readonly remainingMs: number | null; readonly elapsedMs: number }[] = [];
  const running = recordedBackfill(recorder, 'long', {
    ...options,
    onProgress: ({ remainingMs }) => told.push({ remainingMs, elapsedMs: clock.now() - NOW }),
  });
  // Work that has taken less than a second is not shown.
  await waitFor(() => tries === 2, { what: 'the venue is asked' });
  expect(await shown()).toBeUndefined();
  await waitFor(
    async () => {
      clock.advanceTo(clock.now() + 250);
      return (await shown()) !== undefined;
    },
    { what: 'it is shown' },
  );
  expect(await shown()).toMatchObject({ kind: 'backfill', source: 'spotexchange', done: 1_000, total: 2_500, endedAt: null });
  expect((await shown())?.waitingFor).toEqual({
    cause: 'venue',
    detail: 'spotexchange is requested again at 2026-03-02T14:32:30.000Z: the request budget of spot is spent (budget_exhausted)',
  });
  await waitFor(
    async () => {
      // No later than the venue allows: an hour later one more bar would be missing.
      clock.advanceTo(Math.min(clock.now() + 1_000, NOW + 600_000));
      return tries === 4;
    },
    { what: 'the venue answers again' },
  );
  expect(await running).toMatchObject({ fetched: 2_000, stopped: { code: '-1121' } });
  expect(await shown()).toMatchObject({ done: 2_000, total: 2_500, waitingFor: null, error: 'Invalid symbol. (-1121)' });
  expect((await shown())?.endedAt).not.toBeNull();
  // The terminal shows the same: a quarter of the pause's duration is left.
  const last = told.at(-1);
  expect(last?.elapsedMs).toBeGreaterThanOrEqual(90_000);
  expect(last?.remainingMs).toBe(Math.round(((last?.elapsedMs ?? 0) * 500) / 2_000));

  tries = 10;
  stop.abort(new Error('the service stops'));
  await expect(recordedBackfill(recorder, 'always', { ...options, signal: stop.signal })).rejects.toThrow('the service stops');
  expect(await shown()).toMatchObject({ done: 0, total: 500, error: 'it was interrupted' });
});

test('history beyond the venue’s range is not requested, and stays explained', async () => {
  const asked: number[] = [];
  const options = optionsOf(
    async (from, to) => {
      asked.push(from);
      return barsOf(from, to);
    },
    { venue: 'evmvenue', from: LAST - 6_000 * HOUR },
    { reachableBars: () => 5_000 },
  );
  const report = await backfillCandles(options);
  expect(report.unreachableBars).toBe(1_000);
  expect(report.fetched).toBe(5_000);
  expect(Math.min(...asked)).toBe(LAST - 5_000 * HOUR);
  const [first] = await options.windows.windows(options, { from: 0, to: NOW });
  expect(first).toMatchObject({ state: 'refused', code: 'out_of_reach' });
});

test('an answer settles its range, but not the newest bars, which may be late', () => {
  const last = LAST;
  const range = { from: last - 10 * HOUR, to: last };
  expect(answered(range, barsOf(range.from, last), HOUR, NOW)).toEqual(range);
  // The newest bar closed 31 minutes ago and is missing: it does not exist.
  expect(answered(range, barsOf(range.from, last - HOUR), HOUR, NOW).to).toBe(last);
  // It closed a minute ago: it may still come.
  expect(answered(range, barsOf(range.from, last - HOUR), HOUR, last + 60_000).to).toBe(last - HOUR);
  expect(answered(range, [], HOUR, last + 60_000)).toEqual({ from: range.from, to: last - HOUR });
});

test('only answered ranges are removed from the open ones', () => {
  const open = unanswered({ from: 0, to: 10 }, [
    { state: 'asked', code: '', from: 0, to: 2 },
    { state: 'imported', code: '', from: 2, to: 5 },
    { state: 'asked', code: '', from: 5, to: 7 },
  ]);
  expect(open).toEqual([
    { from: 2, to: 5 },
    { from: 7, to: 10 },
  ]);
});
