// Messages that a client may send on the websocket, and their answers.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { CHANNELS } from '../../../api/feeds/channels/index.ts';
import type { AgentView } from '../../../actors/agent/resource.ts';
import type { Sql } from '../../../src/adapters/store/database.ts';
import { createVirtualClock } from '../../../streams/clock/virtual-clock.ts';
import { waitFor } from '../../harness/wait-for.ts';
import { announce, connect, OURS, openFixture, openFixtureDatabase, type Stage, THEIRS, testQuote } from './fixture.ts';

let sql: Sql;
let fixture: Stage;
beforeAll(async () => {
  sql = await openFixtureDatabase();
  fixture = await openFixture(sql, { feeds: { connectionsPerSubject: 6, socketLimits: { subscriptions: 4, burst: 60, perSecond: 20 } } });
});
afterAll(async () => {
  await fixture?.close();
  await sql?.end();
});

const AGENT = '00000000-0000-7000-8000-000000000001';

const REFUSED: readonly (readonly [string, unknown, string, string])[] = [
  ['no JSON', '{"op":', 'malformed', 'not JSON'],
  ['no object', '[1]', 'malformed', 'not a JSON object'],
  ['null', 'null', 'malformed', 'not a JSON object'],
  ['no operation', { id: 1 }, 'unknown_op', 'subscribe, unsubscribe or ping'],
  ['an unknown operation', { op: 'buy', id: 1 }, 'unknown_op', '"buy"'],
  ['an inherited name as the operation', { op: 'constructor', id: 1 }, 'unknown_op', '"constructor"'],
  ['an id that is an object', { op: 'ping', id: {} }, 'malformed', 'id:'],
  ['an unknown field', { op: 'subscribe', channel: 'quotes', token: 'x' }, 'malformed', '"token": unknown field'],
  ['no channel', { op: 'subscribe', id: 1 }, 'malformed', 'channel: missing'],
  ['an unknown channel', { op: 'subscribe', id: 1, channel: 'orders' }, 'unknown_channel', '"orders"'],
  ['an unknown parameter', { op: 'subscribe', id: 1, channel: 'agents', params: { orgId: THEIRS } }, 'invalid_params', 'orgId'],
  ['a parameter of the wrong form', { op: 'subscribe', id: 1, channel: 'agents', params: { agentId: 'x' } }, 'invalid_params', 'agentId'],
  ['an unknown venue', { op: 'subscribe', id: 1, channel: 'quotes', params: { venue: 'nyse' } }, 'invalid_params', 'venue'],
  [
    'an instrument that nobody quotes',
    { op: 'subscribe', id: 1, channel: 'quotes', params: { instrument: 'NOPE' } },
    'invalid_params',
    'no venue has an instrument of that name',
  ],
  ...[
    ['order_book', 'spotexchange', { venue: 'spotexchange' }],
    ['tickers', 'spotexchange', {}],
    ['perps', 'evmvenue', {}],
    ['candles', 'spotchain', { venue: 'spotchain', timeframe: '1h' }],
  ].map(
    ([channel, venue, params]) =>
      [
        `an instrument that ${channel as string} do not know`,
        { op: 'subscribe', id: 1, channel, params: { ...(params as object), instrument: 'NOPE' } },
        'invalid_params',
        `${venue as string} has none of that name`,
      ] as const,
  ),
  [
    'a key that the catalog does not have',
    { op: 'subscribe', id: 1, channel: 'quotes', params: { instruments: ['spotexchange:NOPE'] } },
    'invalid_params',
    'there is no spotexchange:NOPE',
  ],
  ['parameters that are a list', { op: 'subscribe', id: 1, channel: 'quotes', params: [] }, 'invalid_params', 'params of quotes'],
  ['a cursor that is none', { op: 'subscribe', id: 1, channel: 'agents', from: '7' }, 'invalid_cursor', 'not a cursor'],
  ['a cursor of another kind', { op: 'subscribe', id: 1, channel: 'agents', from: 7 }, 'invalid_cursor', 'not a cursor'],
  [
    'a cursor that was never reached',
    { op: 'subscribe', id: 1, channel: 'agents', from: '900719925474099.1' },
    'invalid_cursor',
    'is in the future',
  ],
  ['unsubscribing from nothing', { op: 'unsubscribe', id: 99 }, 'not_subscribed', 'there is no such subscription'],
];

