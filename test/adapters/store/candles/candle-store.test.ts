// Candles: exact decimals back, corrections kept, repeats harmless, ranges half-open.

import { Subject } from 'rxjs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createCandleStore } from '../../../../src/adapters/store/candles/candle-store.ts';
import { keepBars } from '../../../../src/adapters/store/candles/keep-bars.ts';
import type { Sql } from '../../../../src/adapters/store/database.ts';
import type { CandleBatch } from '../../../../src/domain/candle.ts';
import type { FeedMessage } from '../../../../src/domain/market-event.ts';
import { storeUnderTest } from '../reads.ts';

let sql: Sql;
beforeAll(async () => {
  sql = await storeUnderTest();
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
    },
  ]);
});

test('a range takes its first instant and leaves its last, ascending, up to the limit', async () => {
  await createCandleStore(sql).save(
    batch(
      1,
      [4, 1, 3, 2].map((i) => bar(i * 60_000)),
    ),
  );
  expect((await range(60_000, 240_000)).map(({ openTime }) => openTime / 60_000)).toEqual([1, 2, 3]);
  expect((await range(0, 999_999, 2)).map(({ openTime }) => openTime / 60_000)).toEqual([1, 2]);
});

test('the same batch again changes nothing, a later correction does, an older word does not', async () => {
  const store = createCandleStore(sql);
  expect(await store.save(batch(10, [bar(0, '1.1'), bar(60_000, '1.1')], 'FIX'))).toBe(2);
  expect(await store.save(batch(20, [bar(0, '1.10'), bar(60_000, '1.1')], 'FIX'))).toBe(0);
  expect(await store.save(batch(30, [bar(0, '1.2')], 'FIX'))).toBe(1);
  expect(await store.save(batch(5, [bar(0, '1.3')], 'FIX'))).toBe(0);
  expect((await range(0, 120_000, 5, 'FIX')).map(({ close }) => close)).toEqual(['1.2', '1.1']);
});

test('a batch that names a bar twice keeps its last word; an empty one is nothing; an impossible bar keeps nothing', async () => {
  const store = createCandleStore(sql);
  expect(await store.save(batch(1, [bar(0, '1.1'), bar(0, '1.2')], 'TWICE'))).toBe(1);
  expect((await range(0, 60_000, 5, 'TWICE'))[0]?.close).toBe('1.2');
  expect(await store.save(batch(1, []))).toBe(0);
  await expect(store.save(batch(1, [bar(0), { ...bar(60_000), low: '9', high: '2' }], 'BAD'))).rejects.toThrow(/check constraint/);
  expect(await range(0, 120_000, 5, 'BAD')).toEqual([]);
});

test('bars that come while others are written are kept together, and one that is refused takes no other with it', async () => {
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
