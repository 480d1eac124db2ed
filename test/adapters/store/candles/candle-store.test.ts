// Candles: exact decimals back, corrections kept, repeats harmless, ranges half-open.
import { Subject } from 'rxjs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createCandleStore, keepBars } from '../../../../src/adapters/store/candles/candle-store.ts';
import { stateOrigins } from '../../../../src/adapters/store/catalog/source-origins.ts';
import { openDatabase, type Sql } from '../../../../src/adapters/store/database.ts';
import type { CandleBatch } from '../../../../src/domain/candles/candle.ts';
import type { StatedOrigin } from '../../../../src/domain/market/data-source.ts';
import type { FeedMessage } from '../../../../src/domain/market/market-event.ts';
import { testDatabase } from '../../../harness/postgres.ts';

let sql: Sql;
let url: string;
beforeAll(async () => {
  url = await testDatabase();
  sql = openDatabase({ url, name: 'candles', connections: 4 });
});
afterAll(() => sql.end());

const bar = (openTime: number, close = '1.50') => ({
  openTime,
  open: '1.0',
  high: '12345678901234567890.123456789012345678',
  low: '0.000000000000000001',
  close,
  volume: '0',
});
const batch = (receivedAt: number, candles: CandleBatch['candles'], instrument = 'BTCUSDT'): CandleBatch => ({
  kind: 'candles',
  venue: 'spotexchange',
  instrument,
  timeframe: '1m',
  source: 'test',
  receivedAt,
  candles,
});
const range = (from: number, to: number, limit = 100, instrument = 'BTCUSDT') =>
  createCandleStore(sql).range({ venue: 'spotexchange', instrument, timeframe: '1m', from, to, limit });

test('decimals of any length come back exactly, without trailing zeros or exponents', async () => {
  await createCandleStore(sql).save(batch(1, [bar(0)], 'EXACT'));
  expect(await range(0, 60_000, 5, 'EXACT')).toEqual([
    {
      openTime: 0,
      open: '1',
      high: '12345678901234567890.123456789012345678',
      low: '0.000000000000000001',
      close: '1.5',
      volume: '0',
      source: 'test',
      simulated: true,
    },
  ]);
});

test('a range includes its start and excludes its end, ascending, up to the limit', async () => {
  await createCandleStore(sql).save(
    batch(
      1,
      [4, 1, 3, 2].map((i) => bar(i * 60_000)),
    ),
  );
  expect((await range(60_000, 240_000)).map(({ openTime }) => openTime / 60_000)).toEqual([1, 2, 3]);
  expect((await range(0, 999_999, 2)).map(({ openTime }) => openTime / 60_000)).toEqual([1, 2]);
});

test('the same batch again changes nothing, a later correction does, an older one does not', async () => {
  const store = createCandleStore(sql);
  expect(await store.save(batch(10, [bar(0, '1.1'), bar(60_000, '1.1')], 'FIX'))).toBe(2);
  expect(await store.save(batch(20, [bar(0, '1.10'), bar(60_000, '1.1')], 'FIX'))).toBe(0);
  expect(await store.save(batch(30, [bar(0, '1.2')], 'FIX'))).toBe(1);
  expect(await store.save(batch(5, [bar(0, '1.3')], 'FIX'))).toBe(0);
  expect((await range(0, 120_000, 5, 'FIX')).map(({ close }) => close)).toEqual(['1.2', '1.1']);
});

test('a batch with a repeated bar keeps its last version; an empty one does nothing; an impossible bar stores nothing', async () => {
  const store = createCandleStore(sql);
  expect(await store.save(batch(1, [bar(0, '1.1'), bar(0, '1.2')], 'TWICE'))).toBe(1);
  expect((await range(0, 60_000, 5, 'TWICE'))[0]?.close).toBe('1.2');
  expect(await store.save(batch(1, []))).toBe(0);
  await expect(store.save(batch(1, [bar(0), { ...bar(60_000), low: '9', high: '2' }], 'BAD'))).rejects.toThrow(/check constraint/);
  expect(await range(0, 120_000, 5, 'BAD')).toEqual([]);
});