test.each(REFUSED)('%s is answered with an error, and the socket stays', async (_, message, code, detail) => {
  const client = await connect(fixture);
  client.send(message);
  const frame = await client.wait('the error', ({ type }) => type === 'error');
  expect(frame).toMatchObject({ code, data: { code } });
  expect(frame.detail).toContain(detail);
  await client.roundTrip();
  client.socket.terminate();
  await client.closed;
});

test('subscribing is acknowledged first, then come the snapshot and the updates with ascending numbers', async () => {
  const client = await connect(fixture);
  const view: AgentView = {
    id: AGENT,
    name: 'Hunter',
    description: '',
    stage: 'draft',
    paused: false,
    pauseCause: null,
    autonomy: 'research',
    manifestHash: '0'.repeat(64),
    manifestVersion: 1,
    closing: [],
    stageEvidence: null,
    stageAskedBy: null,
    createdBy: 'ours',
    createdAt: '2026-03-02T14:31:00.000Z',
  };
  fixture.agents.set(OURS, [view]);
  const accepted = await client.ask({ op: 'subscribe', id: 1, channel: 'agents' });
  expect(accepted).toMatchObject({ id: 1, type: 'subscribed', channel: 'agents' });
  const snapshot = await client.wait('the snapshot', ({ type }) => type === 'snapshot');
  expect(snapshot).toMatchObject({
    channel: 'agents',
    seq: (accepted.seq as number) + 1,
    data: [{ id: AGENT, stage: 'draft', name: 'Hunter' }],
  });
  await announce(
    sql,
    [1, 2, 3].map((n) => ({ channel: 'agents', orgId: OURS, actorId: AGENT, body: { n } })),
  );
  await client.wait('the third update', ({ data }) => data?.n === 3);
  const updates = client.updates('agents');
  expect(updates.map(({ data }) => data.n)).toEqual([1, 2, 3]);
  expect(updates.map(({ seq }) => seq)).toEqual([1, 2, 3].map((n) => (snapshot.seq as number) + n));
  expect(updates[0]?.at).toBe('2026-05-28T20:26:40.000Z');
  expect(updates[0]?.cursor).toMatch(/^\d+\.\d+$/);
  client.socket.terminate();
  await client.closed;
});

test('unsubscribing stops the channel, by id or by channel and parameters', async () => {
  const client = await connect(fixture);
  await client.ask({ op: 'subscribe', id: 1, channel: 'takes' });
  await client.ask({ op: 'subscribe', id: 2, channel: 'bridge', params: { transferId: AGENT } });
  client.send({ op: 'unsubscribe', id: 1 });
  await client.wait('the end of takes', ({ type, id }) => type === 'unsubscribed' && id === 1);
  expect(await client.ask({ op: 'unsubscribe', id: 3, channel: 'bridge', params: { transferId: AGENT } })).toMatchObject({
    type: 'unsubscribed',
  });
  await client.ask({ op: 'subscribe', id: 4, channel: 'launches' });
  await announce(sql, [
    { channel: 'takes', orgId: OURS, body: { n: 1 } },
    { channel: 'bridge', orgId: OURS, actorId: AGENT, body: { n: 1 } },
    { channel: 'launches', orgId: OURS, body: { n: 2 } },
  ]);
  await client.wait('the launch', ({ channel, type }) => channel === 'launches' && type === 'update');
  expect(client.updates('takes')).toEqual([]);
  expect(client.updates('bridge')).toEqual([]);
  client.socket.terminate();
  await client.closed;
});

