// A history is the same from a file, from the store or from both: bars of longer timeframes, and unknown news.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Candle } from '../../../src/domain/candles/candle.ts';
import { readManifest } from '../../../src/domain/manifest/reader.ts';
import { DEFAULT_ASSUMPTIONS } from '../../../src/domain/backtest/assumptions.ts';
import { listEventSources } from '../../../src/domain/intelligence/listening.ts';
import { isoTime } from '../../../src/domain/values/time.ts';
import type { BacktestOutcome } from '../../../src/simulation/backtest/backtest-work.ts';
import { seenBars, workFromBars } from '../../../src/simulation/backtest/from-bars.ts';
import { readInputs, workFromHistory } from '../../../src/simulation/backtest/from-history.ts';
import { backtestNeeds, seriesName } from '../../../src/simulation/backtest/needs.ts';
import type { BacktestResult } from '../../../src/simulation/backtest/run.ts';
import type { InstrumentInput } from '../../../src/simulation/backtest/history.ts';
import type { BacktestReads } from '../../../src/adapters/store/candles/backtest-reads.ts';
import { payload } from '../../domain/authored.ts';
import { draws, HOUR, walk } from './random-histories.ts';

/** Wednesday in winter: a session is open from 09:00 UTC to 01:00 of the next day. */
const FROM = Date.UTC(2026, 0, 14);
const HOURS = 40;

function needsOf(symbol: string) {
  const entryConditions = [{ type: 'ema_above', fast: 2, slow: 5, timeframe: '4h' }];
  const read = readManifest(payload({ universe: [symbol], timeframe: '1h', entryConditions, exitConditions: [] }));
  if (!read.ok) throw new Error(JSON.stringify(read.problems));
  return backtestNeeds(read.manifest, '1h');
}

/** Returns a store of these bars, without events, marks or depths. */
const storeOf = (bars: ReadonlyMap<string, readonly Candle[]>): BacktestReads => ({
  bars: async ({ from, to, ...series }) => (bars.get(seriesName(series)) ?? []).filter(({ openTime }) => openTime >= from && openTime < to),
  storedSpans: async () => [],
  reports: async () => [],
  received: async () => [],
  archives: async () => [],
  marks: async () => [],
  liquidity: async () => [],
  halfSpreads: async () => [],
  multiplierChanges: async () => [],
});

async function bothOf(symbol: string, bars: ReadonlyMap<string, readonly Candle[]>, from = FROM, to = FROM + HOURS * HOUR) {
  const request = { from: isoTime(from), to: isoTime(to), timeframe: null, look: true, assumptions: DEFAULT_ASSUMPTIONS } as const;
  const needs = needsOf(symbol);
  const ofFiles = seenBars({ timeframe: '1h', bars, now: to, requested: () => request }, needs).inputs;
  const ofStore = await readInputs(storeOf(bars), needs, { request, funding: [], createdAt: to }, () => {});
  return { ofFiles: ofFiles.map(listed), ofStore: ofStore.map(listed), longer: [...(ofFiles[0]?.series?.['4h'] ?? [])] };
}

/** Returns an input with its bars as lists. */
const listed = ({ candles, series = {}, ...rest }: InstrumentInput) => ({
  ...rest,
  candles: [...candles],
  series: Object.fromEntries(Object.entries(series).map(([timeframe, bars]) => [timeframe, [...bars]])),
});

const whole = walk(draws(5), FROM, HOUR, HOURS, 30_000);

