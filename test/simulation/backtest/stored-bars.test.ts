// Bars that a backtest reads from the store: all of them once, in few reads, however long the period.
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createBacktestReads } from '../../../src/adapters/store/candles/backtest-reads.ts';
import { createCandleStore } from '../../../src/adapters/store/candles/candle-store.ts';
import { openDatabase, type Sql } from '../../../src/adapters/store/database.ts';
import { DEFAULT_ASSUMPTIONS } from '../../../src/domain/backtest/assumptions.ts';
import type { Candle } from '../../../src/domain/candles/candle.ts';
import { readManifest } from '../../../src/domain/manifest/reader.ts';
import { isoTime } from '../../../src/domain/values/time.ts';
import { readInputs } from '../../../src/simulation/backtest/from-history.ts';
import { backtestNeeds } from '../../../src/simulation/backtest/needs.ts';
import type { BacktestReads } from '../../../src/adapters/store/candles/backtest-reads.ts';
import type { BarRange } from '../../../src/adapters/store/candles/candle-store.ts';
import { payload } from '../../domain/authored.ts';
import { testDatabase } from '../../harness/postgres.ts';

const MINUTE = 60_000;
const FROM = Date.UTC(2025, 0, 1);
const YEAR = 365 * 1_440;
const SERIES = { venue: 'spotexchange', instrument: 'BTCUSDT', timeframe: '1m' } as const;
/** Minutes at the ends of reads and next to them, with a hole of several reads. */
const MINUTES = [0, 1, 49_998, 49_999, 50_000, 50_001, 99_999, 100_000, 299_999, 300_001, YEAR - 2, YEAR - 1];
const bars: readonly Candle[] = MINUTES.map((minute) => ({
  openTime: FROM + minute * MINUTE,
  open: '100.5',
  high: '0.00000000012345',
  low: '0.000000000123',
  close: '123456789012345678901234567890.1',
  volume: String(minute),
})).map((bar) => ({ ...bar, high: bar.close, low: bar.low }));
let sql: Sql;

beforeAll(async () => {
  sql = openDatabase({ url: await testDatabase(), name: 'test' });
  await createCandleStore(sql).save({ kind: 'candles', ...SERIES, source: 'test', receivedAt: 1, candles: bars });
});
afterAll(() => sql.end());

/** Returns the bars of a backtest over these minutes, with every read of the store and the maximum number in parallel. */
async function read(first: number, end: number, reads: BacktestReads = createBacktestReads(sql)) {
  const manifest = readManifest(
    payload({ universe: ['BTCUSDT'], timeframe: '1m', entryConditions: [{ type: 'rsi_below', period: 7, value: 45 }] }),
  );
  if (!manifest.ok) throw new Error(JSON.stringify(manifest.problems));
  const readings: BarRange[] = [];
  let [now, most] = [0, 0];
  const counted: BacktestReads = {
    ...reads,
    bars: async (range) => {
      readings.push(range);
      most = Math.max(most, ++now);
      return reads.bars(range).finally(() => now--);
    },
  };
  const [from, to] = [FROM + first * MINUTE, FROM + end * MINUTE];
  const request = { from: isoTime(from), to: isoTime(to), timeframe: null, look: true, assumptions: DEFAULT_ASSUMPTIONS } as const;
  const inputs = await readInputs(counted, backtestNeeds(manifest.manifest, '1m'), { request, funding: [], createdAt: to }, () => {});
  return { candles: [...(inputs[0]?.candles ?? [])], readings, most };
}

test('a year of minutes is read in one statement per fifty thousand bars, requested one ahead', async () => {
  const { candles, readings, most } = await read(0, YEAR);
  expect(candles).toEqual(bars);
  expect([readings.length, most]).toEqual([Math.ceil(YEAR / 50_000), 2]);
  expect(readings.every(({ from }, n) => n === 0 || from === readings[n - 1]?.to)).toBe(true);
});

test('for any period, each bar closed within it is read once, as in the list of bars', async () => {
  const near = fc.tuple(fc.constantFrom(...MINUTES), fc.integer({ min: -2, max: 2 })).map(([minute, by]) => Math.max(0, minute + by));
  await fc.assert(
    fc.asyncProperty(near, near, async (one, other) => {
      const [first, end] = [Math.min(one, other), Math.max(one, other)];
      const listed = await createCandleStore(sql).range({ ...SERIES, from: FROM + first * MINUTE, to: FROM + end * MINUTE, limit: 100 });
      expect((await read(first, end)).candles).toEqual(listed.map(({ source: _, simulated: __, ...bar }) => bar));
    }),
    { numRuns: 60 },
  );
});

test('a failed read ends the run with its error, whatever happens to the next', async () => {
  const reads = createBacktestReads(sql);
  const failing: BacktestReads = { ...reads, bars: async ({ from }) => Promise.reject(new Error(`lost at ${from}`)) };
  await expect(read(0, YEAR, failing)).rejects.toThrow(`lost at ${FROM}`);
});

test('of the requested timeframes, those with a bar in the period are returned with their first and last', async () => {
  const { storedSpans } = createBacktestReads(sql);
  const asked = { venue: SERIES.venue, instrument: SERIES.instrument, timeframes: ['1m', '5m'] } as const;
  const span = [{ timeframe: '1m', firstOpen: FROM + MINUTE, lastOpen: FROM + 50_000 * MINUTE }];
  expect(await storedSpans({ ...asked, from: FROM + MINUTE, to: FROM + 50_001 * MINUTE })).toEqual(span);
  expect(await storedSpans({ ...asked, from: FROM + 2 * MINUTE, to: FROM + 9 * MINUTE })).toEqual([]);
  expect(await storedSpans({ ...asked, instrument: 'ETHUSDT', from: FROM, to: FROM + MINUTE })).toEqual([]);
});
