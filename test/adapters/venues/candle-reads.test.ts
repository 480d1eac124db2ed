// Bars of the API come from the store, or from the venue if the store has none: six years, requested once.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createCandleStore } from '../../../src/adapters/store/candles/candle-store.ts';
import { openDatabase, type Sql } from '../../../src/adapters/store/database.ts';
import { createCandleReads } from '../../../src/adapters/venues/candle-reads.ts';
import { createSpotCandles } from '../../../src/adapters/venues/spotexchange/candles.ts';
import { createSpotRest } from '../../../src/adapters/venues/spotexchange/rest.ts';
import { VenueError } from '../../../src/adapters/venues/venue-feed.ts';
import { createLog } from '../../../src/adapters/log/log.ts';
import { createSeededMarket } from '../../../src/sandbox/market/seeded-market.ts';
import { createSpotExchangeSimulator, type SpotExchangeSimulator } from '../../../src/sandbox/spotexchange/simulator.ts';
import { createLiveClock } from '../../../streams/clock/live-clock.ts';
import { createVirtualClock } from '../../../streams/clock/virtual-clock.ts';
import { testDatabase } from '../../harness/postgres.ts';
import { waitFor } from '../../harness/wait-for.ts';

const HOUR = 3_600_000;
const clock = createLiveClock();
const market = createSeededMarket({ seed: 1 });
let sql: Sql;
let simulator: SpotExchangeSimulator;

beforeAll(async () => {
  sql = openDatabase({ url: await testDatabase(), name: 'test' });
  simulator = await createSpotExchangeSimulator({ market, clock, port: 0 });
});
afterAll(async () => {
  await simulator.close();
  await sql.end();
});

const reads = (fetchCandles: ReturnType<typeof createSpotCandles>['fetchCandles']) =>
  createCandleReads({ store: createCandleStore(sql), histories: { spotexchange: { fetchCandles } }, clock, log: createLog('silent') });

test('bars of six years ago are there at the first request, equal those of the market, and are requested once', async () => {
  const history = createSpotCandles(createSpotRest({ baseUrl: simulator.url, clock, random: () => 0.5 }), clock);
  let asked = 0;
  const candles = reads((...query) => {
    asked++;
    return history.fetchCandles(...query);
  });
  const to = Math.floor(clock.now() / HOUR) * HOUR - 6 * 365 * 24 * HOUR;
  const query = { venue: 'spotexchange', instrument: 'BTCUSDT', timeframe: '1h', from: to - 500 * HOUR, to, limit: 200 } as const;
  const found = await candles.range(query);
  expect(found).toHaveLength(200);
  const expected = market.candles('spot', 'BTC', HOUR, query.from, query.from + 200 * HOUR);
  expect(found.map(({ openTime, close }) => [openTime, Number(close)])).toEqual(
    expected.map(({ openTime, close }) => [openTime, Number(close)]),
  );
  expect(await candles.range(query)).toEqual(found);
  expect(asked).toBe(1);
  expect(found[0]?.source).toBe('spotexchange:candles');
});

test('a silent venue is waited for briefly and asked once, and its late bars are stored', async () => {
  const virtual = createVirtualClock(20 * HOUR);
  let asked = 0;
  let answer = (): void => {};
  const bar = { openTime: 0, open: '1', high: '1', low: '1', close: '1', volume: '1' };
  const candles = createCandleReads({
    store: createCandleStore(sql),
    histories: {
      spotexchange: {
        fetchCandles: () => {
          asked++;
          return new Promise((resolve) => {
            answer = () => resolve([bar]);
          });
        },
      },
    },
    clock: virtual,
    log: createLog('silent'),
  });
  const query = { venue: 'spotexchange', instrument: 'SOLUSDT', timeframe: '1h', from: 0, to: HOUR, limit: 50, askAgainMs: 1_000 } as const;
  const first = candles.range(query);
  await waitFor(() => asked > 0, { what: 'the request for the bars' });
  virtual.advanceTo(virtual.now() + 6_000);
  expect(await first).toEqual([]);
  expect(await Promise.all([candles.range(query), candles.range(query)])).toEqual([[], []]);
  answer();
  await waitFor(async () => (await candles.range(query)).length > 0, { what: 'the late bar' });
  expect(asked).toBe(1);
});

test('a refusing venue leaves the gap, and is not asked again at once', async () => {
  let asked = 0;
  const candles = reads(async () => {
    asked++;
    throw new VenueError('spotexchange', 503, 'http_503', 'busy');
  });
  const query = { venue: 'spotexchange', instrument: 'ETHUSDT', timeframe: '1h', from: 0, to: 10 * HOUR, limit: 50 } as const;
  const answers = await Promise.all([candles.range(query), candles.range(query), candles.range(query)]);
  expect(answers).toEqual([[], [], []]);
  expect(asked).toBe(1);
});
