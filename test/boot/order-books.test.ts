/** Order books on demand: one request budget per venue, and a book with an old time of its own is not live. */
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { createMetrics } from '../../src/adapters/log/metrics.ts';
import { createPredictionAsking } from '../../src/adapters/venues/prediction/access.ts';
import { createOrderBooks, createRequestBudgets, createVenues } from '../../src/boot/outside/index.ts';
import { CATALOG } from '../../src/domain/catalog/catalog.ts';
import { createLiveClock } from '../../streams/clock/live-clock.ts';
import { createVirtualClock } from '../../streams/clock/virtual-clock.ts';
import { NOON } from '../adapters/venues/spotexchange/tiny-world.ts';
import { sampleMarket } from '../domain/prediction/samples.ts';
import { waitFor } from '../harness/wait-for.ts';
import { outsideAddresses } from '../world/outside-addresses.ts';

const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup();
});

const level = (px: string) => ({ px, sz: '1', n: 1 });

/** Starts a venue whose book's own time is `offsetMs` from now, or that answers something else, or nothing, to everything. */
async function venue(
  offsetMs: number,
  sides: readonly [readonly object[], readonly object[]] = [[level('100')], [level('101')]],
  instead?: unknown,
  onSilent?: () => void,
) {
  const clock = createLiveClock();
  const server = http.createServer((_request, response) => {
    if (onSilent === undefined) response.end(JSON.stringify(instead ?? { coin: 'BTC', time: clock.now() + offsetMs, levels: sides }));
    else onSilent();
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  cleanups.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const addresses = outsideAddresses(() => url);
  const reach = { addresses, budgets: createRequestBudgets(), clock, random: () => 0.5, note: () => {} };
  return { reach, books: createOrderBooks(reach) };
}

test.each([
  [0, 'live', []],
  [-3_600_000, 'stale', ['over_age']],
  [3_600_000, 'degraded', ['clock_skew']],
])('a book that is %i ms off by its own time is %s', async (offsetMs, quality, flags) => {
  const { books } = await venue(offsetMs);
  expect(await books.read('evmvenue', 'BTC', 5)).toMatchObject({ ok: true, value: { quality, flags } });
});

test('a crossed or one-sided book is degraded', async () => {
  const crossed = await venue(0, [[level('102')], [level('101')]]);
  expect(await crossed.books.read('evmvenue', 'BTC', 5)).toMatchObject({ value: { quality: 'degraded', flags: ['crossed'] } });
  const oneSided = await venue(0, [[], [level('101')]]);
  expect(await oneSided.books.read('evmvenue', 'BTC', 5)).toMatchObject({ value: { quality: 'degraded', flags: ['one_sided'] } });
});

test.each(['spotexchange', 'evmvenue'] as const)('the book of a silent %s is requested once, and is soon unavailable', async (name) => {
  const clock = createVirtualClock(NOON);
  let asked = 0;
  const { reach } = await venue(0, undefined, undefined, () => asked++);
  const books = createOrderBooks({ ...reach, clock, budgets: createRequestBudgets() });
  const read = books.read(name, name === 'evmvenue' ? 'BTC' : 'BTCUSDT', 5);
  await waitFor(() => asked > 0, { what: 'the request for the book' });
  await clock.settleTo(NOON + 5_000);
  expect(await read).toMatchObject({ ok: false, refusal: { code: 'unavailable' } });
  expect(asked).toBe(1);
});

test('the budget that histories have used at a venue is not available for order books', async () => {
  const { reach, books } = await venue(0);
  const history = createVenues(reach).histories.evmvenue;
  // This page costs 104 of the budget of 1,200. The answer is not a list, which is refused after the cost.
  for (let page = 0; page < 11; page++)
    await expect(history?.fetchCandles('BTC', '1m', 0, reach.clock.now())).rejects.toThrow('not a list');
  for (let book = 0; book < 28; book++) expect(await books.read('evmvenue', 'BTC', 1)).toMatchObject({ ok: true });
  expect(await books.read('evmvenue', 'BTC', 1)).toMatchObject({ ok: false, refusal: { code: 'unavailable' } });
});

test('unknown members of single answers are in the metrics, by their source', async () => {
  const metrics = createMetrics();
  const note = metrics.unknownField;
  // One answer to everything: enough of each form, and a member unknown to all.
  const everything = {
    serverTime: 1,
    lastUpdateId: 1,
    bids: [],
    asks: [],
    s: 'no_data',
    data: { attributes: { ohlcv_list: [] } },
    orderbook_fp: { yes_dollars: [], no_dollars: [] },
    zzNew: 1,
  };
  const { reach } = await venue(0, undefined, everything);
  const { addresses, clock } = reach;
  const token = CATALOG.entries.find((entry) => entry.token !== null)?.instrument ?? '';
  const asking = { ...reach, note, addresses: { ...addresses, spotchain: { ...addresses.spotchain, pools: new Map([[token, 'P']]) } } };
  const to = clock.now();
  const { histories, extras } = createVenues(asking);
  for (const { ask } of extras.serverTimes) await ask();
  await createOrderBooks(asking).read('spotexchange', 'BTCUSDT', 5);
  await expect(histories.evmvenue?.fetchCandles('BTC', '1m', to - 60_000, to)).rejects.toThrow('not a list');
  await histories.spotchain?.fetchCandles(token, '1m', to - 60_000, to);
  await histories.reference?.fetchCandles('AAPL', '1m', to - 60_000, to);
  const predictions = createPredictionAsking(asking);
  await predictions.kalshi.book(sampleMarket('kalshi', 'KXF1-25-LN'));
  const text = await metrics.render();
  for (const source of [
    'binance:time',
    'binance:rest.depth',
    'hyperliquid:candleSnapshot',
    'geckoterminal:ohlcv',
    'pyth:history',
    'kalshi:orderbook',
  ])
    expect(text).toContain(`sevengate_asked_unknown_fields{source="${source}",field="zzNew"} 1`);
});
