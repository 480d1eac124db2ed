// Files of bars in common formats, and everything that can be wrong with a row.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { detectForm } from '../../../src/adapters/candle-files/candle-forms.ts';
import { type BadRow, CandleFileError, readCandleFile, readOpenTime } from '../../../src/adapters/candle-files/read-candles.ts';

const folder = mkdtempSync(join(tmpdir(), 'candle-files-'));
afterAll(() => rmSync(folder, { recursive: true }));
const fixture = (name: string): string => new URL(`../../fixtures/candles/${name}`, import.meta.url).pathname;

const HOUR = 3_600_000;
const T0 = 1_704_189_600_000;
const HEADER = 'openTime,open,high,low,close,volume';
let files = 0;
function fileOf(text: string | Buffer, ending = '.csv'): string {
  const file = join(folder, `${++files}${ending}`);
  writeFileSync(file, text);
  return file;
}

async function read(file: string, over: Partial<Parameters<typeof readCandleFile>[1]> = {}) {
  const bad: BadRow[] = [];
  const reading = readCandleFile(file, {
    barMs: HOUR,
    now: Date.UTC(2026, 0, 1),
    align: false,
    onBad: (row) => void bad.push(row),
    ...over,
  });
  let rows = '';
  let bars = 0;
  for await (const batch of reading.batches()) {
    rows += batch.rows;
    bars += batch.bars;
  }
  return { rows: rows.split('\n').filter(Boolean), bars, bad, ...reading.result() };
}

describe('forms', () => {
  test("the service's own format is read digit by digit, gzip or not", async () => {
    const text = `${HEADER}\n${T0},1.10,2,0.00000000000000000001,1.5,0\n${T0 + HOUR},1.5,3,1,2,123456789012345678901234567890.5\n`;
    const rows = [`${T0}\t1.10\t2\t0.00000000000000000001\t1.5\t0`, `${T0 + HOUR}\t1.5\t3\t1\t2\t123456789012345678901234567890.5`];
    for (const file of [fileOf(text), fileOf(gzipSync(text), '.csv.gz'), fileOf(`\uFEFF${text.replaceAll('\n', '\r\n')}`)]) {
      const found = await read(file);
      expect(found).toMatchObject({ rows, form: 'uniform', bad: [] });
    }
  });

  test('rows of Binance without a header, in microseconds', async () => {
    const found = await read(fixture('binance-klines-made.csv'), { barMs: 60_000 });
    expect(found).toMatchObject({ form: 'binance-kline', bars: 2, bad: [] });
    expect(found.rows[0]).toBe('1735689600000\t93576.00\t93610.93\t93537.50\t93610.93\t8.21827000');
  });

  test('an export of TradingView in seconds, and days of Yahoo whose adjusted close is left out', async () => {
    expect((await read(fixture('tradingview-made.csv'))).rows).toEqual([
      `${T0}\t42500.1\t42600.0\t42400.5\t42550.25\t12.5`,
      `${T0 + HOUR}\t42550.25\t42700.75\t42500\t42650\t8`,
    ]);
    const days = await read(fixture('yahoo-days-made.csv'), { barMs: 24 * HOUR });
    expect(days.rows[0]).toBe(`${Date.UTC(2024, 0, 2)}\t187.149994\t188.440002\t183.889999\t185.639999\t82488700`);
    expect(days.bars).toBe(3);
  });

  test('bars that open off their grid are moved only on request', async () => {
    const file = fileOf(`Date,Open,High,Low,Close,Volume\n2024-01-02 14:30:00+00:00,1,2,1,2,5\n`);
    expect((await read(file, { barMs: 24 * HOUR })).bad).toMatchObject([{ reason: 'off_grid', column: 'Date', line: 2 }]);
    expect(await read(file, { barMs: 24 * HOUR, align: true })).toMatchObject({
      rows: [`${Date.UTC(2024, 0, 2)}\t1\t2\t1\t2\t5`],
      aligned: 1,
    });
  });

  test.each([
    ['time,open,high,low,volume\n', 'has no column "close"'],
    ['open,high,low,close,volume\n', 'has no column of open times'],
    ['time,open,open,high,low,close,volume\n', 'has the column "open" 2 times'],
    ['', 'is empty'],
    ['<html>\n', 'has no column of open times'],
  ])('a file that begins with %j is refused completely', async (text, why) => {
    await expect(read(fileOf(text))).rejects.toThrow(why);
  });

  test('invalid gzip, text and missing files are distinguished', async () => {
    await expect(read(fileOf('plain text', '.csv.gz'))).rejects.toThrow('is no sound gzip file');
    await expect(read(fileOf(Buffer.from([0x74, 0xff, 0xfe, 0x0a])))).rejects.toThrow('is no UTF-8 text');
    await expect(read(join(folder, 'nowhere.csv'))).rejects.toThrow('there is no such file');
    await expect(read(folder)).rejects.toThrow('is a folder');
    await expect(read(fileOf('x'.repeat(10_000)))).rejects.toBeInstanceOf(CandleFileError);
  });

  test('every column named in the help makes a format', () => {
    for (const time of ['openTime', 'open_time', 'Open Time', 'time', 'timestamp', 'unix', 'Date', 'Datetime'])
      expect(detectForm(`close,${time},open,low,high,volume,symbol`)).toMatchObject({
        name: 'headed',
        places: { openTime: 1, close: 0, low: 3 },
      });
    expect(detectForm('unix,date,symbol,open,high,low,close,Volume BTC,Volume USDT')).toMatchObject({ places: { openTime: 0, volume: 7 } });
  });
});

