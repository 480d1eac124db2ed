/** Order books on demand: one request budget per venue, and a book whose own time is not of now is not live. */
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import type { Addresses } from '../../src/boot/addresses.ts';
import { createOrderBooks, createRequestBudgets, createVenues } from '../../src/boot/venues.ts';
import { createLiveClock } from '../../streams/live-clock.ts';

const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup();
});

const level = (px: string) => ({ px, sz: '1', n: 1 });

/** A venue whose book is `offsetMs` away from now by its own time. */
async function venue(offsetMs: number, sides: readonly [readonly object[], readonly object[]] = [[level('100')], [level('101')]]) {
  const clock = createLiveClock();
  const server = http.createServer((_request, response) =>
    response.end(JSON.stringify({ coin: 'BTC', time: clock.now() + offsetMs, levels: sides })),
  );
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  cleanups.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const addresses: Addresses = {
    spotexchange: { url, streamUrl: 'ws://127.0.0.1:9' },
    evmvenue: { url, streamUrl: 'ws://127.0.0.1:9' },
    reference: { url, key: null },
    referenceFallback: null,
    spotchain: { url, key: null, candlesUrl: url, pools: new Map(), rpcUrl: null, makers: [] },
    evmchain: { url: 'http://127.0.0.1:9', chainId: 1, tokens: [] },
    signerUrl: null,
    issuerUrl: url,
    issuerProvider: 'prestocks',
    newsUrl: url,
    intelligence: {
      newsKey: null,
      tvlUrl: url,
      macro: { url: url, key: '' },
      filings: { url: url, contact: '', archiveUrl: null },
      social: { url: url, key: null, siteUrl: null },
    },
    prediction: {
      polymarket: { gammaUrl: url, clobUrl: url, dataUrl: url, streamUrl: 'ws://127.0.0.1:9' },
      kalshi: { url: url, streamUrl: 'ws://127.0.0.1:9', key: null },
      onchain: null,
    },
    identity: { issuer: 'x', audience: 'x', jwksUrl: url },
  };
  const budgets = createRequestBudgets();
  return { clock, addresses, budgets, books: createOrderBooks(addresses, clock, () => 0.5, budgets) };
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

test('what histories have spent of a venue’s budget is not there for order books', async () => {
  const { addresses, budgets, books, clock } = await venue(0);
  const history = createVenues(addresses, clock, () => 0.5, budgets).histories.evmvenue;
  // The page that this asks for weighs 104 of the 1,200; the answer is no list, which is refused after it was paid for.
  for (let page = 0; page < 11; page++) await expect(history?.fetchCandles('BTC', '1m', 0, clock.now())).rejects.toThrow('not a list');
  for (let book = 0; book < 28; book++) expect(await books.read('evmvenue', 'BTC', 1)).toMatchObject({ ok: true });
  expect(await books.read('evmvenue', 'BTC', 1)).toMatchObject({ ok: false, refusal: { code: 'unavailable' } });
});
