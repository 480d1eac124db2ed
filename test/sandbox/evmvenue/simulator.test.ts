/** Perpetuals adapter with its simulator, over sockets, on virtual time. */
import { existsSync, readFileSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { createPerpCandles } from '../../../src/adapters/venues/evmvenue/candles.ts';
import { createEvmVenueFeed, type EvmVenueFeed, type EvmVenueFeedOptions } from '../../../src/adapters/venues/evmvenue/feed.ts';
import { createPerpInfo, type PerpInfo } from '../../../src/adapters/venues/evmvenue/info.ts';
import type { VenueError } from '../../../src/adapters/venues/venue-feed.ts';
import type { FeedMessage } from '../../../src/domain/market/market-event.ts';
import { createEvmVenueSimulator, type EvmVenueSimulator } from '../../../src/sandbox/evmvenue/simulator.ts';
import { seededRandom } from '../../../src/sandbox/faults.ts';
import { createVirtualClock, type VirtualClock } from '../../../streams/clock/virtual-clock.ts';
import { drive, NOON, ofKind, tinyMarket, until } from '../../adapters/venues/spotexchange/tiny-world.ts';

const HOUR_MS = 3_600_000;
let clock: VirtualClock;
let simulator: EvmVenueSimulator;
let info: PerpInfo;
const cleanups: (() => void)[] = [];

beforeEach(async () => {
  clock = createVirtualClock(NOON);
  simulator = await createEvmVenueSimulator({ market: tinyMarket(), clock, port: 0, seed: 3 });
  info = createPerpInfo({ baseUrl: simulator.url, clock, random: seededRandom(1) });
});

afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) cleanup();
  info.http.close();
  await simulator.close();
});

