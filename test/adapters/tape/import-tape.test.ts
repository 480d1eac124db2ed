// Recordings in foreign formats become tapes: every price at its place, and nothing dropped without being counted.
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { importTape } from '../../../src/adapters/tape/import/import-tape.ts';
import { openTape } from '../../../src/adapters/tape/tape-reader.ts';
import { tradingDays } from '../../../src/domain/market/session.ts';
import type { TapeEvent } from '../../../src/domain/tape/tape.ts';
import type { Venue } from '../../../src/domain/market/venue.ts';

const FIXTURES = fileURLToPath(new URL('../../fixtures/tape/', import.meta.url));
const REAL = fileURLToPath(new URL('../../../../shared/data/', import.meta.url));

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'import-'));
});
afterAll(() => rm(folder, { recursive: true }));
let files = 0;

async function imported(from: string, venue: Venue, instrument: string | null = null) {
  const to = join(folder, `${files++}.tape`);
  const report = await importTape({ from, to, venue, instrument, timeframe: null, date: null });
  const reader = await openTape(to);
  const events: TapeEvent[] = [];
  for await (const batch of reader.batches()) events.push(...batch.events);
  expect(events).toHaveLength(report.events);
  expect(reader.header).toMatchObject({ tape: 1, instruments: report.instruments });
  return { report, events };
}

const rejections = (report: { rejected: Readonly<Record<string, { count: number }>> }): Record<string, number> =>
  Object.fromEntries(Object.entries(report.rejected).map(([reason, { count }]) => [reason, count]));

test('a raw log of the spot exchange goes through its own mapper, frame by frame at the time of receipt', async () => {
  const { report, events } = await imported(`${FIXTURES}spot-socket.log`, 'spotexchange');
  expect(events.map((event) => [event.kind, event.receivedAt])).toEqual([
    ['feed_status', 1_750_000_001_159],
    ['quote', 1_750_000_001_263],
    ['quote', 1_750_000_002_063],
    ['candles', 1_750_000_040_000],
    ['quote', 1_750_000_042_250],
  ]);
  expect(events[1]).toMatchObject({
    instrument: 'BTCUSDT',
    bid: '64000.10000000',
    askSize: '1.25000000',
    sequence: 1001,
    sourceTime: false,
  });
  expect(events[3]).toMatchObject({ timeframe: '1m', candles: [{ openTime: 1_749_999_960_000, close: '64010.0' }] });
  expect(report.read).toBe(11);
  expect(report.skipped).toEqual({ depth_diff: 1, trade: 1, carries_nothing: 1 });
  // A negative price, an instrument without a subscription, and a truncated frame (which no longer has the log's format).
  expect(rejections(report)).toEqual({ non_positive_price: 1, unknown_instrument: 1, not_json: 1 });
  expect(report.rejected['unknown_instrument']?.first).toContain('line 6: stream dogeusdt@bookTicker');
});

test('a book snapshot gives its best bid and ask, and one-sided books are marked', async () => {
  const { report, events } = await imported(`${FIXTURES}spot-answers.log`, 'spotexchange');
  expect(events).toMatchObject([
    {
      kind: 'quote',
      instrument: 'BTCUSDT',
      bid: '64000.00000000',
      ask: '64000.50000000',
      bidSize: '1.50000000',
      sequence: 900,
      quality: 'live',
    },
    { kind: 'quote', instrument: 'NEWUSDT', bid: null, ask: '1.00000000', quality: 'degraded', flags: ['one_sided'] },
  ]);
  expect(rejections(report)).toEqual({ missing_field: 1 });
});

test('quotes of CSV keep their spelling; floats with exponents are expanded; backward times are counted', async () => {
  const { report, events } = await imported(`${FIXTURES}quotes.csv`, 'spotexchange');
  expect(events).toMatchObject([
    { instrument: 'BTCUSDT', receivedAt: Date.UTC(2021, 0, 8, 0, 0, 1, 76), bid: '39432.99', ask: '39433.62', bidSize: '0.0031' },
    { askSize: '0.000008', bidSize: '2.0' },
    { receivedAt: Date.UTC(2021, 0, 8, 0, 0, 2, 582), askSize: '3.2909330000000003' },
  ]);
  expect(rejections(report)).toEqual({ bad_number: 1, bad_time: 1, out_of_order: 1, non_positive_price: 1 });
  const tardis = await imported(`${FIXTURES}tardis-quotes.csv`, 'evmvenue', 'BTC');
  expect(tardis.events).toMatchObject([
    { instrument: 'BTC', observedAt: 1_588_291_201_099, receivedAt: 1_588_291_201_234, sourceTime: true, bid: '8629.2', ask: '8629.3' },
  ]);
});

