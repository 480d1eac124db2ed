// The fan-out writes exactly the bytes that `ws` would have sent.
import { createServer } from 'node:http';
import net, { type AddressInfo, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { WebSocketServer } from 'ws';
import { comparePositions, formatCursor, parseCursor } from '../../../api/feeds/position.ts';
import { createFanOut, type FeedClient, type Member } from '../../../api/feeds/fan-out.ts';
import { channelFrame, frameText, websocketBytes } from '../../../api/feeds/frames.ts';
import { createVirtualClock } from '../../../streams/clock/virtual-clock.ts';

/** Returns the bytes that a plain TCP client receives after the upgrade when the server sends these texts with `ws.send`. */
async function bytesOfWs(texts: readonly string[]): Promise<Buffer> {
  const server = createServer();
  const sockets = new WebSocketServer({ server, perMessageDeflate: false });
  sockets.on('connection', (socket) => {
    for (const text of texts) socket.send(text);
    (socket as unknown as { _socket: Socket })._socket.end();
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const client = net.connect((server.address() as AddressInfo).port, '127.0.0.1');
  client.write(
    'GET / HTTP/1.1\r\nhost: x\r\nupgrade: websocket\r\nconnection: upgrade\r\nsec-websocket-version: 13\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n',
  );
  const chunks: Buffer[] = [];
  client.on('data', (chunk) => chunks.push(chunk));
  await new Promise((resolve) => client.on('close', resolve));
  sockets.close();
  server.close();
  const all = Buffer.concat(chunks);
  return all.subarray(all.indexOf('\r\n\r\n') + 4);
}

test('frames of every length class are exactly those of ws', async () => {
  const texts = [
    '',
    'a',
    'é',
    '€'.repeat(41),
    'x'.repeat(125),
    'x'.repeat(126),
    '😀'.repeat(50),
    'x'.repeat(65_535),
    'é'.repeat(32_768),
    'x'.repeat(70_000),
  ];
  expect(websocketBytes(texts).equals(await bytesOfWs(texts))).toBe(true);
});

interface Recorded extends FeedClient {
  readonly written: Buffer[];
  buffered: number;
}

function recorder(wire: 'websocket' | 'sse' = 'websocket'): Recorded {
  const written: Buffer[] = [];
  return {
    wire,
    windowBits: null,
    open: true,
    written,
    buffered: 0,
    bufferedBytes() {
      return this.buffered;
    },
    write: (bytes) => void written.push(bytes),
    cork() {},
    uncork() {},
    memberships: 0,
  };
}

const member = (client: FeedClient, more: Partial<Member> = {}): Member => ({
  client,
  seq: 0,
  position: null,
  fellBehind: () => {},
  ...more,
});
const frame = (n: number) => channelFrame('agents', 'update', `${n}.1`, 0, JSON.stringify({ n }));
const at = (n: number) => ({ xid: n, seq: 1, index: Number.POSITIVE_INFINITY });

test('all members share one buffer per flush with every frame of the flush', () => {
  const clock = createVirtualClock(0);
  const fanOut = createFanOut({ clock, flushMs: 25 });
  const group = fanOut.group();
  const clients = [...Array(100)].map(() => recorder());
  for (const client of clients) group.join(member(client));
  for (let n = 1; n <= 10; n++) group.offer(frame(n), at(n));
  clock.advanceTo(1);
  expect(clients[0]?.written).toEqual([]);
  clock.advanceTo(2);
  const expected = websocketBytes([...Array(10).keys()].map((index) => frameText(frame(index + 1), index + 1)));
  expect(clients.every(({ written }) => written.length === 1 && written[0] === clients[0]?.written[0])).toBe(true);
  expect(clients[0]?.written[0]?.equals(expected)).toBe(true);
  expect(fanOut).toMatchObject({ deliveries: 1_000, writes: 100 });
  expect(clock.pending).toBe(0);
});

test('a single frame is sent at once, and those that follow closely are collected', () => {
  const clock = createVirtualClock(0);
  const fanOut = createFanOut({ clock, flushMs: 25 });
  const group = fanOut.group();
  const client = recorder();
  group.join(member(client));
  const sentAt: number[] = [];
  for (let n = 1; n <= 60; n++) {
    group.offer(frame(n), at(n));
    clock.advanceTo(n);
    if (client.written.length > sentAt.length) sentAt.push(n);
  }
  expect(sentAt).toEqual([2, 27, 52]);
});

test('a member that joins in between receives only later frames, with its own numbers', () => {
  const clock = createVirtualClock(0);
  const fanOut = createFanOut({ clock });
  const group = fanOut.group();
  const [early, late] = [recorder(), recorder('sse')];
  group.join(member(early));
  for (let n = 1; n <= 3; n++) group.offer(frame(n), at(n));
  group.join(member(late, { seq: 70, position: at(2) }));
  for (let n = 4; n <= 5; n++) group.offer(frame(n), at(n));
  fanOut.flush();
  group.offer(frame(6), at(6));
  fanOut.flush();
  expect(Buffer.concat(early.written).equals(websocketBytes([1, 2, 3, 4, 5, 6].map((n) => frameText(frame(n), n))))).toBe(true);
  expect(String(Buffer.concat(late.written))).toBe(
    [3, 4, 5, 6].map((n) => `id: ${n}.1\ndata: ${frameText(frame(n), 68 + n)}\n\n`).join(''),
  );
});

test('a burst is paced: at most one chunk per flush, nothing lost, and it drains', async () => {
  const clock = createVirtualClock(0);
  const fanOut = createFanOut({ clock, flushMs: 10, chunkBytes: 1_000 });
  const group = fanOut.group();
  const client = recorder();
  group.join(member(client));
  const frames = [...Array(100).keys()].map((n) => channelFrame('agents', 'update', null, 0, JSON.stringify('x'.repeat(100 + n))));
  for (const each of frames) group.offer(each, null);
  let settled = false;
  const settling = fanOut.settled().then(() => (settled = true));
  clock.advanceTo(11);
  expect(client.written).toHaveLength(1);
  expect(client.written[0]?.length).toBeLessThan(1_500);
  expect(settled).toBe(false);
  clock.runUntilIdle();
  await settling;
  expect(Buffer.concat(client.written).equals(websocketBytes(frames.map((each, index) => frameText(each, index + 1))))).toBe(true);
});

test('a member with too much unsent data falls behind without affecting the others', () => {
  const clock = createVirtualClock(0);
  const fanOut = createFanOut({ clock, behindBytes: 1_000 });
  const group = fanOut.group();
  const [slow, quick] = [recorder(), recorder()];
  const behind: Member[] = [];
  group.join(member(slow, { fellBehind: (late) => behind.push(late) }));
  group.join(member(quick));
  group.offer(frame(1), at(1));
  fanOut.flush();
  slow.buffered = 1_001;
  group.offer(frame(2), at(2));
  fanOut.flush();
  expect(behind).toMatchObject([{ seq: 1, position: at(1) }]);
  expect(slow.memberships).toBe(0);
  expect([slow.written.length, quick.written.length]).toEqual([1, 2]);
});

test('cursors round-trip in order, and nothing else is accepted as one', () => {
  const places = [
    at(1),
    { xid: 2, seq: 1, index: 0 },
    { xid: 2, seq: 1, index: 9 },
    { xid: 2, seq: 1, index: 10 },
    at(2),
    { ...at(2), seq: 10 },
    at(10),
  ];
  for (const [index, place] of places.entries()) {
    expect(parseCursor(formatCursor(place))).toEqual(place);
    for (const [other, second] of places.entries()) expect(Math.sign(comparePositions(place, second))).toBe(Math.sign(index - other));
  }
  for (const junk of ['', '1', '1.', '.1', '1.2.', '1.2.3.4', '-1.2', '01.2', '1e3.1', ' 1.2', '1.2 ', '9007199254740993.1', '１.２'])
    expect(parseCursor(junk)).toBeNull();
});