function listen(options: Partial<EvmVenueFeedOptions> = {}): { feed: EvmVenueFeed; received: FeedMessage[] } {
  const feed = createEvmVenueFeed({
    socketUrl: simulator.wsUrl,
    clock,
    random: seededRandom(2),
    instruments: ['BTC', 'ETH', 'SOL'],
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
  test('quotes, contexts and books of every coin arrive, none refused', async () => {
    const { feed, received } = listen({ instruments: ['BTC', 'ETH', 'SOL', 'xyz:TSLA'] });
    await drive(
      clock,
      'everything came',
      () =>
        new Set(ofKind(received, 'perp_context').map(({ instrument }) => instrument)).size === 4 &&
        feed.book('xyz:TSLA', 5) !== null &&
        new Set(ofKind(received, 'quote').map(({ instrument }) => instrument)).size === 4,
    );
    expect(ofKind(received, 'rejection')).toEqual([]);
    for (const quote of ofKind(received, 'quote')) {
      expect(quote).toMatchObject({ venue: 'evmvenue', quality: 'live', sourceTime: true, sequence: null });
      expect(Number(quote.bid)).toBeLessThan(Number(quote.ask));
      expect(quote.observedAt).toBeLessThanOrEqual(quote.receivedAt);
    }
    expect(ofKind(received, 'perp_context')[0]).toMatchObject({ hourlyFunding: '0.0000125', source: 'hyperliquid:activeAssetCtx' });
    expect(feed.book('BTC', 3)?.bids.length).toBe(3);
    const bids = feed.book('BTC', 5)?.bids.map(([price]) => Number(price)) as number[];
    expect(bids).toEqual([...bids].sort((a, b) => b - a));
  });

  test('books confirm a quiet top without moving back behind the best bid and ask', async () => {
    const { received } = listen({ instruments: ['BTC'] });
    await drive(clock, 'five seconds have passed', () => clock.now() > NOON + 5_000);
    const quotes = ofKind(received, 'quote');
    expect(new Set(quotes.map(({ source }) => source))).toEqual(new Set(['hyperliquid:bbo', 'hyperliquid:l2Book']));
    for (const [index, quote] of quotes.entries())
      if (index > 0) expect(quote.observedAt).toBeGreaterThanOrEqual(quotes[index - 1]?.observedAt as number);
  });

  test('it pings every 2 s, oftener than a quote may be old, and a pong is a heartbeat that keeps the connection', async () => {
    const { received } = listen();
    await drive(clock, 'three pongs came', () => ofKind(received, 'heartbeat').length >= 3, 100);
    expect(clock.now() - NOON).toBeGreaterThanOrEqual(6_000);
    expect(clock.now() - NOON).toBeLessThan(75_000);
    expect(ofKind(received, 'feed_status').length).toBe(1);
  });

  test('a socket that only answers pings is closed after its time without data', async () => {
    const { received } = listen({ dataSilenceMs: 30_000 });
    await drive(clock, 'quotes arrive', () => ofKind(received, 'quote').length > 3);
    simulator.faults.set({ gap: 1 });
    await drive(clock, 'the watchdog notices', () => ofKind(received, 'feed_status').at(-1)?.status === 'disconnected', 100);
    expect(ofKind(received, 'feed_status').at(-1)?.detail).toMatch(/no data for \d+ ms/);
    expect(ofKind(received, 'heartbeat').length).toBeGreaterThan(0);
  });

  test('a frozen socket is closed, and the subscriptions return with the next epoch', async () => {
    const { feed, received } = listen({ silenceMs: 5_000 });
    await drive(clock, 'quotes arrive', () => ofKind(received, 'quote').length > 3);
    simulator.faults.set({ freeze: true });
    await drive(clock, 'the watchdog notices', () => ofKind(received, 'feed_status').at(-1)?.status === 'disconnected', 50);
    expect(feed.book('BTC', 5)).toBeNull();
    simulator.faults.reset();
    const quotes = ofKind(received, 'quote').length;
    await drive(clock, 'quotes arrive again', () => ofKind(received, 'quote').length > quotes, 50);
    expect(ofKind(received, 'feed_status').map(({ status, epoch }) => `${status} ${epoch}`)).toEqual([
      'connected 1',
      'disconnected 1',
      'connected 2',
    ]);
  });

  test('with one garbage frame in a hundred the good ones arrive and the bad ones are counted', async () => {
    const { received } = listen();
    simulator.faults.set({ garbage: 0.01 });
    await drive(clock, 'a thousand quotes arrived', () => ofKind(received, 'quote').length >= 1_000, 100);
    expect(ofKind(received, 'rejection').length).toBeGreaterThan(2);
    expect(ofKind(received, 'quote').every((quote) => quote.quality === 'live')).toBe(true);
    expect(ofKind(received, 'feed_status').length).toBe(1);
  });

  test('closed bars are announced once each and equal the history', async () => {
    const { received } = listen({ instruments: ['BTC'], timeframes: ['1m'] });
    await drive(clock, 'three bars closed', () => ofKind(received, 'candles').length >= 3, 100);
    const live = ofKind(received, 'candles').flatMap(({ candles }) => candles);
    const history = await createPerpCandles(info.http, clock).fetchCandles('BTC', '1m', NOON, NOON + 3 * 60_000);
    expect(live.slice(0, 3)).toEqual(history);
    expect(history.length).toBe(3);
  });

  test('a venue clock that jumps ahead and back does not stop the books', async () => {
    const { received } = listen({ instruments: ['BTC'] });
    simulator.faults.set({ clockOffsetMs: 3_600_000 });
    await drive(clock, 'quotes from the future came', () => ofKind(received, 'quote').some((quote) => quote.observedAt > NOON + 3_000_000));
    simulator.faults.reset();
    const count = received.length;
    await drive(clock, 'books quote again', () =>
      ofKind(received.slice(count), 'quote').some((quote) => quote.source === 'hyperliquid:l2Book' && quote.observedAt < NOON + 3_000_000),
    );
  });
});

describe('information over REST', () => {
  test('markets and contexts are joined by index; a delisted one is included with nulls', async () => {
    const contexts = await info.marketContexts();
    expect(contexts.map(({ market }) => market.coin)).toEqual(['BTC', 'ETH', 'SOL', 'MATIC']);
    expect(contexts[0]?.context).toMatchObject({ instrument: 'BTC', hourlyFunding: '0.0000125', observedAt: NOON });
    expect(contexts[3]).toMatchObject({ market: { delisted: true }, midPrice: null, premium: null, context: { openInterest: '0.0' } });
    expect((await info.markets('xyz')).map(({ coin, onlyIsolated }) => [coin, onlyIsolated])).toEqual([['xyz:TSLA', true]]);
    // The builder's multiplier halves the funding of a calm premium, in the context and in the history.
    expect((await info.marketContexts('xyz'))[0]?.context).toMatchObject({ instrument: 'xyz:TSLA', hourlyFunding: '0.00000625' });
    expect((await info.fundingHistory('xyz:TSLA', NOON - 3 * HOUR_MS, NOON))[0]).toMatchObject({ coin: 'xyz:TSLA' });
  });

  test('an unknown coin has a null book, a known one 20 levels a side', async () => {
    expect(await info.orderBook('NOPE')).toBeNull();
    const book = await info.orderBook('BTC');
    expect([book?.bids.length, book?.asks.length, book?.observedAt]).toEqual([20, 20, NOON]);
  });

  test('history reaches back 5000 bars and no further', async () => {
    const source = createPerpCandles(info.http, clock);
    const candles = await source.fetchCandles('BTC', '1h', NOON - 10_000 * HOUR_MS, NOON + HOUR_MS);
    // The forming bar is one of the 5000 and is left out.
    expect(candles.length).toBe(4_999);
    expect(candles[0]?.openTime).toBe(NOON - 4_999 * HOUR_MS);
    expect(candles.at(-1)?.openTime).toBe(NOON - HOUR_MS);
    const daily = await source.fetchCandles('BTC', '24h', NOON - 6 * 366 * 24 * HOUR_MS, NOON);
    expect((daily.at(-1)?.openTime as number) - (daily[0]?.openTime as number)).toBeGreaterThan(5.9 * 365 * 24 * HOUR_MS);
    await expect(source.fetchCandles('BTC', '7m', 0, NOON)).rejects.toMatchObject({ code: 'invalid_interval' });
  });

  test('funding history comes hour by hour in pages of 500', async () => {
    const rates = await info.fundingHistory('BTC', NOON - 1_200 * HOUR_MS, NOON);
    expect(rates.length).toBe(1_200);
    for (const [index, { at, hourlyFunding }] of rates.entries()) {
      expect(Math.floor(at / HOUR_MS) * HOUR_MS).toBe(NOON - 1_200 * HOUR_MS + index * HOUR_MS);
      expect(hourlyFunding).toBe('0.0000125');
    }
  });

  test('any address can be read: an unknown one has zeros, another one positions with consistent values', async () => {
    const empty = await info.walletState(`0x${'A'.repeat(39)}0`);
    expect(empty).toMatchObject({ address: `0x${'a'.repeat(39)}0`, accountValue: '0.000000', positions: [] });
    const state = await info.walletState(`0x${'a'.repeat(39)}7`);
    expect(state.positions.length).toBeGreaterThan(0);
    expect(state.positions.reduce((sum, position) => sum + Number(position.positionValue), 0)).toBeCloseTo(Number(state.totalNotional), 3);
    await expect(info.walletState('0x123')).rejects.toMatchObject({ code: 'bad_address' });
    const fills = await info.walletFills(`0x${'a'.repeat(39)}f`);
    expect(fills.length).toBe(2_000);
    expect(fills.some(({ fee }) => fee.startsWith('-'))).toBe(true);
    for (const [index, fill] of fills.entries())
      if (index > 0 && fill.at > (fills[index - 1]?.at as number)) expect.fail(`fill ${index} is newer than the one before`);
  });

  test('the budget spreads requests over minutes, so that the venue never refuses', async () => {
    const outcomes: string[] = [];
    // 30 requests of weight 120 take three minutes at 1200; the patience of one minute suffices for two of them.
    const asked = Array.from({ length: 30 }, () =>
      info.walletFills(`0x${'a'.repeat(39)}1`).then(
        () => outcomes.push('answered'),
        (error: VenueError) => outcomes.push(error.code),
      ),
    );
    await until('the first ten are answered', () => outcomes.length === 10);
    expect(clock.now()).toBe(NOON);
    await drive(clock, 'all have come to an end', () => outcomes.length === 30, 1_000);
    await Promise.all(asked);
    expect(outcomes.filter((outcome) => outcome === 'answered').length).toBe(20);
    expect(outcomes.filter((outcome) => outcome === 'budget_exhausted').length).toBe(10);
  });

  test('a 429 refusal is waited out; an endless one is reported with its status', async () => {
    simulator.faults.set({ status429: 1 });
    const outcomes: unknown[] = [];
    const first = info.orderBook('BTC').then((book) => outcomes.push(book?.instrument));
    await drive(clock, 'half a second has passed', () => clock.now() > NOON + 500);
    simulator.faults.reset();
    await drive(clock, 'the book came after all', () => outcomes.length === 1);
    await first;
    expect(outcomes).toEqual(['BTC']);
    simulator.faults.set({ status429: 1 });
    const second = info.orderBook('BTC').catch((error: VenueError) => outcomes.push(error.status));
    await drive(clock, 'it has given up', () => outcomes.length === 2, 100);
    await second;
    expect(outcomes[1]).toBe(429);
  });
});

describe('the simulator keeps the venue’s rules', () => {
  test('greets in plain text, refuses a repeated subscription, sends earlier trades, and closes an idle socket', async () => {
    const ws = new WebSocket(simulator.wsUrl);
    const frames: string[] = [];
    ws.on('message', (data) => frames.push(String(data)));
    cleanups.push(() => ws.terminate());
    await until('the greeting came', () => frames.length === 1);
    expect(frames[0]).toBe('Websocket connection established.');
    const subscribe = JSON.stringify({ method: 'subscribe', subscription: { type: 'trades', coin: 'BTC' } });
    ws.send(subscribe);
    await until('the trades from before came', () => frames.length >= 3);
    expect(JSON.parse(frames[1] as string)).toEqual({ channel: 'subscriptionResponse', data: JSON.parse(subscribe) });
    const backfill = (JSON.parse(frames[2] as string) as { data: { time: number }[] }).data;
    expect(backfill.length).toBe(10);
    expect(backfill.at(-1)?.time as number).toBeLessThan(NOON);
    ws.send(subscribe);
    await until('the repetition is refused', () => frames.some((frame) => frame.includes('Already subscribed')));
    ws.send('{"method":"unsubscribe","subscription":{"type":"trades","coin":"BTC"}}');
    await until('it is acknowledged', () => frames.some((frame) => frame.includes('"method":"unsubscribe"')));
    await drive(clock, 'the idle socket is closed', () => ws.readyState === WebSocket.CLOSED, 1_000);
    expect(clock.now() - NOON).toBeGreaterThanOrEqual(60_000);
  });
});

const RECORDED = new URL('../../../../shared/data/fixtures/hyperliquid/', import.meta.url);
describe.skipIf(!existsSync(RECORDED))('recorded answers of the real venue (optional test data; skipped where they are absent)', () => {
  /** Serves one recorded body for every request. */
  async function served<T>(body: unknown, ask: (recorded: PerpInfo) => Promise<T>): Promise<T> {
    const server = http.createServer((_request, response) => response.end(JSON.stringify(body)));
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    const recorded = createPerpInfo({
      baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      clock,
      random: seededRandom(1),
    });
    try {
      return await ask(recorded);
    } finally {
      recorded.http.close();
      server.close();
    }
  }
  const recording = (name: string, type: string): unknown => {
    const pairs = JSON.parse(readFileSync(new URL(name, RECORDED), 'utf8')) as {
      request: { body: { type: string } };
      response: { body: unknown };
    }[];
    return pairs.find(({ request }) => request.body.type === type)?.response.body;
  };

  test('a wallet, its fills and a candle page can be read', async () => {
    const state = await served(recording('rec_get_user_state.json', 'clearinghouseState'), (recorded) =>
      recorded.walletState('0x5e9ee1089755c3435139848e47e6635505d5a13a'),
    );
    expect(state.positions[0]).toMatchObject({ coin: 'BTC', size: '-0.00785', entryPrice: '26951.0', leverage: 20, marginMode: 'cross' });
    expect(state.positions[1]?.liquidationPrice).toBeNull();
    const fills = await served(recording('rec_get_user_fills.json', 'userFills'), (recorded) =>
      recorded.walletFills('0xb7b6f3cea3f66bf525f5d8f965f6dbf6d9b017b2'),
    );
    expect(fills.length).toBeGreaterThan(100);
    const rows = recording('rec_get_candles_snapshot.json', 'candleSnapshot') as { t: number }[];
    const candles = await served(rows, (recorded) => createPerpCandles(recorded.http, clock).fetchCandles('kPEPE', '1h', 0, NOON));
    expect(candles.map(({ openTime }) => openTime)).toEqual(rows.map(({ t }) => t));
  });
});