test('a duplicate subscription, an id in use and one subscription too many are refused', async () => {
  const client = await connect(fixture);
  await client.ask({ op: 'subscribe', id: 1, channel: 'takes' });
  expect(await client.ask({ op: 'subscribe', id: 2, channel: 'takes', params: {} })).toMatchObject({
    type: 'error',
    code: 'already_subscribed',
  });
  client.send({ op: 'subscribe', id: 1, channel: 'alerts' });
  await client.wait('the refused id', ({ id, code }) => id === 1 && code === 'already_subscribed');
  for (const [index, channel] of ['alerts', 'bridge', 'launches'].entries()) {
    expect(await client.ask({ op: 'subscribe', id: 10 + index, channel })).toMatchObject({ type: 'subscribed' });
  }
  expect(await client.ask({ op: 'subscribe', id: 20, channel: 'inspect' })).toMatchObject({ type: 'error', code: 'subscription_limit' });
  client.socket.terminate();
  await client.closed;
});

test('data of another organization never appears, and shared data only where intended', async () => {
  const [ours, theirs] = [await connect(fixture), await connect(fixture, 'theirs')];
  for (const channel of ['alerts', 'proposals', 'inspect']) {
    await ours.ask({ op: 'subscribe', id: channel, channel });
    await theirs.ask({ op: 'subscribe', id: channel, channel });
  }
  const rows = [...Array(60).keys()].map((n) => ({
    channel: ['alerts', 'proposals', 'inspect'][n % 3] as string,
    orgId: n % 2 === 0 ? OURS : THEIRS,
    actorId: randomUUID(),
    body: { owner: n % 2 === 0 ? 'ours' : 'theirs', n },
  }));
  await announce(sql, [
    ...rows,
    { channel: 'proposals', orgId: null, body: { n: 'nobody' } },
    { channel: 'alerts', orgId: null, body: { n: 'all' } },
  ]);
  for (const [client, owner] of [
    [ours, 'ours'],
    [theirs, 'theirs'],
  ] as const) {
    await client.wait('the alert for all', ({ data }) => data?.n === 'all');
    const own = client.frames.filter(({ type, data }) => type === 'update' && data.n !== 'all');
    expect(own).toHaveLength(30);
    expect(own.every(({ data }) => data.owner === owner)).toBe(true);
  }
  expect(fixture.defects.join()).toContain('names no organization');
  // Resuming uses other reads: it must not reveal more.
  const again = await connect(fixture, 'theirs');
  await again.ask({ op: 'subscribe', id: 1, channel: 'proposals', from: '0.0' });
  await again.wait('their last proposal', ({ data }) => data?.n === 55);
  expect(again.updates('proposals').every(({ data }) => data.owner === 'theirs')).toBe(true);
  for (const client of [ours, theirs, again]) client.socket.terminate();
});

/** Parameters of channels that require some. A new one is refused below until it is listed here. */
const NEEDED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  order_book: { venue: 'spotexchange', instrument: 'BTCUSDT' },
  candles: { venue: 'spotexchange', instrument: 'BTCUSDT', timeframe: '1h' },
};
/** Channels on which an announcement is sent unchanged. */
const PLAIN = CHANNELS.flatMap((channel) => (channel.kind === 'announcements' && channel.expand === null ? [channel.name] : []));
const announced = (orgId: string, actorId: string, n: string) =>
  announce(
    sql,
    CHANNELS.filter(({ kind }) => kind === 'announcements').map(({ name: channel }) => ({
      channel,
      orgId,
      actorId,
      body: PLAIN.includes(channel) ? { n } : { periodMs: 60_000, shard: 0, fromSlot: 60_000, slot: 120_000 },
    })),
  );

async function subscribedToAll(on: Stage, subject: string) {
  const client = await connect(on, subject);
  for (const { name } of CHANNELS)
    expect(await client.ask({ op: 'subscribe', id: name, channel: name, params: NEEDED[name] ?? {} })).toMatchObject({
      type: 'subscribed',
    });
  return client;
}

/**
 * Returns what our organization receives on every channel, by both transports, while the other organization acts. Cursors name everyone's
 * transactions.
 */