test('LEAN bars of a share are reference prices, known when the bar ends, in New York time', async () => {
  const { report, events } = await imported(`${FIXTURES}lean/equity/usa/minute/spy/20230803_quote.csv`, 'reference');
  // 09:30 in New York is 13:30 UTC in summer; the bar of 09:30 ends a minute later.
  expect(events[1]).toMatchObject({
    kind: 'reference',
    instrument: 'SPY',
    receivedAt: Date.UTC(2023, 7, 3, 13, 31),
    referencePrice: '450.02',
    confidence: '0.01',
  });
  expect(rejections(report)).toEqual({ non_positive_price: 1 });
  const trades = await imported(`${FIXTURES}lean/equity/usa/minute/spy/20230803_trade.csv`, 'reference');
  expect(trades.events).toMatchObject([
    {
      kind: 'candles',
      timeframe: '1m',
      candles: [{ openTime: Date.UTC(2023, 7, 3, 13, 30), open: '450', high: '450.15', close: '450.02', volume: '12345' }],
    },
  ]);
  expect(rejections(trades.report)).toEqual({ bad_number: 1 });
  await expect(imported(`${FIXTURES}lean/equity/usa/minute/spy/20230803_quote.csv`, 'spotchain')).rejects.toThrow(
    'no venue of ours executes; import it with --venue reference',
  );
  const crypto = await imported(`${FIXTURES}lean/crypto/coinbase/minute/btcusd/20171217_quote.csv`, 'spotexchange', 'BTCUSDT');
  expect(crypto.events).toMatchObject([
    { kind: 'quote', receivedAt: Date.UTC(2017, 11, 17, 0, 1), bid: '19650', bidSize: '0.029768000000000003' },
    { bid: '19518.19', bidSize: '0.00001' },
  ]);
});

test('LEAN second bars of trades are reference prices of a share, known when the second ends; other markets get no tradable price from them', async () => {
  const lean = async (kind: string, symbol: string, lines: readonly string[]) => {
    const path = join(folder, `lean/${kind}/second/${symbol}`);
    await mkdir(path, { recursive: true });
    await writeFile(join(path, '20230803_trade.csv'), `${lines.join('\n')}\n`);
    return join(path, '20230803_trade.csv');
  };
  const share = await lean('equity/usa', 'spy', ['34200000,4500000,4501500,4499000,4500200,100', '34201000,4500200,4500300,4500100,0,7']);
  const { report, events } = await imported(share, 'reference');
  expect(events).toMatchObject([
    {
      kind: 'reference',
      instrument: 'SPY',
      source: 'lean:trade_bar_second',
      referencePrice: '450.02',
      receivedAt: Date.UTC(2023, 7, 3, 13, 30, 1),
    },
  ]);
  expect(rejections(report)).toEqual({ non_positive_price: 1 });
  const crypto = await lean('crypto/coinbase', 'btcusd', ['0,1,2,1,2,5']);
  await expect(imported(crypto, 'spotexchange', 'BTCUSDT')).rejects.toThrow('1 records held no price, 1 of them second_trade_bar');
});

test('trades of a pool become bars, never quotes', async () => {
  const { report, events } = await imported(`${FIXTURES}TSLAX-pool-trades.json`, 'spotchain');
  expect(events).toMatchObject([
    {
      kind: 'candles',
      instrument: 'TSLAx',
      receivedAt: Date.UTC(2026, 5, 21, 12, 34),
      candles: [{ openTime: Date.UTC(2026, 5, 21, 12, 33), open: '400', close: '400', volume: '1' }],
    },
    { candles: [{ openTime: Date.UTC(2026, 5, 21, 12, 36), open: '399.75', high: '402.25', low: '399.75', close: '401.5', volume: '2' }] },
  ]);
  expect(rejections(report)).toEqual({ unknown_instrument: 1 });
});