test('bars that come during a write are stored together, and a refused one affects no other', async () => {
  const received = new Subject<FeedMessage>();
  const line: (() => Promise<unknown>)[] = [];
  const stop = keepBars({
    sql,
    received,
    write: (_, work) => void line.push(work),
    onFailure: (error) => {
      throw error;
    },
  });
  const transactionsOf = (instrument: string) => sql<{ by: string }[]>`
    select distinct xmin::text as by from candles where instrument like ${`${instrument}%`}`;
  for (const name of ['LINE1', 'LINE2', 'LINE3']) received.next(batch(1, [bar(0)], name));
  for (const work of line.splice(0)) await work();
  expect(await transactionsOf('LINE')).toHaveLength(1);
  received.next(batch(1, [bar(0)], 'MIXED1'));
  received.next(batch(1, [{ ...bar(0), low: '9', high: '2' }], 'MIXED2'));
  received.next(batch(1, [bar(0)], 'MIXED3'));
  const [first, ...rest] = line;
  await expect(first?.()).rejects.toThrow(/check constraint/);
  for (const work of rest) await work();
  expect(await transactionsOf('MIXED')).toHaveLength(2);
  stop();
});

test('bars that a database did not take because it was away are stored by the next attempt', async () => {
  const received = new Subject<FeedMessage>();
  const line: (() => Promise<unknown>)[] = [];
  let isAway = true;
  const lost = () => Promise.reject(Object.assign(new Error('the connection was lost'), { code: 'CONNECTION_CLOSED' }));
  const stop = keepBars({
    sql: new Proxy(sql, { get: (target, name) => (isAway && name === 'begin' ? lost : (Reflect.get(target, name) as unknown)) }),
    received,
    write: (_, work) => void line.push(work),
    onFailure: (error) => {
      throw error;
    },
  });
  for (const name of ['AWAY1', 'AWAY2']) received.next(batch(1, [bar(0)], name));
  await expect(line[0]?.()).rejects.toThrow('the connection was lost');
  isAway = false;
  await line[0]?.();
  expect([await range(0, 60_000, 5, 'AWAY1'), await range(0, 60_000, 5, 'AWAY2')].map(({ length }) => length)).toEqual([1, 1]);
  stop();
});

test('sandbox bars are hidden while their venue is real: neither read nor counted as known, and back once it is simulated again', async () => {
  const store = createCandleStore(sql);
  const series = { venue: 'spotexchange', instrument: 'TURNED', timeframe: '1m' } as const;
  const closes = async () => (await range(0, 180_000, 5, 'TURNED')).map(({ close, simulated }) => [close, simulated]);
  const seen = async () => [await store.windows(series, { from: 0, to: 180_000 }), await store.firstOpen(series), await closes()];
  const owner = openDatabase({ url, role: null, connections: 1, name: 'owner' });
  const state = (origin: StatedOrigin) => stateOrigins(owner, { spotexchange: origin } as never);
  await state('sandbox');
  await store.save(batch(1, [bar(0), bar(60_000)], 'TURNED'));
  await store.record(series, { from: 0, to: 120_000 }, 'asked', '', 1);
  const asked = [{ state: 'asked', code: '', from: 0, to: 120_000 }];
  const simulated = [
    asked,
    0,
    [
      ['1.5', true],
      ['1.5', true],
    ],
  ];
  expect(await seen()).toEqual(simulated);

  await state('real');
  expect(await seen()).toEqual([[], null, []]);
  expect(await store.all({ ...series, from: 0, to: 180_000 })).toEqual([]);
  // Received earlier than the invented bar and with another close: both are kept.
  await store.save(batch(0, [bar(60_000, '2')], 'TURNED'));
  expect(await seen()).toEqual([[], 60_000, [['2', false]]]);
  // A venue with partly simulated history counts as not real, and only real data is read.
  await state('mixed');
  await store.save(batch(5, [bar(120_000, '3')], 'TURNED'));
  expect(await closes()).toEqual([['2', false]]);

  await state('sandbox');
  expect((await closes()).slice(0, 2)).toEqual(simulated[2]);
  await owner.end();
});
