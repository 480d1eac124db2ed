// Life of connections: heartbeats, dead peers, tokens, permissions, slow clients, restarts.
import { once } from 'node:events';
import { request } from 'node:http';
import type { Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { Sql } from '../../../src/adapters/store/database.ts';
import type { Member } from '../../../src/domain/identity/member.ts';
import { createLiveClock } from '../../../streams/clock/live-clock.ts';
import { createVirtualClock } from '../../../streams/clock/virtual-clock.ts';
import { latch } from '../../harness/latch.ts';
import { waitFor } from '../../harness/wait-for.ts';
import {
  announce,
  connect,
  type FixtureOptions,
  type Frame,
  OURS,
  openFixture,
  openFixtureDatabase,
  type Stage,
  testQuote,
} from './fixture.ts';

const START = 1_780_000_000_000;
let sql: Sql;
let fixture: Stage | null = null;
beforeAll(async () => {
  sql = await openFixtureDatabase();
});
afterEach(async () => {
  await fixture?.close();
  fixture = null;
});
afterAll(() => sql?.end());

async function open(options: FixtureOptions): Promise<Stage> {
  fixture = await openFixture(sql, options);
  return fixture;
}

/** Advances a virtual clock and lets the sockets work after every second. */
async function pass(clock: ReturnType<typeof createVirtualClock>, ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 1_000) await clock.settleTo(clock.now() + Math.min(left, 1_000));
}

test('a heartbeat comes every 5 s, and a peer that answers stays', async () => {
  const clock = createVirtualClock(START);
  const client = await connect(await open({ clock }));
  for (let beat = 1; beat <= 4; beat++) {
    await pass(clock, 5_000);
    await waitFor(() => client.frames.filter(({ type }) => type === 'heartbeat').length === beat, { what: `heartbeat ${beat}` });
    // Its pong has arrived once a later message was answered.
    await client.roundTrip();
  }
  expect(client.frames.filter(({ type }) => type === 'heartbeat').map(({ at }) => at)).toEqual(
    [5, 10, 15, 20].map((seconds) => new Date(START + seconds * 1_000).toISOString()),
  );
  client.socket.terminate();
});

test('many connections get their heartbeats in turns, each every 5 s', async () => {
  const clock = createVirtualClock(START);
  const current = await open({ clock, feeds: { connectionsPerSubject: 60 } });
  const clients = await Promise.all([...Array(60).keys()].map(() => connect(current)));
  await pass(clock, 15_000);
  const beats = (client: (typeof clients)[number]) =>
    client.frames.filter(({ type }) => type === 'heartbeat').map(({ at }) => Date.parse(at as string));
  for (const client of clients) await waitFor(() => beats(client).length >= 3, { what: 'three heartbeats' });
  const at = new Map<number, number>();
  for (const client of clients) {
    const times = beats(client);
    expect(times.slice(1).map((time, index) => time - (times[index] as number))).toEqual(times.slice(1).map(() => 5_000));
    for (const time of times) at.set(time, (at.get(time) ?? 0) + 1);
    client.socket.terminate();
  }
  expect(Math.max(...at.values())).toBe(3);
});

test('a peer without signs of life is dropped within 45 s', async () => {
  const clock = createVirtualClock(START);
  const current = await open({ clock });
  const client = await connect(current);
  client.net().pause();
  await pass(clock, 44_000);
  expect(current.stats().connections).toBe(1);
  await pass(clock, 1_000);
  await waitFor(() => current.stats().connections === 0, { what: 'the end of the dead socket' });
  client.socket.terminate();
});

test('the token expires: closed with 4001 at that moment, not before', async () => {
  const clock = createVirtualClock(START);
  const client = await connect(await open({ clock, expiresAt: () => START + 10_000 }));
  await pass(clock, 9_999);
  await client.roundTrip();
  await pass(clock, 1);
  expect(await client.closed).toEqual({ code: 4001, reason: 'the token has expired' });
});

test('a withdrawn permission closes its user’s connection with 4003 within seconds, and no other', async () => {
  const clock = createVirtualClock(START);
  const current = await open({ clock });
  current.members.set('ana', { orgId: OURS, permissions: ['market:read', 'agent:read'] });
  const [user, idle, other] = [await connect(current, 'ana'), await connect(current, 'ana'), await connect(current, 'ours')];
  await user.ask({ op: 'subscribe', id: 1, channel: 'decisions' });
  await idle.ask({ op: 'subscribe', id: 1, channel: 'quotes' });
  await other.ask({ op: 'subscribe', id: 1, channel: 'decisions' });
  current.members.set('ana', { orgId: OURS, permissions: ['market:read'] });
  await pass(clock, 5_000);
  expect((await user.closed).code).toBe(4003);
  await other.roundTrip();
  // The market-only connection stays, but cannot get more.
  expect(await idle.ask({ op: 'subscribe', id: 2, channel: 'agents' })).toMatchObject({ code: 'permission_missing' });
  current.members.delete('ana');
  await pass(clock, 5_000);
  expect((await idle.closed).code).toBe(4003);
  other.socket.terminate();
});

