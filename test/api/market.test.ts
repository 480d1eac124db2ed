// Market data over HTTP: quotes, candles with gaps, order books and the catalog.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findGaps } from '../../api/v1/market/candles.ts';
import { createCandleStore } from '../../src/adapters/store/candles/candle-store.ts';
import { CATALOG } from '../../src/domain/catalog/catalog.ts';
import type { Quote, ReferencePrice } from '../../src/domain/market/quote.ts';
import { type ApiUnderTest, apiUnderTest, NOW } from './api-under-test.ts';

let api: ApiUnderTest;
let token: string;
beforeAll(async () => {
  api = await apiUnderTest();
  token = await api.token(['market:read']);
});
afterAll(() => api.close());
const get = (url: string) => api.call('GET', url, { token });

const quote = (venue: Quote['venue'], instrument: string, bid: string | null, ask: string | null, over: Partial<Quote> = {}): Quote => ({
  kind: 'quote',
  venue,
  instrument,
  source: 'test',
  observedAt: NOW - 120,
  receivedAt: NOW - 100,
  sourceTime: true,
  bid,
  ask,
  bidSize: '1',
  askSize: '2',
  sequence: 7,
  quality: 'live',
  flags: [],
  ...over,
});
const reference = (instrument: string, referencePrice: string): ReferencePrice => ({
  kind: 'reference',
  venue: 'reference',
  instrument,
  source: 'test',
  observedAt: NOW - 900,
  receivedAt: NOW - 800,
  feedUpdatedAt: NOW - 1_000,
  referencePrice,
  confidence: '0.02',
  publisherSession: 'REGULAR',
  quality: 'live',
  flags: [],
});
const receive = (...events: (Quote | ReferencePrice)[]): void => {
  api.market.clear();
  for (const event of events) api.market.set(`${event.venue}:${event.instrument}`, event);
};

describe('quotes', () => {
  beforeAll(() => {
    receive(
      quote('spotexchange', 'BTCUSDT', '63000.10', '63000.20'),
      quote('spotchain', 'AAPLx', '198', '198.02', { quality: 'stale', flags: ['over_age'] }),
      quote('spotchain', 'TSLAx', '300', null, { flags: ['one_sided'], quality: 'degraded', sequence: null }),
      reference('AAPL', '200'),
    );
  });

  test('a quote and a reference price are distinguished, and each has only its own fields', async () => {
    const [price, stale, oneSided, spot] = (await get('/v1/quotes')).body.items;
    expect(spot).toEqual({
      kind: 'quote',
      venue: 'spotexchange',
      instrument: 'BTCUSDT',
      source: 'test',
      observedAt: '2026-03-02T14:30:59.880Z',
      receivedAt: '2026-03-02T14:30:59.900Z',
      quality: 'live',
      flags: [],
      maxAgeMs: 5_000,
      cadence: 'change_only',
      bid: '63000.10',
      ask: '63000.20',
      bidSize: '1',
      askSize: '2',
      mid: '63000.15',
      sequence: 7,
    });
    expect(price).toMatchObject({
      kind: 'reference',
      venue: 'reference',
      referencePrice: '200',
      maxAgeMs: 5_000,
      cadence: 'continuous',
      feedUpdatedAt: '2026-03-02T14:30:59.000Z',
    });
    expect(price).not.toHaveProperty('bid');
    expect(spot).not.toHaveProperty('referencePrice');
    expect(oneSided).toMatchObject({ ask: null, mid: null, flags: ['one_sided'], sequence: null });
    expect(stale).toMatchObject({ quality: 'stale', flags: ['over_age'] });
  });

  test('are filtered by venue and instrument and paged in one order', async () => {
    expect((await get('/v1/quotes?venue=spotchain')).body.items.map((item: Quote) => item.instrument)).toEqual(['AAPLx', 'TSLAx']);
    expect((await get('/v1/quotes?venue=spotchain&instrument=TSLAx')).body.items).toHaveLength(1);
    expect((await get('/v1/quotes?instrument=NOPE')).body).toEqual({ items: [], nextCursor: null });
    const seen: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const reply = await get(`/v1/quotes?limit=1${cursor === '' ? '' : `&cursor=${cursor}`}`);
      seen.push(...reply.body.items.map((item: Quote) => item.instrument));
      cursor = reply.body.nextCursor;
    }
    expect(seen).toEqual(['AAPL', 'AAPLx', 'TSLAx', 'BTCUSDT']);
  });

  test.each(['venue=nyse', 'venue=', 'venue=spotchain&venue=spotexchange', 'instrument=', `instrument=${'x'.repeat(65)}`, 'symbol=BTC'])(
    'the query %s is refused',
    async (query) => {
      expect((await get(`/v1/quotes?${query}`)).body).toMatchObject({ status: 400, code: 'malformed' });
    },
  );
});

