// Backtests across a split: the same inputs as of the market without one, in the units of the end.
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createBacktestReads, type BacktestReads } from '../../../src/adapters/store/candles/backtest-reads.ts';
import { openDatabase, type Sql } from '../../../src/adapters/store/database.ts';
import { DEFAULT_ASSUMPTIONS } from '../../../src/domain/backtest/assumptions.ts';
import type { MultiplierChange } from '../../../src/domain/books/book.ts';
import type { Candle } from '../../../src/domain/candles/candle.ts';
import { readManifest } from '../../../src/domain/manifest/reader.ts';
import { Decimal, plainDecimal } from '../../../src/domain/values/decimal.ts';
import { isoTime } from '../../../src/domain/values/time.ts';
import { readInputs, workFromHistory } from '../../../src/simulation/backtest/from-history.ts';
import type { InstrumentInput } from '../../../src/simulation/backtest/history.ts';
import { backtestNeeds, seriesName } from '../../../src/simulation/backtest/needs.ts';
import { payload } from '../../domain/authored.ts';
import { testDatabase } from '../../harness/postgres.ts';
import { draws, HOUR, walk } from './random-histories.ts';

const FROM = Date.UTC(2026, 0, 14);
const HOURS = 96;
const TO = FROM + HOURS * HOUR;
const TOKEN = 'spotchain:AAPLx';

const manifest = (() => {
  const entryConditions = [
    { type: 'premium_below', pct: 5 },
    { type: 'ema_above', fast: 2, slow: 5, timeframe: '4h' },
  ];
  const read = readManifest(payload({ universe: ['AAPLx'], timeframe: '1h', entryConditions, exitConditions: [] }));
  if (!read.ok) throw new Error(JSON.stringify(read.problems));
  return read.manifest;
})();
const request = { from: isoTime(FROM), to: isoTime(TO), timeframe: null, look: true, assumptions: DEFAULT_ASSUMPTIONS } as const;
const needs = backtestNeeds(manifest, '1h');
const drawn = walk(draws(7), FROM, HOUR, HOURS, 30_000);

/** Returns bars as they were received: each in the units of its open time, where the last ones are as drawn. */
function received(changes: readonly MultiplierChange[]): readonly Candle[] {
  return drawn.map((bar) => {
    const units = changes
      .filter(({ at }) => at > bar.openTime)
      .reduce((all, { before, after }) => all.times(after).div(before), new Decimal(1));
    const price = (text: string) => plainDecimal(new Decimal(text).times(units));
    return {
      openTime: bar.openTime,
      open: price(bar.open),
      high: price(bar.high),
      low: price(bar.low),
      close: price(bar.close),
      volume: plainDecimal(new Decimal(bar.volume).div(units)),
    };
  });
}

const market = received([]);

function storeOf(bars: readonly Candle[], changes: readonly MultiplierChange[]): BacktestReads {
  const own = needs.flatMap(({ candles, reference }) => [candles, ...(reference === null ? [] : [reference])]).map(seriesName);
  return {
    bars: async ({ from, to, ...series }) =>
      own.includes(seriesName(series)) ? bars.filter(({ openTime }) => openTime >= from && openTime < to) : [],
    storedSpans: async () => [],
    reports: async () => [],
    received: async () => [],
    archives: async () => [],
    marks: async () => [],
    liquidity: async () => [],
    halfSpreads: async () => [],
    multiplierChanges: async (instruments, until) =>
      changes.filter(({ instrument, at }) => instruments.includes(instrument) && at <= until),
  };
}

const listed = ({ candles, series = {}, referenceCandles = [], ...rest }: InstrumentInput) => ({
  ...rest,
  candles: [...candles],
  referenceCandles: [...referenceCandles],
  series: Object.fromEntries(Object.entries(series).map(([timeframe, bars]) => [timeframe, [...bars]])),
});
const inputsOf = async (reads: BacktestReads) =>
  (await readInputs(reads, needs, { request, funding: [], createdAt: TO }, () => {})).map(listed);

let sql: Sql;
let owner: Sql;
beforeAll(async () => {
  const url = await testDatabase();
  sql = openDatabase({ url, name: 'rescaled bars' });
  owner = openDatabase({ url, role: null, name: 'rescaled bars owner', connections: 1 });
});
afterAll(() => Promise.all([sql?.end(), owner?.end()]));

test('splits and mergers of shares at any time leave the inputs of a backtest as without them', async () => {
  const plain = await inputsOf(storeOf(market, []));
  expect(plain[0]?.series['4h']?.length).toBeGreaterThan(10);
  expect(plain[0]?.referenceCandles.length).toBeGreaterThan(10);
  const change = fc.record({ after: fc.constantFrom('10', '0.1', '2', '0.5', '4'), ms: fc.integer({ min: -HOUR, max: HOURS * HOUR - 1 }) });
  await fc.assert(
    fc.asyncProperty(fc.uniqueArray(change, { minLength: 1, maxLength: 3, selector: ({ ms }) => ms }), async (events) => {
      let before = new Decimal(1);
      const changes = events
        .sort((a, b) => a.ms - b.ms)
        .map(({ after, ms }): MultiplierChange => {
          const next = before.times(after);
          const one = { instrument: TOKEN, at: FROM + ms, before: before.toFixed(), after: next.toFixed() } as const;
          before = next;
          return one;
        });
      expect(await inputsOf(storeOf(received(changes), changes))).toEqual(plain);
    }),
    { numRuns: 60 },
  );
});

test('the result of a backtest across a split is that of the market without one', async () => {
  const changes: readonly MultiplierChange[] = [{ instrument: TOKEN, at: FROM + 50 * HOUR, before: '1', after: '0.1' }];
  const trials = async () => ({ versions: 1, otherSharpes: [] });
  const run = (reads: BacktestReads) => workFromHistory(reads, { manifest, request, trials, funding: [], createdAt: TO }, () => {});
  const [across, plain, unknown] = await Promise.all([
    run(storeOf(received(changes), changes)),
    run(storeOf(market, [])),
    run(storeOf(received(changes), [])),
  ]);
  expect(across).toEqual(plain);
  // Without the change, the merger would be a profit of nine times the capital.
  expect(unknown).not.toEqual(plain);
});

test('changes are read up to an instant, without the first multiplier that was received', async () => {
  await owner`insert into token_multipliers (instrument, at, multiplier, is_real)
    select ${TOKEN}, at, multiplier, reads_real('spotchain') from (values (1000, 1), (2000, 1.50), (3000, 0.15)) m(at, multiplier)`;
  const { multiplierChanges } = createBacktestReads(sql);
  const split = { instrument: TOKEN, at: 2000, before: '1', after: '1.5' };
  expect(await multiplierChanges([TOKEN], 2_999)).toEqual([split]);
  expect(await multiplierChanges([TOKEN], 3_000)).toEqual([split, { instrument: TOKEN, at: 3000, before: '1.5', after: '0.15' }]);
  expect(await multiplierChanges(['spotchain:TSLAx'], 3_000)).toEqual([]);
});