test('unreadable grants are trusted for 30 s and no longer', async () => {
  const clock = createVirtualClock(START);
  let down = false;
  const grants: Pick<Member, 'orgId' | 'permissions'> = { orgId: OURS, permissions: ['market:read'] };
  const find = async (): Promise<Pick<Member, 'orgId' | 'permissions'>> => {
    if (down) throw new Error('the database is away');
    return grants;
  };
  const client = await connect(await open({ clock, find }));
  await pass(clock, 6_000);
  down = true;
  await pass(clock, 27_000);
  await client.roundTrip();
  await pass(clock, 6_000);
  expect((await client.closed).code).toBe(1013);
});

test('closing the server tells all clients to reconnect, and a frozen client delays it only by the drain time', async () => {
  const current = await open({ feeds: { drainMs: 300 } });
  const [healthy, frozen] = [await connect(current), await connect(current)];
  const controller = new AbortController();
  const sse = await fetch(`http://127.0.0.1:${current.port}/v1/feeds/sse?channel=quotes`, {
    headers: { authorization: 'Bearer ours' },
    signal: controller.signal,
  });
  const text = sse.text();
  frozen.net().pause();
  const clock = createLiveClock();
  const began = clock.now();
  await current.app.close();
  expect(clock.now() - began).toBeGreaterThanOrEqual(290);
  expect(clock.now() - began).toBeLessThan(30_000);
  expect((await healthy.closed).code).toBe(1012);
  expect(await text).toContain('the service restarts; connect again');
  frozen.socket.terminate();
});

test('a silent stream outlives the idle limit of plain requests', async () => {
  const current = await open({ connectionTimeout: 80 });
  const answer = await fetch(`http://127.0.0.1:${current.port}/v1/feeds/sse?channel=takes`, { headers: { authorization: 'Bearer ours' } });
  const reader = (answer.body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream()).getReader();
  const until = async (text: string): Promise<void> => {
    for (let received = ''; !received.includes(text); ) {
      const { value, done } = await reader.read();
      if (done) throw new Error(`the stream ended before ${text}`);
      received += value;
    }
  };
  await until('subscribed');
  const clock = createLiveClock();
  // Idle time is the kernel's, not the injected clock's: it must really pass.
  await new Promise<void>((resolve) => clock.deadline(clock.now() + 300, resolve));
  await announce(sql, [{ channel: 'takes', orgId: OURS, body: { n: 'after the silence' } }]);
  await until('after the silence');
  await reader.cancel();
});

test('a stream whose client left while its cursor was looked up takes no place of its user', async () => {
  const current = await open({ feeds: { connectionsPerSubject: 1 } });
  const [asked, answer] = [latch(), latch()];
  current.tail.isKnown = async () => {
    asked.release();
    await answer.released;
    return true;
  };
  const address = { host: '127.0.0.1', port: current.port, headers: { authorization: 'Bearer ours' } };
  const accepted = once(current.app.server, 'connection') as Promise<[Socket]>;
  const left = request({ ...address, path: '/v1/feeds/sse?channel=agents&from=0.0' });
  left.on('error', () => {});
  left.end();
  const [peer] = await accepted;
  await asked.released;
  const gone = once(peer, 'close');
  left.destroy();
  await gone;
  answer.release();
  const next = await fetch(`http://127.0.0.1:${current.port}/v1/feeds/sse?channel=agents`, { headers: address.headers });
  expect([next.status, current.stats().connections]).toEqual([200, 1]);
  await next.body?.cancel();
});

const PADDING = 'x'.repeat(2_000);