describe('imports and backfills of candles', () => {
  const row = async (source: string, secondsAgo: number, over: { done?: number; error?: string; isEnded?: boolean; waits?: string }) => {
    const { done = 0, error = null, isEnded = false, waits = null } = over;
    await api.sql`
      insert into long_work (kind, subject, worked_on_by, venue, instrument, timeframe, source, unit, done, total, wait_cause, wait_detail, begun_at, seen_at, ended_at, error)
      select 'backfill', 'spotexchange BTCUSDT 1h', 'worker, process 1', 'spotexchange', 'BTCUSDT', '1h', ${source}, 'bars', ${done}, 1000, ${waits === null ? null : 'venue'}, ${waits},
        now - 1000 * ${secondsAgo + 60}::bigint, now - 1000 * ${secondsAgo}::bigint, ${isEnded ? api.sql`now` : null}, ${error}
      from service_clock_ms() as now`;
  };

  test('are listed newest first with progress, remaining time and cause of a wait; one whose writer is gone says so', async () => {
    await row('spotexchange', 0, { done: 750, waits: 'the request budget of spotexchange limits the speed' });
    await row('gone', 3_600, { done: 500 });
    await row('stopped', 5, { isEnded: true, error: 'Invalid symbol. (-1121)' });
    await row('done', 5, { isEnded: true, done: 1_000 });
    const { body } = await get('/v1/candles/work?limit=3');
    expect(body.items.map(({ source, state }: { source: string; state: string }) => [source, state])).toEqual([
      ['done', 'done'],
      ['stopped', 'failed'],
      ['gone', 'silent'],
    ]);
    const [done, stopped, gone] = body.items;
    expect(done).toMatchObject({ progress: null, remainingMs: null, error: null });
    expect(stopped).toMatchObject({ progress: null, remainingMs: null, error: 'Invalid symbol. (-1121)' });
    expect(gone).toMatchObject({ progress: { done: 500, total: 1_000 }, remainingMs: null, waitingFor: null, endedAt: null });
    const next = (await get(`/v1/candles/work?limit=3&cursor=${body.nextCursor}`)).body;
    expect(next).toMatchObject({ items: [{ source: 'spotexchange', state: 'running', error: null, endedAt: null }], nextCursor: null });
    const [running] = next.items;
    expect(running).toMatchObject({ progress: { done: 750, total: 1_000, unit: 'bars' }, waitingFor: { cause: 'venue' } });
    // 750 bars took a minute and the time of this test.
    expect(running.remainingMs).toBeGreaterThanOrEqual(20_000);
  });
});