test('with any missing hours and any start, a file and the store give the same longer bars, each of four existing hours', async () => {
  const missing = fc.uniqueArray(fc.nat(HOURS - 1), { maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(missing, fc.nat(6), async (gone, late) => {
      const hours = whole.filter((_, hour) => hour >= late && !gone.includes(hour));
      fc.pre(hours.length > 0);
      const { ofFiles, ofStore, longer } = await bothOf('BTCUSDT', new Map([['spotexchange:BTCUSDT 1h', hours]]), FROM + late * HOUR);
      expect(ofStore).toEqual(ofFiles);
      const parts = (openTime: number): Candle[] =>
        hours.filter((hour) => hour.openTime >= openTime && hour.openTime < openTime + 4 * HOUR);
      const expected = Array.from({ length: HOURS / 4 }, (_, n) => FROM + n * 4 * HOUR)
        .filter((openTime) => parts(openTime).length === 4)
        .map((openTime) => [
          openTime,
          parts(openTime)[0]?.open,
          Math.max(...parts(openTime).map(({ high }) => Number(high))),
          parts(openTime)[3]?.close,
        ]);
      expect(longer.map(({ openTime, open, high, close }) => [openTime, open, Number(high), close])).toEqual(expected);
    }),
    { numRuns: 60 },
  );
});

test('a stored bar of the longer timeframe stays, and only the others are joined', async () => {
  const own: Candle = { openTime: FROM + 4 * HOUR, open: '7', high: '9', low: '6', close: '8', volume: '1' };
  const hours = whole.filter((_, hour) => hour !== 5 && hour !== 9);
  const bars = new Map([
    ['spotexchange:BTCUSDT 1h', hours],
    ['spotexchange:BTCUSDT 4h', [own]],
  ]);
  const { ofFiles, ofStore, longer } = await bothOf('BTCUSDT', bars);
  expect(ofStore).toEqual(ofFiles);
  expect(longer[1]).toEqual(own);
  // From 08:00 one hour is missing, and the longer bar was not read.
  expect(longer.map(({ openTime }) => (openTime - FROM) / HOUR)).toEqual([0, 4, 12, 16, 20, 24, 28, 32, 36]);
});

test('hours without an open session are not missing in a tokenized share’s bar, but are in a coin’s', async () => {
  const sessions = walk(draws(6), FROM, HOUR, 24, 200).slice(9);
  const opens = async (symbol: string, series: string, hours: readonly Candle[]): Promise<number[]> =>
    (await bothOf(symbol, new Map([[series, hours]]))).longer.map(({ openTime }) => (openTime - FROM) / HOUR);
  expect(await opens('AAPLx', 'spotchain:AAPLx 1h', sessions)).toEqual([8, 12, 16, 20]);
  const holed = sessions.filter(({ openTime }) => openTime !== FROM + 13 * HOUR);
  expect(await opens('AAPLx', 'spotchain:AAPLx 1h', holed)).toEqual([8, 16, 20]);
  expect(await opens('BTCUSDT', 'spotexchange:BTCUSDT 1h', sessions)).toEqual([12, 16, 20]);
});

test('48 hours without news are unknown from files and from a store: both give the same run, and nothing is bought', async () => {
  const conditions = [
    { type: 'price_above', price: '1' },
    { type: 'no_negative_event', minSeverity: 'low', lookbackHours: 48, includeRumors: true },
  ];
  const read = readManifest(payload({ universe: ['BTCUSDT'], timeframe: '1h', entryConditions: conditions, exitConditions: [] }));
  if (!read.ok) throw new Error(JSON.stringify(read.problems));
  const { manifest } = read;
  const hours = walk(draws(7), FROM, HOUR, 200, 30_000);
  const bars = new Map([['spotexchange:BTCUSDT 1h', hours]]);
  const to = FROM + 200 * HOUR;
  const request = { from: isoTime(FROM), to: isoTime(to), timeframe: null, look: true, assumptions: DEFAULT_ASSUMPTIONS } as const;
  const trials = { versions: 1, otherSharpes: [] };
  const ofFiles = await workFromBars({ manifest, timeframe: '1h', bars, requested: () => request, trials, now: to, onProgress: () => {} });
  const job = { manifest, request, trials, funding: [], createdAt: to };
  const ofStore = await workFromHistory(storeOf(bars), job, () => {});
  expect(ofStore).toEqual(ofFiles);
  const boughtIn = (outcome: BacktestOutcome): boolean => {
    if (!outcome.ok) throw new Error(outcome.detail);
    const { closed, open } = (JSON.parse(outcome.result) as BacktestResult).trades;
    return closed + open > 0;
  };
  expect(boughtIn(ofFiles)).toBe(false);
  // The same rules buy with known news: unknown news prevented it.
  const archives = listEventSources('BTC').map((source) => ({ source, from: FROM - 50 * HOUR, to, reports: [] }));
  expect(boughtIn(await workFromHistory({ ...storeOf(bars), archives: async () => archives }, job, () => {}))).toBe(true);
});
