// Imports of bars into PostgreSQL: whole files or nothing, no silent overwrite of different bars, with their provenance.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { importFiles } from '../../../../src/adapters/candle-files/import-files.ts';
import { type ImportFile, importBars } from '../../../../src/adapters/store/candles/candle-import.ts';
import { createCandleStore } from '../../../../src/adapters/store/candles/candle-store.ts';
import { createWorkReads, forgetWork } from '../../../../src/adapters/store/long-work-store.ts';
import { openDatabase, type Sql } from '../../../../src/adapters/store/database.ts';
import type { WorkProgress } from '../../../../src/domain/values/work-progress.ts';
import { createLiveClock } from '../../../../streams/clock/live-clock.ts';
import { testDatabase } from '../../../harness/postgres.ts';

const HOUR = 3_600_000;
const T0 = Date.UTC(2024, 0, 1);
const folder = mkdtempSync(join(tmpdir(), 'sevengate-import-'));
let sql: Sql;
beforeAll(async () => {
  sql = openDatabase({ url: await testDatabase(), name: 'import test', role: null, connections: 3 });
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await sql.end();
});

let series = 0;
const fresh = (): string => `MADE${++series}`;

function fileOf(
  instrument: string,
  closes: readonly (readonly [hour: number, close: string])[],
  over: Partial<ImportFile> = {},
): ImportFile {
  const rows = closes.map(([hour, close]) => `${T0 + hour * HOUR}\t1\t9\t0.5\t${close}\t7\n`);
  async function* batches() {
    // Two batches, so that the second meets what the first stored.
    for (const part of [rows.slice(0, 2), rows.slice(2)]) {
      const place = part === rows ? 0 : rows.indexOf(part[0] ?? '');
      if (part.length > 0) {
        const opens = closes.slice(place, place + part.length).map(([hour]) => T0 + hour * HOUR);
        yield { rows: part.join(''), bars: part.length, firstOpen: opens[0] as number, lastOpen: opens.at(-1) as number };
      }
    }
  }
  return {
    venue: 'spotexchange',
    instrument,
    timeframe: '1h',
    barMs: HOUR,
    source: 'import:made.csv',
    file: '/somewhere/made.csv',
    at: T0 + 1_000 * HOUR,
    replace: false,
    dryRun: false,
    batches: batches(),
    provenance: () => ({ form: 'uniform', sha256: 'ab'.repeat(32), skipped: { duplicate: 2 } }),
    ...over,
  };
}

const stored = (instrument: string) =>
  createCandleStore(sql).range({ venue: 'spotexchange', instrument, timeframe: '1h', from: T0, to: T0 + 100 * HOUR, limit: 100 });

test('bars, their source, the file and its covered range are stored', async () => {
  const instrument = fresh();
  const counts = await importBars(
    sql,
    fileOf(instrument, [
      [0, '2'],
      [1, '3'],
      [3, '4.50'],
    ]),
  );
  expect(counts).toMatchObject({ bars: 3, inserted: 3, same: 0, conflicting: 0, firstOpen: T0, lastOpen: T0 + 3 * HOUR });
  expect((await stored(instrument)).map(({ close, source }) => [close, source])).toEqual([
    ['2', 'import:made.csv'],
    ['3', 'import:made.csv'],
    ['4.5', 'import:made.csv'],
  ]);
  expect(await createCandleStore(sql).windows({ venue: 'spotexchange', instrument, timeframe: '1h' }, { from: 0, to: T0 * 2 })).toEqual([
    { state: 'imported', code: '', from: T0, to: T0 + 4 * HOUR },
  ]);
  const [record] = await sql`select file, form, bars, inserted, skipped from candle_imports where instrument = ${instrument}`;
  expect(record).toEqual({ file: '/somewhere/made.csv', form: 'uniform', bars: 3, inserted: 3, skipped: { duplicate: 2 } });
});

test('the same file again changes nothing; a different bar is counted and kept, unless replacement is requested', async () => {
  const instrument = fresh();
  const first = [
    [0, '2'],
    [1, '3'],
    [2, '4'],
  ] as const;
  await importBars(sql, fileOf(instrument, first));
  expect(await importBars(sql, fileOf(instrument, first))).toMatchObject({ inserted: 0, same: 3, conflicting: 0 });
  // 2.000 equals 2.
  const other = [
    [0, '2.000'],
    [1, '3.5'],
    [2, '4'],
    [3, '5'],
  ] as const;
  expect(await importBars(sql, fileOf(instrument, other))).toMatchObject({
    inserted: 1,
    same: 2,
    conflicting: 1,
    replaced: 0,
    firstConflict: T0 + HOUR,
  });
  expect((await stored(instrument)).map(({ close }) => close)).toEqual(['2', '3', '4', '5']);
  const replacing = fileOf(instrument, other, { replace: true, source: 'import:better.csv' });
  expect(await importBars(sql, replacing)).toMatchObject({ inserted: 0, conflicting: 1, replaced: 1 });
  expect((await stored(instrument)).map(({ close, source }) => [close, source])).toEqual([
    ['2', 'import:made.csv'],
    ['3.5', 'import:better.csv'],
    ['4', 'import:made.csv'],
    ['5', 'import:made.csv'],
  ]);
});