test('uniform bars are received at their close; duplicate and impossible ones are counted', async () => {
  const { report, events } = await imported(`${FIXTURES}BTCUSDT_1h_made.csv`, 'spotexchange');
  expect(events.map((event) => event.receivedAt)).toEqual([1_760_004_000_000, 1_760_007_600_000, 1_760_018_400_000]);
  expect(report.instruments).toEqual(['spotexchange:BTCUSDT']);
  expect(rejections(report)).toEqual({ doubled: 1, bad_number: 1 });
});

describe('bars of a share', () => {
  // Half hours of the regular session of a winter week.
  const days = tradingDays(Date.UTC(2024, 1, 5), Date.UTC(2024, 1, 10));
  const opens = days.flatMap(({ regularAt }) => Array.from({ length: 13 }, (_, half) => regularAt + half * 1_800_000));
  const written = async (name: string, times: readonly number[]) => {
    await writeFile(join(folder, name), `openTime,open,high,low,close,volume\n${times.map((time) => `${time},1,2,1,2,5`).join('\n')}\n`);
    return join(folder, name);
  };
  const onTheWall = opens.map((at) => Date.parse(`${new Date(at).toLocaleString('sv-SE', { timeZone: 'America/New_York' })}Z`));

  test.each([
    ['AAPLx', 'spotchain'],
    ['AAPL', 'reference'],
  ] as const)("%s of %s on New York's wall clock are refused, and nothing is written", async (instrument, venue) => {
    const from = await written(`${instrument}_30m_wall.csv`, onTheWall);
    const to = join(folder, 'wall.tape');
    await expect(importTape({ from, to, venue, instrument: null, timeframe: null, date: null })).rejects.toThrow(
      "has bars of a share on New York's wall clock, written as if it were UTC: sevengate candles import takes them with --timezone",
    );
    expect(existsSync(to) || existsSync(`${to}.partial`)).toBe(false);
  });

  test('in UTC are imported, and so is a market that trades around the clock at any hour', async () => {
    for (const [name, venue, times] of [
      ['AAPLx_30m_utc.csv', 'spotchain', opens],
      ['BTCUSDT_30m_wall.csv', 'spotexchange', onTheWall],
    ] as const) {
      const { events } = await imported(await written(name, times), venue);
      expect(events.map(({ receivedAt }) => receivedAt)).toEqual(times.map((at) => at + 1_800_000));
    }
  });
});

test('oracle prices become reference prices with all their digits', async () => {
  const hermes = await imported(`${FIXTURES}hermes.json`, 'reference');
  expect(hermes.events).toMatchObject([
    {
      kind: 'reference',
      instrument: 'BTC',
      referencePrice: '107530.49828641',
      confidence: '23.79021325',
      feedUpdatedAt: 1_751_042_519_000,
      receivedAt: 1_751_042_521_000,
    },
    { instrument: 'AAPL', referencePrice: '201', confidence: '0.05' },
  ]);
  expect(rejections(hermes.report)).toEqual({ unknown_instrument: 1 });
  const ticks = await imported(`${FIXTURES}BTCUSD-prices-made.csv`, 'reference');
  expect(ticks.events).toMatchObject([
    { instrument: 'BTC', referencePrice: '65048.078902260626', feedUpdatedAt: 1_784_851_200_000, receivedAt: 1_784_851_201_377 },
    { referencePrice: '65051.92' },
  ]);
  expect(rejections(ticks.report)).toEqual({ non_positive_price: 1 });
});

describe('an unusable file is refused, and nothing is written', () => {
  test.each<[string, string, Venue, string]>([
    ['a format that nobody knows', 'unknown.log', 'spotexchange', 'has a format that is not known; accepted are: raw logs of Binance'],
    [
      'a venue that it cannot stand for',
      'hermes.json',
      'spotexchange',
      'a hermes recording, which cannot stand for spotexchange; use --venue reference',
    ],
    ['a missing file', 'nothing.csv', 'spotexchange', 'there is no such file'],
  ])('%s', async (_, file, venue, sentence) => {
    const to = join(folder, 'refused.tape');
    await expect(importTape({ from: `${FIXTURES}${file}`, to, venue, instrument: null, timeframe: null, date: null })).rejects.toThrow(
      sentence,
    );
    expect(existsSync(to) || existsSync(`${to}.partial`)).toBe(false);
  });

  test('a recording without usable data gives the first reason', async () => {
    await expect(imported(`${FIXTURES}tardis-quotes.csv`, 'spotexchange', '')).rejects.toThrow(
      'yielded no event: all were refused, first event 1: unsound_event',
    );
  });
});