async function receivedWhile(on: Stage, meanwhile: () => Promise<unknown>) {
  const [client, over] = [await subscribedToAll(on, 'ours'), new AbortController()];
  const streams = new Map<string, string>();
  for (const { name } of CHANNELS) {
    const query = new URLSearchParams({ channel: name, ...NEEDED[name] });
    const headers = { authorization: 'Bearer ours' };
    const { status, body } = await fetch(`http://127.0.0.1:${on.port}/v1/feeds/sse?${query.toString()}`, { headers, signal: over.signal });
    expect(status).toBe(200);
    const read = async () => {
      for await (const chunk of body as ReadableStream<Uint8Array>)
        streams.set(name, (streams.get(name) ?? '') + Buffer.from(chunk).toString());
    };
    void read().catch(() => {});
  }
  const mark = async (n: string) => {
    await announced(OURS, AGENT, n);
    const isThere = (name: string) => client.updates(name).some(({ data }) => data.n === n) && streams.get(name)?.includes(`"n":"${n}"`);
    // Channels of the market begin with a snapshot, which may still be on its way.
    const hasBegun = ({ name, kind }: (typeof CHANNELS)[number]) =>
      kind === 'announcements'
        ? streams.has(name)
        : streams.get(name)?.includes('"type":"snapshot"') &&
          client.frames.some(({ channel, type }) => channel === name && type === 'snapshot');
    await waitFor(() => PLAIN.every(isThere) && CHANNELS.every(hasBegun), { what: `${n} on every channel` });
  };
  await mark('first');
  await meanwhile();
  await mark('last');
  over.abort();
  client.socket.terminate();
  await client.closed;
  // A heartbeat comes when it is due.
  const plain = (text = '') => text.replaceAll(/^: heartbeat\n\n|^(id|:).*$|"(cursor|at)":"?[^",]*"?,?/gm, '');
  return CHANNELS.map(({ name }) => [
    name,
    plain(
      client.frames
        .filter(({ channel }) => channel === name)
        .map((frame) => JSON.stringify(frame))
        .join('\n'),
    ),
    plain(streams.get(name)),
  ]);
}

test('no announcement or request of another organization changes a byte of any channel, by websocket or events', async () => {
  const own = await openFixture(sql, { feeds: { connectionsPerSubject: 40 } });
  const alone = await receivedWhile(own, async () => {});
  const beside = await receivedWhile(own, async () => {
    const foreign = await subscribedToAll(own, 'theirs');
    await announced(THEIRS, randomUUID(), 'foreign');
    await announced(THEIRS, AGENT, 'of an actor of ours');
    for (const channel of PLAIN) {
      await foreign.wait(`their own on ${channel}`, (frame) => frame.channel === channel && frame.data?.n === 'of an actor of ours');
      await foreign.ask({ op: 'unsubscribe', id: channel });
      await foreign.ask({ op: 'subscribe', id: `${channel} again`, channel, from: '0.0' });
    }
    foreign.socket.terminate();
  });
  expect(PLAIN.length).toBeGreaterThan(5);
  expect(beside).toEqual(alone);
  await own.close();
});

test('a subscription to one actor receives only that one, live and resumed', async () => {
  const [one, other] = [randomUUID(), randomUUID()];
  const client = await connect(fixture);
  await client.ask({ op: 'subscribe', id: 1, channel: 'takes', params: { takeId: one } });
  await announce(
    sql,
    [other, one, other, one].map((actorId, n) => ({ channel: 'takes', orgId: OURS, actorId, body: { n } })),
  );
  await client.wait('the second of its own', ({ data }) => data?.n === 3);
  expect(client.updates('takes').map(({ data }) => data.n)).toEqual([1, 3]);
  const again = await connect(fixture);
  await again.ask({ op: 'subscribe', id: 1, channel: 'takes', params: { takeId: one }, from: '0.0' });
  await again.wait('the second of its own', ({ data }) => data?.n === 3);
  expect(again.updates('takes').map(({ data }) => data.n)).toEqual([1, 3]);
  for (const gone of [client, again]) gone.socket.terminate();
});

test('an identity without grants sees the market and nothing else', async () => {
  const client = await connect(fixture, 'stranger');
  expect(await client.ask({ op: 'subscribe', id: 1, channel: 'agents' })).toMatchObject({ type: 'error', code: 'permission_missing' });
  fixture.bus.publish(testQuote('BTCUSDT', '63000.1', 1_000));
  expect(await client.ask({ op: 'subscribe', id: 2, channel: 'quotes' })).toMatchObject({ type: 'subscribed' });
  const snapshot = await client.wait('the snapshot', ({ type }) => type === 'snapshot');
  expect(snapshot.data).toMatchObject([
    { venue: 'spotexchange', instrument: 'BTCUSDT', bid: '63000.1', observedAt: '1970-01-01T00:00:01.000Z' },
  ]);
  client.socket.terminate();
});

