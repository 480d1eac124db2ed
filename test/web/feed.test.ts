// The terminal's connection during a silence, and the quality of the last received data.
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { waitFor } from '../harness/wait-for.ts';

interface Feed {
  connect(): void;
  end(): void;
  isReceived(): boolean;
  now(): number;
}
type AgedQuality = (row: object, feed: { now(): number; isReceived(): boolean; isReplay: boolean }) => string;

/** Loads a module of the pages, whose types are in comments that this type check does not read. */
const moduleOf = async (name: string) => (await import(new URL(`../../web/${name}`, import.meta.url).href)) as never;
const { createFeed }: { createFeed(options: object): Feed } = await moduleOf('feed.js');
const { agedQuality }: { agedQuality: AgedQuality } = await moduleOf('aged-quality.js');

let page: EventTarget;
let server: WebSocketServer;
let feed: Feed;
let states: string[];
beforeEach(async () => {
  page = new EventTarget();
  vi.stubGlobal('document', new EventTarget());
  vi.stubGlobal('WebSocket', WebSocket);
  for (const name of ['addEventListener', 'removeEventListener'] as const) vi.stubGlobal(name, page[name].bind(page));
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
  server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await once(server, 'listening');
  states = [];
  feed = createFeed({
    address: () => `ws://127.0.0.1:${(server.address() as AddressInfo).port}`,
    onStatus: ({ state }: { state: string }) => states.push(state),
    signedIn: async () => true,
    onSignedOut: () => {},
  });
});
afterEach(() => {
  feed.end();
  for (const client of server.clients) client.terminate();
  server.close();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const reach = (state: string) => waitFor(() => states.at(-1) === state, { what: `the state ${state}` });

/** Connects and returns the server's side of the connection. */
async function connected(): Promise<WebSocket> {
  const connection = once(server, 'connection');
  feed.connect();
  const [peer] = (await connection) as [WebSocket];
  await reach('live');
  return peer;
}

test('after one missed heartbeat nothing is received, after two a new connection is made, whether or not the old one closes', async () => {
  const peer = await connected();
  vi.advanceTimersByTime(5_999);
  expect(feed.isReceived()).toBe(true);
  vi.advanceTimersByTime(1);
  expect([states.at(-1), feed.isReceived()]).toEqual(['connecting', false]);
  peer.send(JSON.stringify({ type: 'heartbeat', at: new Date().toISOString() }));
  await reach('live');
  // From here on the peer reads nothing, not even a close.
  peer.pause();
  vi.advanceTimersByTime(6_000);
  expect(states.at(-1)).toBe('connecting');
  vi.advanceTimersByTime(5_000);
  expect(states.at(-1)).toBe('waiting');
  const again = once(server, 'connection');
  vi.advanceTimersByTime(400);
  await again;
  await reach('live');
});

test.each(['rate_limited', 'unavailable'])(
  'after %s, which leaves operations undone, everything is asked for again, not at once',
  async (code) => {
    const peer = await connected();
    peer.send(JSON.stringify({ type: 'error', code, detail: '', at: new Date().toISOString() }));
    await reach('waiting');
    const again = once(server, 'connection');
    vi.advanceTimersByTime(1_500);
    expect(states.at(-1)).toBe('waiting');
    vi.advanceTimersByTime(2_000);
    await again;
    await reach('live');
  },
);

test('a browser that goes offline loses the connection at once', async () => {
  await connected();
  page.dispatchEvent(new Event('offline'));
  expect([states.at(-1), feed.isReceived()]).toEqual(['waiting', false]);
});

test('frames sent long ago are late: nothing counts as received until they are on time again', async () => {
  const peer = await connected();
  const beat = (agoMs: number) => peer.send(JSON.stringify({ type: 'heartbeat', at: new Date(Date.now() - agoMs).toISOString() }));
  beat(0);
  beat(20_000);
  await reach('late');
  expect(feed.isReceived()).toBe(false);
  beat(0);
  await reach('live');
  expect(feed.isReceived()).toBe(true);
});

test('after a sleep without timers nothing counts as received and a new connection is made', async () => {
  await connected();
  const now = Date.now();
  vi.spyOn(Date, 'now').mockImplementation(() => now + 3_600_000);
  expect(feed.isReceived()).toBe(false);
  vi.advanceTimersByTime(1_000);
  expect(states.at(-1)).toBe('waiting');
  vi.mocked(Date.now).mockRestore();
  const again = once(server, 'connection');
  vi.advanceTimersByTime(400);
  await again;
  await reach('live');
});

test('a sleep ages what was received, and frames from before it are not taken as new', async () => {
  const peer = await connected();
  const before = Date.now();
  // The service's clock is ahead, which shows when a frame was taken.
  const sent = before + 7_200_000;
  const beat = () => peer.send(JSON.stringify({ type: 'heartbeat', at: new Date(sent).toISOString() }));
  beat();
  await waitFor(() => feed.now() >= sent, { what: 'the time of the service' });
  vi.spyOn(Date, 'now').mockImplementation(() => before + 3_600_000);
  expect(feed.now() - sent).toBeGreaterThan(3_500_000);
  beat();
  await reach('waiting');
  expect(feed.now() - sent).toBeGreaterThan(3_500_000);
  vi.mocked(Date.now).mockRestore();
});

test('after its end the network does not reconnect until a member connects again', async () => {
  const peer = await connected();
  const closed = once(peer, 'close');
  feed.end();
  await closed;
  const told = states.length;
  page.dispatchEvent(new Event('online'));
  expect(states.slice(told)).toEqual([]);
  await connected();
});

const AT = Date.parse('2026-03-02T14:31:00Z');
const received = (row: object) => ({ quality: 'live', receivedAt: '2026-03-02T14:31:00Z', maxAgeMs: 5_000, cadence: 'continuous', ...row });
const qualityAt = (ms: number, row: object = {}, isReceived = true, isReplay = false) =>
  agedQuality(received(row), { now: () => AT + ms, isReceived: () => isReceived, isReplay });

test('a live quote is stale beyond the age limit of its source, received or not', () => {
  expect([5_000, 5_001].map((ms) => qualityAt(ms))).toEqual(['live', 'stale']);
  expect([5_000, 5_001].map((ms) => qualityAt(ms, {}, false))).toEqual(['live', 'stale']);
  expect(qualityAt(60_000, { maxAgeMs: 60_000 }, false)).toBe('live');
  // The age of a reference price counts from its publisher's update.
  expect(qualityAt(0, { feedUpdatedAt: '2026-03-02T14:30:54Z' })).toBe('stale');
});

test('an unchanged quote of a venue that sends only changes stays live while the service is received', () => {
  expect([true, false].map((isReceived) => qualityAt(90_000, { cadence: 'change_only' }, isReceived))).toEqual(['live', 'stale']);
  expect([true, false].map((isReceived) => qualityAt(90_000, {}, isReceived, true))).toEqual(['live', 'stale']);
});

test('data without an age limit is live while the service is received, and no other quality improves', () => {
  const states = ['live', 'no_trades', 'degraded', 'halted', 'feed_down'];
  const without = (isReceived: boolean) => states.map((quality) => qualityAt(0, { quality, maxAgeMs: undefined }, isReceived));
  expect(without(true)).toEqual(states);
  expect(without(false)).toEqual(['stale', 'stale', 'degraded', 'halted', 'feed_down']);
});