/** Counts of the sources by other programs: see the index of the recordings. */
const REAL_FILES: readonly (readonly [file: string, venue: Venue, read: number, kinds: Record<string, number>])[] = [
  ['tapes/cryptofeed/BINANCE.ws.1.0.log.gz', 'spotexchange', 266, { feed_status: 1, quote: 84 }],
  ['tapes/cryptofeed/BINANCE_US.ws.1.0.log.gz', 'spotexchange', 481, { feed_status: 1, quote: 128, candles: 1 }],
  ['tapes/cryptofeed/BINANCE.http.0.0.log.gz', 'spotexchange', 4, { quote: 4 }],
  ['tapes/nautilus/btcusdt-quotes.csv.gz', 'spotexchange', 451, { quote: 451 }],
  ['tapes/lean/equity/usa/minute/spy/20230803_quote.csv.gz', 'reference', 961, { reference: 961 }],
  ['tapes/lean/crypto/coinbase/minute/btcusd/20171217_trade.csv.gz', 'spotexchange', 1440, { candles: 1440 }],
  ['tapes/polymarket/BTCUSD-prices-2026-07-24_first3h.csv.gz', 'reference', 9933, { reference: 9933 }],
  ['tapes/xstocks/trades/TSLAX__orca__9p7abUFv.json.gz', 'spotchain', 300, { candles: 24 }],
  ['candles/uniform/crypto/BTCUSDT_1h_binance-spot.csv.gz', 'spotexchange', 43_780, { candles: 43_780 }],
  ['fixtures/pyth/pyth_hermes_2025-06-27T1641Z_regular-session.json', 'reference', 20, { reference: 20 }],
];
if (!existsSync(REAL)) console.warn(`skipped the real recordings: ${REAL} is not there`);
test.skipIf(!existsSync(REAL)).each(REAL_FILES)('the real recording %s is imported completely', async (file, venue, read, kinds) => {
  const { report, events } = await imported(`${REAL}${file}`, venue);
  const found: Record<string, number> = {};
  for (const { kind } of events) found[kind] = (found[kind] ?? 0) + 1;
  expect(found).toEqual(kinds);
  expect(report.read).toBe(read);
  expect(report.rejected).toEqual({});
});

test('pool trades of one second stand in the order of the chain: by block, then by place in it', async () => {
  const trade = (second: number, block: number, price: string) => ({
    block_number: block,
    block_timestamp: new Date(Date.UTC(2026, 5, 21, 12, 36, second)).toISOString().replace('.000', ''),
    kind: 'buy',
    from_token_amount: '1',
    to_token_amount: '1',
    price_from_in_usd: '1',
    price_to_in_usd: price,
    from_token_address: 'EPjF',
    to_token_address: 'XsDoVf',
  });
  // The answer is newest first by the second, mixes the blocks of a second, and reverses a block's own order.
  const trades = [
    trade(9, 12, '108'),
    trade(9, 14, '110'),
    trade(9, 13, '109'),
    trade(5, 11, '103'),
    trade(5, 10, '102'),
    trade(5, 10, '101'),
  ];
  const file = join(folder, 'mixed-blocks.json');
  await writeFile(file, JSON.stringify({ pool: '9p7abUFv', meta: { sym: 'TSLAX', mint: 'XsDoVf', dex: 'orca' }, trades }));
  const { events } = await imported(file, 'spotchain');
  expect(events).toMatchObject([{ candles: [{ open: '101', high: '110', low: '101', close: '110', volume: '6' }] }]);
});

test.each(['\n', '\r\n', '\r'])('a CSV whose lines end with %j is recognised and read', async (ending) => {
  const file = join(folder, `quotes-${ending.length}${ending.charCodeAt(0)}.csv`);
  const lines = ['timestamp,bid,ask', '2021-01-08T00:00:01Z,1.5,1.6', '2021-01-08T00:00:02Z,1.4,1.6', ''];
  await writeFile(file, lines.join(ending));
  const { events, report } = await imported(file, 'spotexchange', 'BTCUSDT');
  expect(events).toMatchObject([{ bid: '1.5' }, { bid: '1.4', ask: '1.6' }]);
  expect(report.rejected).toEqual({});
});
