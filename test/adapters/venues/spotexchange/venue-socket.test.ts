/** Socket under every feed: it reports, waits and reconnects, and no behaviour of a venue makes it throw. */
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { WebSocketServer } from 'ws';
import { type VenueSocketOptions, venueSocket } from '../../../../src/adapters/venues/venue-socket.ts';
import type { FeedMessage } from '../../../../src/domain/market/market-event.ts';
import { createVirtualClock, type VirtualClock } from '../../../../streams/clock/virtual-clock.ts';
import { drive, NOON, ofKind, until } from './tiny-world.ts';

const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup();
});

async function listening(server: http.Server): Promise<string> {
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  cleanups.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return `ws://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function opened(
  clock: VirtualClock,
  options: Partial<VenueSocketOptions> & { url: string },
): { received: FeedMessage[]; stop: () => void } {
  const received: FeedMessage[] = [];
  const socket = venueSocket({ venue: 'spotexchange', source: 'test', clock, random: () => 0.5, frame: () => true, ...options });
  const subscription = socket.subscribe({ next: (message) => received.push(message) });
  const stop = (): void => subscription.unsubscribe();
  cleanups.push(stop);
  return { received, stop };
}

test('a refused handshake waits as long as the venue says, not as long as the backoff would', async () => {
  const attempts: number[] = [];
  const clock = createVirtualClock(NOON);
  const server = http.createServer();
  server.on('upgrade', (_request, socket) => {
    attempts.push(clock.now());
    socket.on('error', () => socket.destroy());
    socket.end('HTTP/1.1 429 Too Many Requests\r\nRetry-After: 45\r\nContent-Length: 0\r\nConnection: close\r\n\r\n');
  });
  const { received } = opened(clock, { url: await listening(server) });
  await drive(clock, 'three attempts were made', () => attempts.length === 3, 250);
  expect((attempts[1] as number) - (attempts[0] as number)).toBeGreaterThanOrEqual(45_000);
  expect((attempts[2] as number) - (attempts[1] as number)).toBeGreaterThanOrEqual(45_000);
  // One outage, one report, although three attempts failed.
  expect(ofKind(received, 'feed_status')).toEqual([
    {
      kind: 'feed_status',
      venue: 'spotexchange',
      source: 'test',
      receivedAt: expect.any(Number),
      status: 'disconnected',
      epoch: 0,
      detail: 'refused with status 429',
    },
  ]);
});

test('an invalid URL is reported and retried, not thrown', async () => {
  const clock = createVirtualClock(NOON);
  const { received } = opened(clock, { url: 'not a url' });
  expect(received).toMatchObject([{ kind: 'feed_status', status: 'disconnected' }]);
  clock.advanceTo(NOON + 120_000);
  expect(received.length).toBe(1);
  expect(clock.pending).toBe(1);
});

test('a server that accepts the connection and never answers the handshake is given up after 10 s', async () => {
  const clock = createVirtualClock(NOON);
  const server = http.createServer();
  let upgrades = 0;
  server.on('upgrade', (_request, socket) => {
    upgrades++;
    // The client gives up and resets this server's end, which is not under test.
    socket.on('error', () => socket.destroy());
    cleanups.push(() => socket.destroy());
  });
  const { received } = opened(clock, { url: await listening(server) });
  await until('the first attempt has arrived', () => upgrades === 1);
  await drive(clock, 'it is given up', () => received.length === 1);
  expect(received[0]).toMatchObject({ status: 'disconnected', detail: 'no connection within 10000 ms' });
  await drive(clock, 'it tries again', () => upgrades === 2);
});

test('a reader that throws costs one frame, which is counted, and nothing else', async () => {
  const clock = createVirtualClock(NOON);
  const server = http.createServer();
  const sockets = new WebSocketServer({ server });
  sockets.on('connection', (socket) => {
    for (const frame of ['one', 'two', 'three']) socket.send(frame);
  });
  const frames: string[] = [];
  const { received } = opened(clock, {
    url: await listening(server),
    frame: (frame) => {
      const text = frame.toString();
      if (text === 'two') throw new Error('cannot read two');
      frames.push(text);
      return true;
    },
  });
  await until('the frames came', () => frames.length === 2);
  expect(frames).toEqual(['one', 'three']);
  expect(ofKind(received, 'rejection')).toMatchObject([
    { reason: 'unknown_shape', detail: 'could not be read: cannot read two', sample: 'two' },
  ]);
  expect(ofKind(received, 'feed_status').map(({ status }) => status)).toEqual(['connected']);
});

test('stopping in the middle of a message closes everything and nothing is received afterwards', async () => {
  const clock = createVirtualClock(NOON);
  const server = http.createServer();
  const sockets = new WebSocketServer({ server });
  let left = 0;
  sockets.on('connection', (socket) => {
    socket.on('close', () => left++);
    for (let index = 0; index < 10; index++) socket.send(String(index));
  });
  const frames: string[] = [];
  const world = opened(clock, {
    url: await listening(server),
    frame: (frame) => {
      frames.push(frame.toString());
      if (frames.length === 3) world.stop();
      return true;
    },
  });
  await until('the server has seen the client leave', () => left === 1);
  expect(frames).toEqual(['0', '1', '2']);
  expect(world.received.map(({ kind }) => kind)).toEqual(['feed_status']);
  expect(clock.pending).toBe(0);
});