test('a dry run stores nothing, and neither does a file that fails halfway', async () => {
  const instrument = fresh();
  expect(
    await importBars(
      sql,
      fileOf(
        instrument,
        [
          [0, '2'],
          [1, '3'],
        ],
        { dryRun: true },
      ),
    ),
  ).toMatchObject({ inserted: 2 });
  expect(await stored(instrument)).toEqual([]);
  async function* broken() {
    yield { rows: `${T0}\t1\t9\t0.5\t2\t7\n`, bars: 1, firstOpen: T0, lastOpen: T0 };
    throw new Error('line 3 is no bar');
  }
  await expect(importBars(sql, fileOf(instrument, [], { batches: broken() }))).rejects.toThrow('line 3 is no bar');
  expect(await stored(instrument)).toEqual([]);
  expect(await sql`select 1 from candle_imports where instrument = ${instrument}`).toHaveLength(0);
});

test('a bar stored by the feed between check and copy is compared, not lost', async () => {
  const instrument = fresh();
  const store = createCandleStore(sql);
  const bar = { openTime: T0, open: '1', high: '9', low: '0.5', close: '8', volume: '7' };
  async function* late() {
    yield { rows: `${T0 + HOUR}\t1\t9\t0.5\t2\t7\n`, bars: 1, firstOpen: T0 + HOUR, lastOpen: T0 + HOUR };
    await store.save({
      kind: 'candles',
      venue: 'spotexchange',
      instrument,
      timeframe: '1h',
      source: 'feed',
      receivedAt: T0,
      candles: [bar],
    });
    yield { rows: `${T0}\t1\t9\t0.5\t2\t7\n`, bars: 1, firstOpen: T0, lastOpen: T0 };
  }
  expect(await importBars(sql, fileOf(instrument, [], { batches: late() }))).toMatchObject({ inserted: 1, conflicting: 1 });
  expect((await stored(instrument)).map(({ close }) => close)).toEqual(['8', '2']);
});

test('an answer of the venue removes its refusals, and adjacent ranges become one', async () => {
  const store = createCandleStore(sql);
  const key = { venue: 'evmvenue', instrument: fresh(), timeframe: '1h' } as const;
  const range = (from: number, to: number) => ({ from: T0 + from * HOUR, to: T0 + to * HOUR });
  await store.record(key, range(0, 10), 'refused', 'http_503', T0);
  await store.record(key, range(2, 4), 'asked', '', T0);
  await store.record(key, range(4, 6), 'asked', '', T0);
  const found = await store.windows(key, range(1, 8));
  expect(found.map(({ state, from, to }) => [state, (from - T0) / HOUR, (to - T0) / HOUR])).toEqual([
    ['refused', 1, 2],
    ['asked', 2, 6],
    ['refused', 6, 8],
  ]);
});

test('an import reports its progress and its end without folder names, and is deleted a week later', async () => {
  const clock = createLiveClock();
  const instrument = fresh();
  const key = { venue: 'spotexchange', instrument, timeframe: '1h', barMs: HOUR } as const;
  const text = `openTime,open,high,low,close,volume\n${Array.from({ length: 12_000 }, (_, hour) => `${T0 - hour * HOUR},1,9,0.5,2,7`)
    .reverse()
    .join('\n')}\n`;
  const [good, bad] = [join(folder, 'good.csv'), join(folder, 'bad.csv')];
  writeFileSync(good, text);
  writeFileSync(bad, `${text}nonsense\n`);
  const told: WorkProgress[] = [];
  const files = [{ file: good, bytes: text.length }];
  await importFiles(sql, files, key, {}, clock, (progress) => told.push(progress));
  expect(told.map(({ progress }) => progress?.done)).toEqual([0, 256 * 1024, text.length]);
  expect(told[1]).toMatchObject({ progress: { total: text.length, unit: 'bytes' }, remainingMs: expect.any(Number), waitingFor: null });
  await expect(importFiles(sql, [{ file: bad, bytes: 9 }], key, {}, clock, () => {})).rejects.toThrow(bad);
  await importFiles(sql, [...files, ...files], key, { dryRun: true }, clock, () => {});
  const works = async () =>
    (await createWorkReads(sql).list({ limit: 10, after: null }, null)).items.filter((work) => work.instrument === instrument);
  expect(await works()).toMatchObject([
    { kind: 'import', source: 'bad.csv', error: expect.stringMatching(/^bad\.csv: line 12002: has 1 fields/) },
    {
      kind: 'import',
      subject: expect.stringContaining(`${instrument} `),
      workedOnBy: expect.stringMatching(/^sevengate candles import, process \d+$/),
      source: 'good.csv',
      unit: 'bytes',
      done: text.length,
      total: text.length,
      error: null,
    },
  ]);
  await forgetWork(sql, 7);
  expect(await works()).toHaveLength(2);
  await sql`update long_work set seen_at = seen_at - 7 * 86400000 where source = 'bad.csv'`;
  await forgetWork(sql, 7);
  expect((await works()).map(({ source }) => source)).toEqual(['good.csv']);
});

test('the request role may record windows, but not change imported data', async () => {
  const app = openDatabase({ url: await testDatabase(), name: 'import test, app' });
  try {
    await createCandleStore(app).record({ venue: 'evmvenue', instrument: 'A', timeframe: '1h' }, { from: 0, to: HOUR }, 'asked', '', T0);
    await expect(app`delete from candle_imports`).rejects.toThrow(/permission denied|append-only/);
  } finally {
    await app.end();
  }
});
