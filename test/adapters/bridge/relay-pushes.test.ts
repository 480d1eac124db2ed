// Relay's pushes over a real socket: followed transfers are reported, bursts once, lost connections return, nonsense is ignored.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createRelayPushes } from '../../../src/adapters/bridge/relay/pushes.ts';
import { createFaultSwitch } from '../../../src/sandbox/faults.ts';
import { type LoopbackServer, type LoopbackSocket, listenOnLoopback } from '../../../src/sandbox/loopback.ts';
import { createLiveClock } from '../../../streams/clock/live-clock.ts';
import { waitFor } from '../../harness/wait-for.ts';

const clock = createLiveClock();
const [ONE, TWO] = [`0x${'1'.repeat(64)}`, `0x${'2'.repeat(64)}`];
let server: LoopbackServer;
let socket: LoopbackSocket | null = null;
let handshakes: string[] = [];
let asked: { readonly type: string; readonly event: string; readonly filters: { readonly id: string } }[] = [];
const failures: string[] = [];
const received: string[] = [];
let pushes: ReturnType<typeof createRelayPushes>;

beforeAll(async () => {
  server = await listenOnLoopback({
    clock,
    faults: createFaultSwitch(1),
    port: 0,
    request: () => ({ status: 404, body: {} }),
    socket: (opened) => {
      socket = opened;
      handshakes.push(`${opened.path}?${opened.query.toString()}`);
      opened.control('{"type":"connection","status":"ready","data":{"id":"9nqpzwmwh86"}}');
      return { message: (text) => void asked.push(JSON.parse(text)), closed: () => void (socket = null) };
    },
  });
  pushes = createRelayPushes({ url: server.wsUrl, key: 'k-7', clock, random: () => 0, onFailure: (reason) => failures.push(reason) });
});
afterAll(async () => {
  pushes?.close();
  await server?.close();
});

const push = (requestId: unknown) =>
  socket?.control(
    JSON.stringify({
      event: 'request.status.updated',
      data: { status: 'success', inTxHashes: [], txHashes: ['0x12'], updatedAt: 1_765_989_801_294, requestId },
      publishedAt: 1_765_989_801_309,
    }),
  );
const follow = (...references: string[]) => pushes.follow(references, (reference) => received.push(reference));
const wordsOf = () => asked.map(({ type, event, filters }) => [type, event, filters.id]);

test('nothing is connected while nothing is followed; later each request is subscribed once the server is ready', async () => {
  follow();
  expect(handshakes).toEqual([]);
  follow(ONE);
  await waitFor(() => asked.length === 1, { what: 'the first subscription' });
  expect(handshakes).toEqual(['/?apiKey=k-7']);
  follow(TWO, ONE);
  await waitFor(() => asked.length === 2, { what: 'the second subscription' });
  expect(wordsOf()).toEqual([
    ['subscribe', 'request.status.updated', ONE],
    ['subscribe', 'request.status.updated', TWO],
  ]);
});

test('a burst is reported at its start and end, and unfollowed transfers are not reported', async () => {
  for (let i = 0; i < 20; i++) push(ONE);
  push(`0x${'3'.repeat(64)}`);
  push(TWO);
  await waitFor(() => received.length === 3, { what: 'the end of the burst' });
  expect(received).toEqual([ONE, TWO, ONE]);
});

test('nonsense frames are counted and change nothing', async () => {
  received.length = 0;
  socket?.control('no json');
  push(7);
  push('0x12');
  socket?.control('[]');
  socket?.control('{"type":"subscribe","status":"error","data":null}');
  push(TWO);
  await waitFor(() => received.includes(TWO), { what: 'the push after the nonsense' });
  expect(failures).toEqual(['senseless', 'senseless', 'senseless']);
});

test('after a lost connection everything still followed is subscribed again', async () => {
  follow(TWO);
  await waitFor(() => asked.length === 3, { what: 'the end of a subscription' });
  expect(wordsOf().at(-1)).toEqual(['unsubscribe', 'request.status.updated', ONE]);
  asked = [];
  handshakes = [];
  received.length = 0;
  socket?.close(1012, 'restart');
  await waitFor(() => asked.length === 1, { what: 'the subscription anew' });
  expect(wordsOf()).toEqual([['subscribe', 'request.status.updated', TWO]]);
  expect(handshakes).toHaveLength(1);
  expect(failures.at(-1)).toBe('disconnected');
  push(ONE);
  push(TWO);
  await waitFor(() => received.length === 1, { what: 'a push on the new connection' });
  expect(received).toEqual([TWO]);
});

test('the connection is closed with the last request', async () => {
  follow();
  await waitFor(() => socket === null, { what: 'the connection to end' });
});
