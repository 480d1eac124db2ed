// Channels of the newest state over a real socket: a snapshot, then conflated changes, and bars without omissions.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Sql } from '../../../src/adapters/store/database.ts';
import type { StoredCandle } from '../../../src/domain/candles/candle.ts';
import type { DayTicker, MarketState, OrderBookSnapshot, VenueState } from '../../../src/domain/market/market-state.ts';
import type { PerpContext } from '../../../src/domain/market/quote.ts';
import { createLiveClock } from '../../../streams/clock/live-clock.ts';
import { waitFor } from '../../harness/wait-for.ts';
import { type FeedSocket, openSocket } from '../../journeys/feed-clients.ts';
import { openFixture, openFixtureDatabase, type Stage } from './fixture.ts';

const MINUTE = 60_000;
const live = createLiveClock();
let sql: Sql;
let fixture: Stage;
/** Bars that the venue has so far. */
const bars: StoredCandle[] = [];
/** Lead of the feeds' time in milliseconds, so that a minute ends when a test wants it to. */
let shift = 0;

beforeAll(async () => {
  sql = await openFixtureDatabase();
  fixture = await openFixture(sql, {
    clock: { ...live, now: () => live.now() + shift, deadline: (at, call) => live.deadline(at - shift, call) },
    candles: { range: async ({ from, to, limit }) => bars.filter(({ openTime }) => openTime >= from && openTime < to).slice(0, limit) },
  });
});
afterAll(async () => {
  await fixture.close();
  await sql.end();
});

const open = (): Promise<FeedSocket> => openSocket(`http://127.0.0.1:${fixture.port}`, 'ours');
const stateOf = (venue: 'spotexchange' | 'evmvenue', over: Partial<VenueState> = {}): VenueState => ({
  kind: 'venue_state',
  venue,
  receivedAt: live.now() + shift,
  hearing: 'live',
  detail: '',
  degradedSince: null,
  heardAt: live.now() + shift,
  providers: [],
  clockOffset: null,
  gaps: 0,
  messages: 1,
  rejected: 0,
  budgets: [],
  ...over,
});
const book = (sequence: number, over: Partial<OrderBookSnapshot> = {}): OrderBookSnapshot => ({
  kind: 'order_book',
  venue: 'spotexchange',
  instrument: 'BTCUSDT',
  source: 'binance:depth',
  observedAt: live.now() + shift,
  receivedAt: live.now() + shift,
  sequence,
  bids: [
    ['10', '1'],
    ['9', '2'],
    ['8', '3'],
  ],
  asks: [
    ['11', '1'],
    ['12', '2'],
    ['13', '3'],
  ],
  quality: 'live',
  flags: [],
  ...over,
});
const ticker = (instrument: string, lastPrice: string): DayTicker => ({
  kind: 'day_ticker',
  venue: 'spotexchange',
  instrument,
  source: 'binance:24hrTicker',
  observedAt: live.now() + shift,
  receivedAt: live.now() + shift,
  openTime: 0,
  closeTime: 1,
  openPrice: '1',
  highPrice: '3',
  lowPrice: '1',
  lastPrice,
  priceChange: '1',
  priceChangePct: '100',
  weightedAveragePrice: '2',
  volume: '5',
  quoteVolume: '10',
  trades: 3,
});
const publish = (...states: MarketState[]): void => states.forEach((state) => fixture.states.publish(state));

test('only the newest of many changes is sent, at the requested depth', async () => {
  publish(stateOf('spotexchange'), book(1));
  const socket = await open();
  socket.send({ op: 'subscribe', id: 1, channel: 'order_book', params: { venue: 'spotexchange', instrument: 'BTCUSDT', depth: 2 } });
  const snapshot = await socket.frame('a book', ({ type }) => type === 'snapshot');
  expect(snapshot.data).toMatchObject([{ sequence: 1, quality: 'live', resyncing: false }]);
  expect(snapshot.data[0].bids).toEqual([
    { price: '10', size: '1' },
    { price: '9', size: '2' },
  ]);
  for (let sequence = 2; sequence <= 200; sequence++) publish(book(sequence));
  await socket.frame('the newest book', ({ data }) => data?.sequence === 200);
  const updates = socket.updates('order_book');
  expect(updates.length).toBeLessThan(20);
  expect(updates.map(({ seq }) => seq)).toEqual(updates.map((_, index) => snapshot.seq + 1 + index));
  await socket.close();
});