test('quotes are filtered by venue, instrument or a list, and the newest of a burst is sent', async () => {
  const client = await connect(fixture);
  await client.ask({ op: 'subscribe', id: 1, channel: 'quotes', params: { instruments: ['spotexchange:ETHUSDT'] } });
  for (let n = 1; n <= 50; n++) {
    fixture.bus.publish(testQuote('ETHUSDT', `${3_000 + n}`, 2_000 + n));
    fixture.bus.publish(testQuote('SOLUSDT', `${100 + n}`, 2_000 + n));
  }
  const last = await client.wait('the newest', ({ type, data }) => type === 'update' && data.bid === '3050');
  expect(last.data.instrument).toBe('ETHUSDT');
  const updates = client.updates('quotes');
  expect(updates.every(({ data }) => data.instrument === 'ETHUSDT')).toBe(true);
  expect(updates.length).toBeLessThan(5);
  client.socket.terminate();
});

test('garbage, binary and oversize messages end neither the service nor other sockets', async () => {
  const neighbour = await connect(fixture);
  for (const junk of [Buffer.from([0xff, 0xfe, 0x00]), Buffer.alloc(1_000, 7)]) {
    const client = await connect(fixture);
    client.socket.send(junk, { binary: true });
    expect(await client.wait('the error', ({ type }) => type === 'error')).toMatchObject({ code: 'malformed' });
    client.socket.terminate();
    await client.closed;
  }
  const large = await connect(fixture);
  large.socket.send('x'.repeat(20_000));
  expect((await large.closed).code).toBe(1009);
  const brokenText = await connect(fixture);
  brokenText.socket.send(Buffer.from([0xff]), { binary: false });
  expect((await brokenText.closed).code).toBe(1007);
  const unframed = await connect(fixture);
  unframed.net().write(Buffer.from('not a frame at all, but plenty of bytes'));
  await unframed.closed;
  await neighbour.roundTrip();
  neighbour.socket.terminate();
});

test('a flood of messages is not read, and an endless one is cut off', async () => {
  // Its time stands still, so that the flood takes none, however busy the machine is.
  const still = await openFixture(sql, { clock: createVirtualClock(1_780_000_000_000) });
  const client = await connect(still);
  for (let n = 0; n < 100; n++) client.send({ op: 'ping', id: n });
  await client.wait('the limit', ({ code }) => code === 'rate_limited');
  await new Promise((resolve) => client.socket.ping('', true, resolve));
  expect(client.frames.filter(({ type }) => type === 'pong')).toHaveLength(60);
  for (let n = 0; n < 400; n++) client.send({ op: 'ping', id: n });
  expect((await client.closed).code).toBe(4029);
  await still.close();
});

test('the number of connections per subject is limited', async () => {
  fixture.members.set('greedy', { orgId: OURS, permissions: ['market:read'] });
  const clients = await Promise.all([...Array(6)].map(() => connect(fixture, 'greedy')));
  await expect(connect(fixture, 'greedy')).rejects.toThrow('429');
  clients[0]?.socket.close();
  await clients[0]?.closed;
  const another = await connect(fixture, 'greedy');
  for (const client of [...clients, another]) client.socket.terminate();
});

test('without a verified caller there is no socket, and without an upgrade there is an explanation', async () => {
  const socket = new WebSocket(`ws://127.0.0.1:${fixture.port}/v1/feeds`);
  await expect(new Promise((_, reject) => socket.once('error', reject))).rejects.toThrow('401');
  const answer = await fetch(`http://127.0.0.1:${fixture.port}/v1/feeds`, { headers: { authorization: 'Bearer ours' } });
  expect(answer.status).toBe(400);
  expect(await answer.json()).toMatchObject({ code: 'malformed', detail: expect.stringContaining('WebSocket') });
});