test('a frozen client among healthy ones: they receive everything at once, it is told and closed, and loses nothing', async () => {
  const clock = createVirtualClock(START);
  const current = await open({ clock });
  const healthy = await Promise.all([...Array(8)].map(() => connect(current)));
  const frozen = await connect(current);
  for (const client of [...healthy, frozen]) await client.ask({ op: 'subscribe', id: 1, channel: 'inspect' });
  frozen.net().pause();
  const total = 3_000;
  const rows = (from: number, count: number) =>
    [...Array(count).keys()].map((k) => ({ channel: 'inspect', orgId: OURS, body: { n: from + k, PADDING } }));
  let kept = 0;
  for (let n = 0; n < total; n += 200) {
    await announce(sql, rows(n, 200));
    await waitFor(
      () => {
        // In small steps: a frozen client gets ten seconds of this clock, however often it is polled.
        clock.advanceTo(clock.now() + 1);
        return healthy.every((client) => client.frames.at(-1)?.data?.n === n + 199);
      },
      { what: `${n + 200} at every healthy client`, deadlineMs: 20_000 },
    );
    kept = Math.max(kept, ...serverBuffers(current));
  }
  // Everybody was sent 6 MB; what is buffered for the frozen one has its own limit.
  expect(kept).toBeGreaterThan(256 * 1024);
  expect(kept).toBeLessThan(1024 * 1024);
  for (const client of healthy) expect(client.updates('inspect').map(({ data }) => data.n)).toEqual([...Array(total).keys()]);
  // Nothing was read for 10 s: the frozen client has been sent the error, which it reads once it resumes.
  await pass(clock, 11_000);
  frozen.net().resume();
  const end = await frozen.closed;
  expect(end.code).toBe(4008);
  const received = frozen.updates('inspect').map(({ data }) => data.n as number);
  const lagged = frozen.frames.find(({ type }) => type === 'lagged') as Frame;
  expect(lagged).toMatchObject({ channel: 'inspect', data: { from: frozen.updates('inspect').at(-1)?.cursor } });
  expect(received.length).toBeLessThan(total);
  const again = await connect(current);
  await again.ask({ op: 'subscribe', id: 1, channel: 'inspect', from: lagged.data.from });
  await waitFor(
    () => {
      clock.advanceTo(clock.now() + 10);
      return again.updates('inspect').length + received.length === total;
    },
    { what: 'the rest', deadlineMs: 20_000 },
  );
  expect([...received, ...again.updates('inspect').map(({ data }) => data.n)]).toEqual([...Array(total).keys()]);
  for (const client of [...healthy, again]) client.socket.terminate();
});

/** Returns the bytes that wait in each of the server's sockets, as counted by Node.js. */
function serverBuffers({ port }: Stage): number[] {
  const handles = (process as unknown as { _getActiveHandles(): { writableLength?: number; localPort?: number }[] })._getActiveHandles();
  return handles.filter(({ localPort }) => localPort === port).map(({ writableLength }) => writableLength ?? 0);
}

test('a slow client is caught up from the store and continues without a gap', async () => {
  const current = await open({ feeds: { stallMs: 5_000 } });
  const slow = await connect(current);
  await slow.ask({ op: 'subscribe', id: 1, channel: 'inspect' });
  slow.net().pause();
  const rows = (from: number, count: number) =>
    [...Array(count).keys()].map((k) => ({ channel: 'inspect', orgId: OURS, body: { n: from + k, PADDING } }));
  for (let n = 0; n < 4_000; n += 500) await announce(sql, rows(n, 500));
  await waitFor(() => Math.max(...serverBuffers(current)) > 300_000, { what: 'a full buffer' });
  slow.net().resume();
  await announce(sql, rows(4_000, 100));
  await waitFor(() => slow.updates('inspect').length === 4_100, { what: 'all of them', deadlineMs: 15_000 });
  expect(slow.updates('inspect').map(({ data }) => data.n)).toEqual([...Array(4_100).keys()]);
  const numbers = slow.updates('inspect').map(({ seq }) => seq as number);
  expect(numbers.every((seq, index) => index === 0 || seq === (numbers[index - 1] as number) + 1)).toBe(true);
  expect(slow.frames.some(({ type }) => type === 'lagged')).toBe(false);
  slow.socket.terminate();
});

test('quotes to a frozen client are skipped, not buffered, and it gets the newest once it reads again', async () => {
  const current = await open({});
  const [frozen, healthy] = [await connect(current), await connect(current)];
  for (const client of [frozen, healthy]) await client.ask({ op: 'subscribe', id: 1, channel: 'quotes' });
  frozen.net().pause();
  const instruments = 400;
  for (let round = 1; round <= 60; round++) {
    for (let n = 0; n < instruments; n++) current.bus.publish(testQuote(`I${n}`, `${round}`, START + round));
    await waitFor(() => healthy.frames.some(({ data }) => data?.instrument === `I${instruments - 1}` && data.bid === `${round}`), {
      what: `round ${round} at the healthy client`,
    });
  }
  expect(Math.max(...serverBuffers(current))).toBeLessThan(512 * 1024);
  frozen.net().resume();
  const newest = (client: { frames: Frame[] }): Map<string, string> => {
    const bids = new Map<string, string>();
    for (const { type, data } of client.frames) {
      for (const quote of type === 'snapshot' ? data : type === 'update' ? [data] : []) bids.set(quote.instrument, quote.bid);
    }
    return bids;
  };
  await waitFor(() => [...newest(frozen).values()].every((bid) => bid === '60') && newest(frozen).size === instruments, {
    what: 'the newest of all',
  });
  expect(frozen.frames.length).toBeLessThan(healthy.frames.length);
  current.bus.publish(testQuote('I0', '61', START + 61));
  await waitFor(() => newest(frozen).get('I0') === '61', { what: 'the next quote' });
  for (const client of [frozen, healthy]) client.socket.terminate();
});