describe('candles', () => {
  const HOUR = 3_600_000;
  const LAST = Math.floor(NOW / HOUR) * HOUR;
  beforeAll(async () => {
    const bars = Array.from({ length: 300 }, (_, i) => LAST - (300 - i) * HOUR).filter((_, i) => i !== 290 && i !== 291 && i !== 100);
    await createCandleStore(api.sql).save({
      kind: 'candles',
      venue: 'spotexchange',
      instrument: 'BTCUSDT',
      timeframe: '1h',
      source: 'test',
      receivedAt: NOW,
      candles: bars.map((openTime, i) => ({
        openTime,
        open: `${63000 + i}.10`,
        high: '70000',
        low: '60000',
        close: `${63000 + i}.50`,
        volume: '0',
      })),
    });
  });
  const candles = (query: string) => get(`/v1/candles?venue=spotexchange&instrument=BTCUSDT&timeframe=1h${query}`);

  test('without a range: the latest bars, ascending, with the gap among them named', async () => {
    const { body } = await candles('&limit=12');
    expect(body.items).toHaveLength(10);
    expect(body.items.at(-1)).toMatchObject({
      openTime: new Date(LAST - HOUR).toISOString(),
      open: '63296.1',
      close: '63296.5',
      volume: '0',
      source: 'test',
    });
    expect(body.coverage).toEqual({
      complete: false,
      from: new Date(LAST - 12 * HOUR).toISOString(),
      to: new Date(LAST).toISOString(),
      gaps: [
        { from: new Date(LAST - 10 * HOUR).toISOString(), to: new Date(LAST - 8 * HOUR).toISOString(), missing: 2, reason: 'not_asked' },
      ],
    });
    expect((await candles('&limit=8')).body.coverage).toMatchObject({ complete: true, gaps: [] });
  });

  test('the day of every instrument comes at once: hourly closes without missing ones, none of a silent venue', async () => {
    const { body } = await get('/v1/candles/day?limit=200');
    const keys = body.items.map(({ venue, instrument }: { venue: string; instrument: string }) => `${venue}:${instrument}`);
    expect(keys).toEqual(CATALOG.entries.map(({ key }) => key).sort());
    const bitcoin = body.items.find(({ instrument }: { instrument: string }) => instrument === 'BTCUSDT');
    expect(bitcoin.bars).toHaveLength(22);
    expect(bitcoin.bars[0]).toEqual({ openTime: new Date(LAST - 24 * HOUR).toISOString(), close: '63275.5' });
    expect(bitcoin.bars.at(-1)).toEqual({ openTime: new Date(LAST - HOUR).toISOString(), close: '63296.5' });
    expect(body.items.find(({ instrument }: { instrument: string }) => instrument === 'AAPLx').bars).toEqual([]);
    const first = (await get('/v1/candles/day?limit=3')).body;
    const second = (await get(`/v1/candles/day?limit=3&cursor=${first.nextCursor}`)).body;
    expect([...first.items, ...second.items]).toEqual(body.items.slice(0, 6));
  });

  test('a long range comes in lossless pages: bars and gaps together fill it', async () => {
    let cursor: string | null = '';
    let count = 0;
    let missing = 0;
    let reached = new Date(LAST - 300 * HOUR).toISOString();
    while (cursor !== null) {
      const { body } = await candles(
        `&from=${reached === '' ? '' : new Date(LAST - 300 * HOUR).toISOString()}&limit=70${cursor === '' ? '' : `&cursor=${cursor}`}`,
      );
      expect(body.coverage.from).toBe(reached);
      reached = body.coverage.to;
      count += body.items.length;
      for (const gap of body.coverage.gaps) missing += gap.missing;
      cursor = body.nextCursor;
    }
    expect([count, missing, reached]).toEqual([297, 3, new Date(LAST).toISOString()]);
  });

  test('the forming bar is not expected; the future is empty', async () => {
    expect((await candles(`&from=${LAST}`)).body).toMatchObject({ items: [], coverage: { complete: true, gaps: [] } });
    expect((await candles(`&from=2030-01-01T00:00:00Z&to=2031-01-01`)).body).toMatchObject({ items: [], nextCursor: null });
  });

  test('unrecorded history is one gap, not an empty success', async () => {
    const { body } = await get('/v1/candles?venue=evmvenue&instrument=ETH&timeframe=1m&limit=30');
    expect(body).toMatchObject({ items: [], coverage: { complete: false, gaps: [{ missing: 30 }] } });
    expect((await get('/v1/candles?venue=reference&instrument=AAPL&timeframe=1h')).status).toBe(200);
  });

  test.each([
    ['', '&from=yesterday'],
    ['', '&from=2026-13-01'],
    ['', '&from=-1'],
    ['', '&to=1e9'],
    ['', '&from=99999999999999'],
    ['', '&from=2026-03-02&to=2026-03-01'],
    ['', '&from='],
  ])('the range %s%s is refused', async (_, query) => {
    expect((await candles(query)).body).toMatchObject({ status: 400, code: 'malformed' });
  });

  test('a wrong timeframe is malformed, an unknown instrument is not found', async () => {
    for (const timeframe of ['1d', '0h', '1000m', '1H', ''])
      expect((await get(`/v1/candles?venue=spotexchange&instrument=BTCUSDT&timeframe=${timeframe}`)).status).toBe(400);
    expect((await get('/v1/candles?venue=spotchain&instrument=BTCUSDT&timeframe=1h')).status).toBe(404);
  });
});

