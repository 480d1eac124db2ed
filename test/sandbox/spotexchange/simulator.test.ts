/** Adapter of the spot exchange with its simulator, over sockets, on virtual time. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { findParts, withJoinedBars } from '../../../src/adapters/venues/joined-bars.ts';
import { createSpotCandles, INTERVALS } from '../../../src/adapters/venues/spotexchange/candles.ts';
import { fetchOrderBook } from '../../../src/adapters/venues/spotexchange/depth.ts';
import {
  createSpotExchangeFeed,
  type SpotExchangeFeed,
  type SpotExchangeFeedOptions,
} from '../../../src/adapters/venues/spotexchange/feed.ts';
import { fetchInstruments, filterFailures } from '../../../src/adapters/venues/spotexchange/instruments.ts';
import { createSpotRest } from '../../../src/adapters/venues/spotexchange/rest.ts';
import { fetchDayTicker } from '../../../src/adapters/venues/spotexchange/ticker.ts';
import { VenueError } from '../../../src/adapters/venues/venue-feed.ts';
import type { VenueHttp } from '../../../src/adapters/venues/venue-http.ts';
import type { FeedMessage } from '../../../src/domain/market/market-event.ts';
import { seededRandom } from '../../../src/sandbox/faults.ts';
import { createSeededMarket } from '../../../src/sandbox/market/seeded-market.ts';
import { createSpotExchangeSimulator, type SpotExchangeSimulator } from '../../../src/sandbox/spotexchange/simulator.ts';
import { createVirtualClock, type VirtualClock } from '../../../streams/clock/virtual-clock.ts';
import { drive, NOON, ofKind, tinyMarket, until } from '../../adapters/venues/spotexchange/tiny-world.ts';

const HOUR_MS = 3_600_000;
let clock: VirtualClock;
let simulator: SpotExchangeSimulator;
let rest: VenueHttp;
const cleanups: (() => void)[] = [];

beforeEach(async () => {
  clock = createVirtualClock(NOON);
  simulator = await createSpotExchangeSimulator({ market: tinyMarket(), clock, port: 0, seed: 3 });
  rest = createSpotRest({ baseUrl: simulator.url, clock, random: seededRandom(1) });
});

afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) cleanup();
  rest.close();
  await simulator.close();
});

function listen(options: Partial<SpotExchangeFeedOptions> = {}): { feed: SpotExchangeFeed; received: FeedMessage[] } {
  const feed = createSpotExchangeFeed({
    streamUrl: simulator.wsUrl,
    rest,
    clock,
    random: seededRandom(2),
    instruments: ['BTCUSDT', 'ETHUSDT', 'SOLUSDT'],
    ...options,
  });
  const received: FeedMessage[] = [];
  const subscription = feed.messages.subscribe({
    next: (message) => received.push(message),
    error: (error: Error) => expect.fail(error.message),
  });
  cleanups.push(() => subscription.unsubscribe());
  return { feed, received };
}

describe('the live feed', () => {
  test('quotes of every instrument arrive three to ten times a second, numbered upwards', async () => {
    const { received } = listen();
    await drive(clock, 'all instruments are quoted', () => new Set(ofKind(received, 'quote').map((quote) => quote.instrument)).size === 3);
    const from = clock.now();
    await drive(clock, 'ten seconds have passed', () => clock.now() >= from + 10_000);
    expect(received[0]).toMatchObject({ kind: 'feed_status', status: 'connected', epoch: 1 });
    expect(ofKind(received, 'rejection')).toEqual([]);
    const quotes = ofKind(received, 'quote').filter((quote) => quote.instrument === 'BTCUSDT' && quote.receivedAt >= from);
    expect(quotes.length).toBeGreaterThanOrEqual(29);
    expect(quotes.length).toBeLessThanOrEqual(101);
    for (const [index, quote] of quotes.entries()) {
      expect(quote).toMatchObject({ venue: 'spotexchange', quality: 'live', sourceTime: false });
      expect(Number(quote.bid)).toBeLessThan(Number(quote.ask));
      if (index > 0) expect(quote.sequence as number).toBeGreaterThan(quotes[index - 1]?.sequence as number);
    }
  });

  test('the local book is the simulator’s book, level by level', async () => {
    const { feed } = listen();
    await drive(clock, 'the book is synchronised', () => feed.book('BTCUSDT', 20) !== null);
    const from = clock.now();
    await drive(clock, 'some differences were applied', () => clock.now() > from + 3_000);
    // The clock stands still from here, so that both sides use the same time.
    const remote = await fetchOrderBook(rest, clock, 'BTCUSDT', 20);
    await until('the last difference has arrived', () => feed.book('BTCUSDT', 20)?.sequence === remote.sequence);
    const local = feed.book('BTCUSDT', 20);
    expect(local?.bids).toEqual(remote.bids);
    expect(local?.asks).toEqual(remote.asks);
    expect(local?.bids.length).toBe(20);
    expect(local?.flags).toEqual([]);
  });

  test('a lost update degrades the quotes until a new snapshot fits', async () => {
    const { feed, received } = listen({ instruments: ['BTCUSDT'] });
    await drive(clock, 'the book is synchronised', () => feed.book('BTCUSDT', 5) !== null);
    simulator.faults.set({ gap: 1 });
    const lostFrom = clock.now();
    await drive(clock, 'an update was lost', () => clock.now() > lostFrom + 1_000);
    // The snapshot is delayed, else the book is complete again before the next quote.
    simulator.faults.set({ gap: 0, slowMs: 2_000 });
    await drive(clock, 'the gap is seen', () => ofKind(received, 'quote').some((quote) => quote.flags.includes('resyncing')));
    expect(ofKind(received, 'quote').find((quote) => quote.flags.includes('resyncing'))).toMatchObject({
      quality: 'degraded',
      flags: ['gap', 'resyncing'],
    });
    expect(feed.book('BTCUSDT', 5)?.flags).toEqual(['gap', 'resyncing']);
    await drive(clock, 'the quotes are live again', () => ofKind(received, 'quote').at(-1)?.quality === 'live');
    expect(feed.book('BTCUSDT', 5)?.flags).toEqual([]);
    expect(ofKind(received, 'feed_status').length).toBe(1);
  });

  test('a frozen socket is closed after its silence limit, and the next connection has the next epoch', async () => {
    const { received } = listen({ silenceMs: 5_000 });
    await drive(clock, 'quotes arrive', () => ofKind(received, 'quote').length > 3);
    simulator.faults.set({ freeze: true });
    const frozenAt = clock.now();
    await drive(clock, 'the watchdog notices', () => ofKind(received, 'feed_status').at(-1)?.status === 'disconnected', 50);
    expect(clock.now() - frozenAt).toBeLessThan(30_000);
    simulator.faults.reset();
    const quotes = ofKind(received, 'quote').length;
    await drive(clock, 'quotes arrive again', () => ofKind(received, 'quote').length > quotes, 50);
    expect(ofKind(received, 'feed_status').map(({ status, epoch }) => `${status} ${epoch}`)).toEqual([
      'connected 1',
      'disconnected 1',
      'connected 2',
    ]);
  });

  test('with one garbage frame in a hundred, every good quote arrives and every bad frame is counted', async () => {
    const { received } = listen({ books: false });
    simulator.faults.set({ garbage: 0.01 });
    await drive(clock, 'a thousand quotes arrived', () => ofKind(received, 'quote').length >= 1_000, 100);
    const rejections = ofKind(received, 'rejection');
    expect(rejections.length).toBeGreaterThan(2);
    expect(rejections.length).toBeLessThan(40);
    for (const rejection of rejections) expect(rejection.sample.length).toBeLessThanOrEqual(200);
    expect(ofKind(received, 'feed_status').length).toBe(1);
    expect(ofKind(received, 'quote').every((quote) => quote.quality === 'live')).toBe(true);
  });

  test('a frame of 10 MB is counted, and costs the connection but not the process', async () => {
    const { received } = listen();
    await drive(clock, 'quotes arrive', () => ofKind(received, 'quote').length > 3);
    simulator.faults.set({ bigFrame: 1 });
    await drive(clock, 'the frame is refused', () => ofKind(received, 'rejection').some((rejection) => rejection.reason === 'too_large'));
    simulator.faults.reset();
    await drive(clock, 'the feed is back', () =>
      ofKind(received, 'feed_status').some((status) => status.epoch === 2 && status.status === 'connected'),
    );
  });

  test('wrong prices are refused or flagged, right ones continue', async () => {
    const { received } = listen({ instruments: ['BTCUSDT'], books: false });
    simulator.faults.set({ zeroPrice: 0.2, negativePrice: 0.2, nanPrice: 0.2 });
    await drive(
      clock,
      'each has happened',
      () => new Set(ofKind(received, 'rejection').map(({ reason }) => reason)).size === 2 && ofKind(received, 'quote').length > 3,
    );
    expect(new Set(ofKind(received, 'rejection').map(({ reason }) => reason))).toEqual(new Set(['non_positive_price', 'bad_number']));
    for (const quote of ofKind(received, 'quote')) expect(Number(quote.bid)).toBeGreaterThan(90_000);
    simulator.faults.set({ zeroPrice: 0, negativePrice: 0, nanPrice: 0, crossed: 1 });
    await drive(
      clock,
      'a crossed quote arrives',
      () => Number(ofKind(received, 'quote').at(-1)?.bid) > Number(ofKind(received, 'quote').at(-1)?.ask),
    );
  });

  test('an endless loop of disconnections causes fewer than 60 attempts in ten minutes', async () => {
    simulator.faults.set({ disconnectLoop: true });
    const { received } = listen();
    await drive(clock, 'ten minutes have passed', () => clock.now() >= NOON + 600_000, 250, 9);
    const connections = ofKind(received, 'feed_status').filter(({ status }) => status === 'connected').length;
    expect(connections).toBeGreaterThan(10);
    expect(connections).toBeLessThan(60);
  });

  test('an announced shutdown causes an immediate reconnect', async () => {
    const { received } = listen();
    await drive(
      clock,
      'the connection is half a minute old',
      () => clock.now() > NOON + 30_000 && ofKind(received, 'quote').length > 3,
      50,
    );
    simulator.announceShutdown();
    await until('the announcement is received', () => ofKind(received, 'feed_status').at(-1)?.status === 'disconnected');
    const lostAt = clock.now();
    await drive(clock, 'the feed is back', () => ofKind(received, 'feed_status').at(-1)?.status === 'connected', 1);
    expect(clock.now() - lostAt).toBeLessThan(200);
  });

  test('it pings every 2 s, oftener than a quote may be old; the pongs are heartbeats, as the venue’s own pings are', async () => {
    const { received } = listen();
    await drive(clock, 'two pings came', () => ofKind(received, 'heartbeat').length >= 2, 100);
    expect(clock.now() - NOON).toBeGreaterThanOrEqual(4_000);
    expect(clock.now() - NOON).toBeLessThan(50_000);
  });

  test('closed bars are announced once each and equal the history', async () => {
    const { received } = listen({ instruments: ['BTCUSDT'], timeframes: ['1m'], books: false });
    await drive(clock, 'three bars closed', () => ofKind(received, 'candles').length >= 3, 100);
    const live = ofKind(received, 'candles').flatMap(({ candles }) => candles);
    const history = await createSpotCandles(rest, clock).fetchCandles('BTCUSDT', '1m', NOON, NOON + 3 * 60_000);
    expect(live.slice(0, 3)).toEqual(history);
    expect(history.map(({ openTime }) => openTime)).toEqual([NOON, NOON + 60_000, NOON + 120_000]);
  });

  test('unsubscribing closes the socket and every timer', async () => {
    const { received } = listen();
    await drive(clock, 'quotes arrive', () => ofKind(received, 'quote').length > 3);
    cleanups.splice(0)[0]?.();
    const count = received.length;
    await until('the simulator has noticed', () => {
      clock.advanceTo(clock.now() + 20);
      return clock.pending === 0;
    });
    expect(received.length).toBe(count);
  });
});

describe('history and statistics over REST', () => {
  test('six years of hourly bars come in pages, without gap or repeat, and never the open bar', async () => {
    const from = Math.floor((NOON - 6 * 365.25 * 24 * HOUR_MS) / HOUR_MS) * HOUR_MS;
    const source = createSpotCandles(rest, clock);
    const started = performance.now();
    const candles = await source.fetchCandles('ETHUSDT', '1h', from, NOON + 10 * HOUR_MS);
    expect(performance.now() - started).toBeLessThan(25_000);
    expect(candles.length).toBe((NOON - from) / HOUR_MS);
    for (const [index, candle] of candles.entries())
      if (candle.openTime !== from + index * HOUR_MS) expect.fail(`bar ${index} is at ${candle.openTime}`);
  });

  test('the seeded market’s history continues into its live price', async () => {
    const market = createSeededMarket({ seed: 5 });
    const seeded = await createSpotExchangeSimulator({ market, clock, port: 0 });
    const client = createSpotRest({ baseUrl: seeded.url, clock, random: seededRandom(1) });
    try {
      const candles = await createSpotCandles(client, clock).fetchCandles('BTCUSDT', '1m', NOON - 120_000, NOON);
      expect(candles.length).toBe(2);
      expect(Number(candles[1]?.close) / market.spot('BTC', NOON)).toBeCloseTo(1, 3);
    } finally {
      client.close();
      await seeded.close();
    }
  });

  test('refusals have the venue’s own codes', async () => {
    const source = createSpotCandles(rest, clock);
    await expect(source.fetchCandles('NOPE', '1h', NOON - HOUR_MS, NOON)).rejects.toMatchObject({
      name: 'VenueError',
      status: 400,
      code: '-1121',
      message: 'Invalid symbol.',
    });
    await expect(source.fetchCandles('BTCUSDT', '7m', NOON - HOUR_MS, NOON)).rejects.toMatchObject({ code: '-1120' });
  });

  test('an unavailable timeframe is joined from the longest bars that fit, each complete', async () => {
    const source = withJoinedBars(createSpotCandles(rest, clock), Object.keys(INTERVALS));
    const from = NOON - 100 * 24 * HOUR_MS;
    const days = (await source.fetchCandles('BTCUSDT', '24h', from, NOON)).filter(({ openTime }) => openTime >= from);
    const joined = await source.fetchCandles('BTCUSDT', '48h', from, NOON + 48 * HOUR_MS);
    expect(joined.length).toBeGreaterThan(47);
    for (const bar of joined) {
      const [first, second] = days.filter(({ openTime }) => openTime >= bar.openTime && openTime < bar.openTime + 48 * HOUR_MS);
      expect([bar.openTime % (48 * HOUR_MS), bar.open, bar.close]).toEqual([0, first?.open, second?.close]);
      expect(Number(bar.high)).toBe(Math.max(Number(first?.high), Number(second?.high)));
    }
    expect(await source.fetchCandles('BTCUSDT', '7m', NOON - HOUR_MS, NOON)).toHaveLength(8);
    expect(findParts('7m', Object.keys(INTERVALS))).toEqual({ timeframe: '1m', each: 7 });
  });

  test('the day’s statistics and the filters can be read', async () => {
    const ticker = await fetchDayTicker(rest, clock, 'BTCUSDT');
    expect(ticker.closeTime - ticker.openTime).toBe(24 * HOUR_MS);
    expect(Number(ticker.lastPrice)).toBeCloseTo(tinyMarket().spot('BTC', NOON), 4);
    expect(Number(ticker.lowPrice)).toBeLessThanOrEqual(Number(ticker.highPrice));
    const instruments = await fetchInstruments(rest, ['BTCUSDT', 'SOLUSDT']);
    expect(filterFailures(instruments.get('BTCUSDT') as never, { type: 'LIMIT', price: '95000.01', quantity: '0.00012' })).toEqual([]);
    expect([...instruments.keys()]).toEqual(['BTCUSDT', 'SOLUSDT']);
  });

  test('the budget keeps the adapter below the venue’s limit, whatever is requested', async () => {
    const modest = createSpotRest({ baseUrl: simulator.url, clock, random: seededRandom(1), weightPerMinute: 100, maxWaitMs: 600_000 });
    cleanups.push(() => modest.close());
    let done = false;
    const work = Promise.all(Array.from({ length: 5 }, () => fetchOrderBook(modest, clock, 'BTCUSDT', 1_000))).then(() => {
      done = true;
    });
    await drive(clock, 'five requests of weight 50 have passed a budget of 100 a minute', () => done, 500);
    await work;
    expect(clock.now() - NOON).toBeGreaterThanOrEqual(120_000);
  });

  test('429 is waited out as long as the venue says; insisting clients are banned with 418', async () => {
    simulator.faults.set({ status429: 1 });
    let outcome: unknown = null;
    const asked = fetchOrderBook(rest, clock, 'BTCUSDT', 5).then((book) => {
      outcome = book;
    });
    await drive(clock, 'the first refusal was received', () => clock.pending > 0 && clock.now() > NOON + 500);
    simulator.faults.reset();
    await drive(clock, 'the answer came after all', () => outcome !== null);
    await asked;
    expect(clock.now() - NOON).toBeGreaterThanOrEqual(1_000);
    const statuses = new Set<number>();
    for (let index = 0; index < 60; index++) {
      const response = await fetch(`${simulator.url}/api/v3/depth?symbol=BTCUSDT&limit=5000`);
      statuses.add(response.status);
      if (response.status !== 200) {
        expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
        expect(await response.json()).toMatchObject({ code: -1003 });
      }
    }
    expect([...statuses]).toEqual([200, 429, 418]);
    await expect(fetchOrderBook(rest, clock, 'BTCUSDT', 5)).rejects.toMatchObject({ status: 418, code: '-1003' });
    // From now on the client does not even send requests.
    await expect(fetchOrderBook(rest, clock, 'BTCUSDT', 5)).rejects.toSatisfy(
      (error) => error instanceof VenueError && error.code === 'budget_exhausted' && (error.retryAfterMs as number) > 60_000,
    );
  });
});

describe('the simulator keeps the venue’s rules', () => {
  async function socket(path: string): Promise<{ ws: WebSocket; frames: string[] }> {
    const ws = new WebSocket(`${simulator.wsUrl}${path}`);
    const frames: string[] = [];
    ws.on('message', (data) => frames.push(String(data)));
    ws.on('error', () => {});
    cleanups.push(() => ws.terminate());
    await until('the socket is open', () => ws.readyState === WebSocket.OPEN);
    return { ws, frames };
  }

  test('control messages are acknowledged by id and refused with the venue’s codes', async () => {
    const { ws, frames } = await socket('/ws');
    ws.send('{"method":"SUBSCRIBE","params":["btcusdt@bookTicker"],"id":7}');
    ws.send('{"method":"LIST_SUBSCRIPTIONS","id":8}');
    ws.send('{"method":"DANCE","id":9}');
    ws.send('not json');
    await until('all are answered', () => frames.length >= 4);
    expect(frames.slice(0, 3).map((frame) => JSON.parse(frame))).toMatchObject([
      { result: null, id: 7 },
      { result: ['btcusdt@bookTicker'], id: 8 },
      { code: 2, id: 9 },
    ]);
    expect(JSON.parse(frames[3] as string)).toMatchObject({ code: 3 });
    await drive(clock, 'a raw frame arrives', () => frames.length > 4);
    expect(Object.keys(JSON.parse(frames[4] as string))).toEqual(['u', 's', 'b', 'B', 'a', 'A']);
  });

  test('more than five messages in a second cost the connection', async () => {
    const { ws } = await socket('/ws');
    for (let id = 0; id < 6; id++) ws.send(JSON.stringify({ method: 'LIST_SUBSCRIPTIONS', id }));
    await until('the socket is closed', () => ws.readyState === WebSocket.CLOSED);
  });

  test('a simulator on another port gives the same prices for the same seed and time', async () => {
    const other = await createSpotExchangeSimulator({ market: tinyMarket(), clock, port: 0, seed: 3 });
    try {
      const path = '/api/v3/depth?symbol=BTCUSDT&limit=20';
      const [first, second] = await Promise.all([simulator.url, other.url].map(async (url) => (await fetch(url + path)).text()));
      expect(first).toBe(second);
    } finally {
      await other.close();
    }
  });
});