test('a book under repair says so, and a book of an unreceived venue has no value', async () => {
  const socket = await open();
  socket.send({ op: 'subscribe', id: 1, channel: 'order_book', params: { venue: 'spotexchange', instrument: 'BTCUSDT' } });
  // The snapshot includes what was published before; only later changes are updates.
  await socket.frame('a snapshot', ({ type }) => type === 'snapshot');
  publish(book(300, { quality: 'degraded', flags: ['gap', 'resyncing'] }));
  const repaired = await socket.frame('a book', ({ data }) => data?.sequence === 300);
  expect(repaired.data).toMatchObject({ quality: 'degraded', resyncing: true, flags: ['gap', 'resyncing'] });
  publish(stateOf('spotexchange', { hearing: 'feed_down', receivedAt: live.now() + shift + 1 }), book(301));
  const lost = await socket.frame('a book', ({ data }) => data?.sequence === 301);
  expect(lost.data).toMatchObject({ quality: 'degraded', flags: ['feed_down'] });
  publish(stateOf('spotexchange', { receivedAt: live.now() + shift + 2 }));
  await socket.close();
});

test('tickers and perpetuals reach only their subscribers', async () => {
  const perp: PerpContext = {
    kind: 'perp_context',
    venue: 'evmvenue',
    instrument: 'BTC',
    source: 'hyperliquid:activeAssetCtx',
    observedAt: live.now() + shift,
    receivedAt: live.now() + shift,
    markPrice: '101',
    oraclePrice: '100',
    hourlyFunding: '0.0000125',
    openInterest: '2',
    dayNotional: '7',
  };
  const socket = await open();
  socket.send({ op: 'subscribe', id: 1, channel: 'tickers', params: { instrument: 'ETHUSDT' } });
  socket.send({ op: 'subscribe', id: 2, channel: 'perps' });
  await socket.frame('the subscription', ({ id, type }) => id === 2 && type === 'subscribed');
  publish(stateOf('evmvenue'), ticker('BTCUSDT', '2'), ticker('ETHUSDT', '3'), perp);
  const frame = await socket.frame('a perpetual', ({ channel, type }) => channel === 'perps' && type === 'update');
  expect(frame.data).toMatchObject({ basisPct: '1', annualFundingPct: '10.95', openInterestNotional: '202', top: null, quality: 'live' });
  await socket.frame('a ticker', ({ channel, type }) => channel === 'tickers' && type === 'update');
  expect(socket.updates('tickers').map(({ data }) => data.instrument)).toEqual(['ETHUSDT']);
  await socket.close();
});

test('each bar comes once it has closed, late ones too, and a missing one is not invented', async () => {
  // Five seconds before the end of a minute.
  shift += MINUTE - ((live.now() + shift) % MINUTE) - 5_000;
  const slot = Math.floor((live.now() + shift) / MINUTE) * MINUTE;
  const bar = (openTime: number): StoredCandle => ({ openTime, open: '1', high: '2', low: '1', close: '2', volume: '3', source: 'test' });
  bars.push(bar(slot - 3 * MINUTE), bar(slot - MINUTE));
  const socket = await open();
  socket.send({ op: 'subscribe', id: 1, channel: 'candles', params: { venue: 'spotexchange', instrument: 'BTCUSDT', timeframe: '1m' } });
  const snapshot = await socket.frame('bars', ({ type }) => type === 'snapshot');
  const openTimes = (data: { openTime: string }[]) => data.map(({ openTime }) => (Date.parse(openTime) - slot) / MINUTE);
  expect(openTimes(snapshot.data)).toEqual([-3, -1]);
  // The next minute ends: its bar is there, and the missing one too.
  bars.push(bar(slot - 2 * MINUTE), bar(slot));
  bars.sort((a, b) => a.openTime - b.openTime);
  await waitFor(() => socket.updates('candles').length >= 2, { what: 'the bars', deadlineMs: 20_000 });
  expect(openTimes(socket.updates('candles').map(({ data }) => data))).toEqual([-2, 0]);
  expect(socket.updates('candles')[1]?.data).toMatchObject({ venue: 'spotexchange', timeframe: '1m', close: '2' });
  await socket.close();
});

test.each([
  [{ venue: 'spotexchange', instrument: 'BTCUSDT', depth: 51 }, 'order_book'],
  [{ venue: 'spotexchange' }, 'order_book'],
  [{ venue: 'reference', instrument: 'AAPL' }, 'order_book'],
  [{ instrument: 'NOPE' }, 'tickers'],
  [{ venue: 'spotexchange', instrument: 'BTCUSDT', timeframe: '1d' }, 'candles'],
  [{ coin: 'BTC' }, 'perps'],
])('the parameters %j of %s are refused', async (params, channel) => {
  const socket = await open();
  socket.send({ op: 'subscribe', id: 7, channel, params });
  expect(await socket.frame('a refusal', ({ id }) => id === 7)).toMatchObject({ type: 'error', code: 'invalid_params' });
  await socket.close();
});