test('gaps: before, between, after, all and none', () => {
  expect(findGaps([20, 30, 60], 10, 80, 10)).toEqual([
    { from: 10, to: 20, missing: 1 },
    { from: 40, to: 60, missing: 2 },
    { from: 70, to: 80, missing: 1 },
  ]);
  expect(findGaps([], 10, 40, 10)).toEqual([{ from: 10, to: 40, missing: 3 }]);
  expect(findGaps([10, 20, 30], 10, 40, 10)).toEqual([]);
  expect(findGaps([], 10, 10, 10)).toEqual([]);
});

describe('order book', () => {
  test('comes with the requested depth, best first, with its quality', async () => {
    const level = (price: number) => ({ price: String(price), size: '1.25' });
    api.books.set('spotexchange:BTCUSDT', {
      source: 'test',
      observedAt: NOW,
      receivedAt: NOW,
      quality: 'live',
      flags: [],
      bids: Array.from({ length: 30 }, (_, i) => level(63000 - i)),
      asks: Array.from({ length: 30 }, (_, i) => level(63001 + i)),
    });
    const reply = await get('/v1/order-book?venue=spotexchange&instrument=BTCUSDT&depth=3');
    expect(reply.body).toMatchObject({
      venue: 'spotexchange',
      quality: 'live',
      bids: [level(63000), level(62999), level(62998)],
      asks: [level(63001), level(63002), level(63003)],
    });
    expect((await get('/v1/order-book?venue=spotexchange&instrument=BTCUSDT')).body.bids).toHaveLength(20);
  });

  test('is never invented: unknown instruments, silent venues and wrong requests are refused', async () => {
    expect((await get('/v1/order-book?venue=spotexchange&instrument=NOPE')).status).toBe(404);
    expect((await get('/v1/order-book?venue=evmvenue&instrument=BTC')).status).toBe(404);
    expect((await get('/v1/order-book?venue=reference&instrument=AAPL')).status).toBe(400);
    expect((await get('/v1/order-book?venue=spotexchange')).body.problems).toMatchObject([
      { path: 'query.instrument', problem: 'missing' },
    ]);
    expect((await get('/v1/order-book?venue=spotexchange&instrument=BTCUSDT&depth=0')).status).toBe(400);
  });
});

describe('catalog', () => {
  test('has the verified mint, the live price and the benchmark of each asset', async () => {
    receive(
      quote('spotchain', 'AAPLx', '197', '199'),
      reference('AAPL', '200'),
      quote('spotchain', 'SPACEX', '110', '110'),
      reference('SPACEX', '100'),
    );
    const { body } = await get('/v1/catalog?limit=200');
    expect(body.items.map((item: { key: string }) => item.key)).toEqual(CATALOG.entries.map(({ key }) => key).sort());
    const by = (key: string) => body.items.find((item: { key: string }) => item.key === key);
    expect(by('spotchain:AAPLx')).toMatchObject({
      mint: CATALOG.bySymbol('AAPLx')?.token?.mint,
      livePrice: '198',
      referencePrice: '200',
      issuerMark: null,
      gapPct: -1,
      classification: 'tokenequity-solana',
    });
    expect(by('spotchain:SPACEX')).toMatchObject({ livePrice: '110', referencePrice: null, issuerMark: '100', gapPct: 10 });
    expect(by('spotexchange:BTCUSDT')).toMatchObject({
      mint: null,
      livePrice: null,
      livePriceQuality: null,
      gapPct: null,
      pairedPerp: 'evmvenue:BTC',
    });
  });

  test('is filtered and paged', async () => {
    const perps = await get('/v1/catalog?kind=perp');
    const onShares = ['AAPL', 'AMZN', 'COIN', 'GOOGL', 'META', 'MSFT', 'MSTR', 'NVDA', 'TSLA'].map((symbol) => `xyz:${symbol}`);
    expect(perps.body.items.map((item: { instrument: string }) => item.instrument)).toEqual(['BTC', 'ETH', 'SOL', ...onShares]);
    const first = await get('/v1/catalog?kind=perp&limit=11');
    expect((await get(`/v1/catalog?kind=perp&limit=11&cursor=${first.body.nextCursor}`)).body).toMatchObject({
      items: [{ instrument: 'xyz:TSLA' }],
      nextCursor: null,
    });
  });
});