const GOOD = `${T0},10,12,9,11,5`;
test.each([
  ['1.70419E+12,10,12,9,11,5', 'damaged_time', 'openTime'],
  ['soon,10,12,9,11,5', 'bad_time', 'openTime'],
  [`${T0 + 1},10,12,9,11,5`, 'off_grid', 'openTime'],
  ['4070908800000,10,12,9,11,5', 'unclosed', 'openTime'],
  [`${T0 + HOUR},10,12,9,11`, 'wrong_columns', null],
  [`${T0 + HOUR},10,12,9,11,5,6`, 'wrong_columns', null],
  [`${T0 + HOUR},NaN,12,9,11,5`, 'bad_number', 'open'],
  [`${T0 + HOUR},10,1e1,9,11,5`, 'bad_number', 'high'],
  [`${T0 + HOUR},10,12,,11,5`, 'bad_number', 'low'],
  [`${T0 + HOUR},10,12,9,null,5`, 'bad_number', 'close'],
  [`${T0 + HOUR},10,12,9,11,Infinity`, 'bad_number', 'volume'],
  [`${T0 + HOUR},0,12,0,11,5`, 'non_positive', 'open'],
  [`${T0 + HOUR},10,12,-9,11,5`, 'non_positive', 'low'],
  [`${T0 + HOUR},10,12,0.000,11,5`, 'non_positive', 'low'],
  [`${T0 + HOUR},10,12,9,11,-5`, 'negative_volume', 'volume'],
  [`${T0 + HOUR},10,8,9,10,5`, 'high_below_low', 'high'],
  [`${T0 + HOUR},13,12,9,11,5`, 'not_enclosed', 'open'],
  [`${T0 + HOUR},10,12,9,8.99999999999999999999,5`, 'not_enclosed', 'close'],
  [GOOD, 'duplicate', 'openTime'],
  [`${T0 - HOUR},10,12,9,11,5`, 'disorder', 'openTime'],
] as const)('the row %s is left out as %s, with its line and column', async (row, reason, column) => {
  const found = await read(fileOf(`${HEADER}\n${GOOD}\n${row}\n${T0 + 2 * HOUR},11,12,9,11,5\n`));
  expect(found.bad).toMatchObject([{ reason, column, line: 3 }]);
  // Rows after a bad one are compared with the last good one.
  expect(found.bars).toBe(2);
});

