/** One symbol's ticker stops while its socket and all other streams go on: the order book shows it. */
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import { createSpotExchangeFeed } from '../../../../src/adapters/venues/spotexchange/feed.ts';
import { createSpotRest } from '../../../../src/adapters/venues/spotexchange/rest.ts';
import type { FeedMessage } from '../../../../src/domain/market/market-event.ts';
import { createVirtualClock } from '../../../../streams/clock/virtual-clock.ts';
import { drive, NOON, ofKind, until } from './tiny-world.ts';

const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const cleanup of cleanups.splice(0).reverse()) cleanup();
});

/** Creates a venue of one symbol that sends what a test says. */
async function world() {
  const clock = createVirtualClock(NOON);
  const server = http.createServer((_request, response) =>
    response.end(JSON.stringify({ lastUpdateId: 10, bids: [['100.00', '1']], asks: [['101.00', '1']] })),
  );
  const sockets = new WebSocketServer({ server });
  const clients: WebSocket[] = [];
  sockets.on('connection', (socket) => clients.push(socket));
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  const rest = createSpotRest({ baseUrl: `http://127.0.0.1:${port}`, clock, random: () => 0.5 });
  const feed = createSpotExchangeFeed({
    streamUrl: `ws://127.0.0.1:${port}`,
    rest,
    clock,
    random: () => 0.5,
    instruments: ['BTCUSDT'],
    silenceMs: 600_000,
    dataSilenceMs: 600_000,
  });
  const received: FeedMessage[] = [];
  const subscription = feed.messages.subscribe({ next: (message) => received.push(message), error: (error) => expect.fail(String(error)) });
  cleanups.push(
    () => server.close(),
    () => server.closeAllConnections(),
    () => rest.close(),
    () => subscription.unsubscribe(),
  );
  await until('the feed is connected', () => clients.length === 1 && received.length === 1);
  const say = (stream: string, data: object): void => clients[0]?.send(JSON.stringify({ stream, data }));
  const ticker = (u: number, bid: string, ask: string): void =>
    say('btcusdt@bookTicker', { u, s: 'BTCUSDT', b: bid, B: '1', a: ask, A: '1' });
  const depth = (u: number, bids: readonly [string, string][], asks: readonly [string, string][] = []): void =>
    say('btcusdt@depth@100ms', { e: 'depthUpdate', E: clock.now(), s: 'BTCUSDT', U: u, u, b: bids, a: asks });
  /** Waits until everything sent has arrived. */
  const arrived = (sequence: number): Promise<void> =>
    until(`${sequence} has arrived`, () => feed.book('BTCUSDT', 1)?.sequence === sequence);
  depth(11, [['99.00', '1']]);
  await drive(clock, 'the book is synchronised', () => feed.book('BTCUSDT', 1) !== null);
  return { clock, received, ticker, depth, arrived, last: () => ofKind(received, 'quote').at(-1) };
}

test('a book that continues for more than a second without its ticker degrades the quote, until the ticker returns', async () => {
  const { clock, ticker, depth, arrived, last, received } = await world();
  ticker(11, '100.00', '101.00');
  await until('the quote has arrived', () => ofKind(received, 'quote').length === 1);
  depth(12, [['100.50', '1']]);
  await arrived(12);
  expect(last()).toMatchObject({ source: 'binance:bookTicker', quality: 'live' });
  clock.advanceTo(clock.now() + 1_000);
  depth(13, [['98.00', '1']]);
  await arrived(13);
  expect(last()).toMatchObject({ source: 'binance:bookTicker', quality: 'live' });
  clock.advanceTo(clock.now() + 1);
  depth(14, [['97.00', '1']]);
  await arrived(14);
  expect(last()).toMatchObject({
    source: 'binance:depth',
    instrument: 'BTCUSDT',
    receivedAt: clock.now(),
    sequence: 14,
    bid: '100.50',
    ask: '101.00',
    quality: 'degraded',
    flags: ['gap'],
  });
  const before = ofKind(received, 'quote').length;
  ticker(15, '100.50', '101.00');
  await until('the ticker is back', () => ofKind(received, 'quote').length > before);
  expect(last()).toMatchObject({ source: 'binance:bookTicker', quality: 'live' });
  clock.advanceTo(clock.now() + 5_000);
  depth(15, [['96.00', '1']]);
  depth(16, [['95.00', '1']]);
  await arrived(16);
  expect(last()).toMatchObject({ source: 'binance:bookTicker' });
});

test('a book that changes below its top, or is behind the ticker, is no contradiction', async () => {
  const { clock, ticker, depth, arrived, received } = await world();
  ticker(20, '100.20', '101.00');
  for (let u = 12; u <= 19; u++) {
    depth(u, [['90.00', String(u)]]);
    await arrived(u);
    clock.advanceTo(clock.now() + 500);
  }
  depth(20, [['100.2', '1']]);
  for (let u = 21; u <= 25; u++) {
    depth(u, [['90.00', String(u)]]);
    await arrived(u);
    clock.advanceTo(clock.now() + 500);
  }
  expect(ofKind(received, 'quote').map((quote) => quote.quality)).toEqual(['live']);
});
