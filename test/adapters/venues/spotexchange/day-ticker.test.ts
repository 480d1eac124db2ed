// Rolling day statistics of the spot exchange: the stream's form, and what is refused.
import { expect, test } from 'vitest';
import { combinedStreamPath } from '../../../../src/adapters/venues/spotexchange/feed.ts';
import { mapSpotFrame, streamSymbols } from '../../../../src/adapters/venues/spotexchange/map.ts';

// Example of the venue's own documentation.
const DATA = {
  e: '24hrTicker',
  E: 1672515782136,
  s: 'BNBBTC',
  p: '0.0015',
  P: '250.00',
  w: '0.0018',
  x: '0.0009',
  c: '0.0025',
  Q: '10',
  b: '0.0024',
  B: '10',
  a: '0.0026',
  A: '100',
  o: '0.0010',
  h: '0.0025',
  l: '0.0010',
  v: '10000',
  q: '18',
  O: 0,
  C: 1675216573749,
  F: 0,
  L: 18150,
  n: 18151,
};
const read = (data: object, stream = 'bnbbtc@ticker') =>
  mapSpotFrame(Buffer.from(JSON.stringify({ stream, data })), 1672515782200, streamSymbols(['BNBBTC']));

test('every number keeps its spelling', () => {
  expect(read(DATA)).toEqual([
    {
      kind: 'day_ticker',
      venue: 'spotexchange',
      instrument: 'BNBBTC',
      source: 'binance:24hrTicker',
      observedAt: 1672515782136,
      receivedAt: 1672515782200,
      openTime: 0,
      closeTime: 1675216573749,
      openPrice: '0.0010',
      highPrice: '0.0025',
      lowPrice: '0.0010',
      lastPrice: '0.0025',
      priceChange: '0.0015',
      priceChangePct: '250.00',
      weightedAveragePrice: '0.0018',
      volume: '10000',
      quoteVolume: '18',
      trades: 18151,
    },
  ]);
});

test.each([
  [{ ...DATA, c: 0.0025 }, 'bad_number'],
  [{ ...DATA, q: '1e5' }, 'bad_number'],
  [{ ...DATA, n: undefined }, 'missing_field'],
  [{ ...DATA, O: '0' }, 'missing_field'],
  [{ ...DATA, s: 'ETHBTC' }, 'unknown_instrument'],
])('%j is refused as %s', (data, reason) => {
  expect(read(data)).toMatchObject([{ kind: 'rejection', reason }]);
});

test('they are followed only if requested', () => {
  expect(combinedStreamPath(['BTCUSDT'])).toBe('/stream?streams=btcusdt@bookTicker');
  expect(combinedStreamPath(['BTCUSDT'], { tickers: true })).toBe('/stream?streams=btcusdt@bookTicker/btcusdt@ticker');
});