test('a file that changes its unit of time is refused at that row', async () => {
  const found = await read(fileOf(`time,open,high,low,close,volume\n${T0 / 1_000},10,12,9,11,5\n${T0 + HOUR},10,12,9,11,5\n`));
  expect(found.bad).toMatchObject([{ reason: 'mixed_time_units', line: 3, column: 'time' }]);
});

test('days outside the calendar are not times', () => {
  for (const text of ['2024-02-30', '2023-02-29T00:00:00Z', '2024-13-01', '2024-01-01 25:00', '12/31/2023', '2024-01-01 12-AM'])
    expect(readOpenTime(text, false)).toMatchObject({ reason: 'bad_time' });
  expect(readOpenTime('2024-02-29 23:30:00+05:30', false)).toEqual({ at: Date.UTC(2024, 1, 29, 18), unit: 'text' });
});

test('any row is either exactly one bar with low <= open, close <= high, or counted', async () => {
  const cell = fc.oneof(fc.constantFrom('', '0', '-1', 'NaN', '1e5', '1.5', '2', '99999999999999999999'), fc.string({ maxLength: 6 }));
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(cell, { minLength: 1, maxLength: 7 }), { maxLength: 12 }), async (rows) => {
      const lines = rows.map((row, index) => [T0 + index * HOUR, ...row].join(',').replace(/[\r\n]/g, ''));
      const found = await read(fileOf(`${HEADER}\n${lines.join('\n')}\n`));
      expect(found.bars + found.bad.length).toBe(lines.length);
      for (const row of found.rows) {
        const [, open, high, low, close, volume] = row.split('\t').map(Number) as number[];
        expect(low).toBeLessThanOrEqual(Math.min(open as number, close as number));
        expect(high).toBeGreaterThanOrEqual(Math.max(open as number, close as number));
        expect(volume).toBeGreaterThanOrEqual(0);
      }
    }),
    { numRuns: 60 },
  );
});

test('the hash is that of the bytes of the file', async () => {
  const { createHash } = await import('node:crypto');
  const file = fixture('tradingview-made.csv');
  expect((await read(file)).sha256).toBe(createHash('sha256').update(readFileSync(file)).digest('hex'));
});

describe('the order of a file', () => {
  const bar = (index: number): string => `${T0 + index * HOUR},1,2,0.5,1.5,${index}`;
  const ascending = Array.from({ length: 250 }, (_, index) => bar(index));

  test('newest first is reversed, strictly ordered or not, and bad rows keep their lines', async () => {
    const oldest = await read(fileOf(`${HEADER}\n${ascending.join('\n')}\n`));
    const newest = await read(fileOf(`${HEADER}\n${[...ascending].reverse().join('\n')}\n`));
    expect(newest.rows).toEqual(oldest.rows);
    expect(newest.bad).toEqual([]);
    const damaged = [...ascending].reverse().with(3, 'x,1,2,0.5,1.5,1');
    const found = await read(fileOf(`${HEADER}\n${damaged.join('\n')}\n`));
    expect(found.bars).toBe(249);
    expect(found.bad).toMatchObject([{ reason: 'bad_time', line: 5 }]);
  });

  test('two swapped rows at the start do not reverse a file', async () => {
    const swapped = [ascending[1], ascending[0], ...ascending.slice(2)];
    const found = await read(fileOf(`${HEADER}\n${swapped.join('\n')}\n`));
    expect(found.bars).toBe(249);
    expect(found.bad).toMatchObject([{ reason: 'disorder', line: 3 }]);
  });

  test('lines may end with a carriage return alone', async () => {
    const found = await read(fileOf(`${HEADER}\r${ascending.join('\r')}\r`));
    expect(found).toMatchObject({ bars: 250, bad: [] });
    expect((await read(fileOf(`${HEADER}\r\n${ascending.join('\r\n')}`))).rows).toEqual(found.rows);
  });
});
