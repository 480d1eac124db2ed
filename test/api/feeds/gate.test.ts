// Feeds behind the whole API: access, and the visible effects of commands.
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { createDirectory } from '../../../actors/runtime/directory.ts';
import { registerFeeds } from '../../../api/feeds/index.ts';
import { createInProcessMarketStateBus } from '../../../src/adapters/queue/market-state-bus.ts';
import { createInProcessQuoteBus } from '../../../src/adapters/queue/quote-bus.ts';
import { type AnnouncementTail, createAnnouncementTail } from '../../../src/adapters/store/actors/announcement-tail.ts';
import { createAgentReads } from '../../../src/adapters/store/agents/agent-reads.ts';
import { openDatabase, type Sql } from '../../../src/adapters/store/database.ts';
import { createActorLives } from '../../../actors/runtime/actor-life.ts';
import { createInspection } from '../../../api/feeds/inspected-actors.ts';
import { createHistoryStore } from '../../../src/adapters/store/actors/history-store.ts';
import { createLiveClock } from '../../../streams/clock/live-clock.ts';
import { testDatabase } from '../../harness/postgres.ts';
import { waitFor } from '../../harness/wait-for.ts';
import { type ApiUnderTest, apiUnderTest, ORIGIN, OURS, payload, THEIRS } from '../api-under-test.ts';
import type { Frame } from './fixture.ts';

let api: ApiUnderTest;
let sql: Sql;
let tail: AnnouncementTail;
let port: number;
beforeAll(async () => {
  const url = await testDatabase();
  sql = openDatabase({ url, connections: 4, name: 'feeds gate test' });
  await sql`insert into organizations (id, name) values (${OURS}, 'ours'), (${THEIRS}, 'theirs')`;
  const live = createLiveClock();
  tail = createAnnouncementTail({ sql, clock: live });
  await tail.start();
  const agents = createAgentReads(sql);
  let seen: ApiUnderTest['ports'] | null = null;
  api = await apiUnderTest(
    (plain) => {
      seen = plain;
      return {};
    },
    {
      extend: [
        async (app) => {
          const ports = seen as unknown as ApiUnderTest['ports'];
          await registerFeeds(
            app,
            {
              // The API's time stands still; waiting is real.
              clock: {
                now: () => ports.clock.now(),
                elapsed: live.elapsed,
                deadline: (at, call) => live.deadline(live.now() + at - ports.clock.now(), call),
              },
              members: ports.access.members,
              announcements: tail,
              quotes: createInProcessQuoteBus({ clock: live }),
              states: createInProcessMarketStateBus({ clock: live }),
              candles: { range: async () => [] },
              rankings: { cuts: { at: async () => null }, basis: { rows: async () => [] } },
              expandDecisions: async () => [],
              agentsNow: async (orgId) => (await agents.list(orgId, { limit: 200, after: null })).items,
              inspection: createInspection({
                reads: ports.actors.reads,
                lives: () => createActorLives({ store: createHistoryStore(api.sql), directory: createDirectory([]) }),
                directory: createDirectory([]),
              }),
              reportDefect: (error) => {
                throw error;
              },
            },
            { verifyMs: 100 },
          );
        },
      ],
    },
    url,
  );
  await api.sql`select 1`;
  await api.app.listen({ port: 0, host: '127.0.0.1' });
  port = (api.app.server.address() as AddressInfo).port;
});
afterAll(async () => {
  await api?.close();
  await tail?.stop();
  await sql?.end({ timeout: 1 });
});

/** Returns the status of an upgrade; 101 on success. */
function upgrade(headers: { [name: string]: string }): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/v1/feeds`, { headers });
    socket.on('open', () => {
      socket.terminate();
      resolve(101);
    });
    socket.on('unexpected-response', (_, response) => {
      response.resume();
      resolve(response.statusCode as number);
    });
    socket.on('error', reject);
  });
}

test('a socket needs one verified credential, an allowed origin, and with a cookie always an origin', async () => {
  const token = await api.token(['market:read']);
  const expired = api.issue('late', -1);
  const bearer = { authorization: `Bearer ${token}` };
  const cookie = { cookie: `sevengate=${token}` };
  for (const [headers, status] of [
    [bearer, 101],
    [{ ...bearer, origin: ORIGIN }, 101],
    [{ ...cookie, origin: ORIGIN }, 101],
    [{}, 401],
    [{ authorization: 'Bearer nonsense' }, 401],
    [{ authorization: `Bearer ${expired}` }, 401],
    [{ ...bearer, ...cookie }, 400],
    [{ ...bearer, origin: 'https://evil.example' }, 403],
    [{ ...cookie, origin: 'https://evil.example' }, 403],
    [{ ...cookie, origin: 'null' }, 403],
    [cookie, 403],
  ] as const) {
    expect([headers, await upgrade(headers)]).toEqual([headers, status]);
  }
});

test('a refused upgrade leaves no connection open', async () => {
  const connections = (): Promise<number> => new Promise((resolve) => api.app.server.getConnections((_, count) => resolve(count)));
  await waitFor(async () => (await connections()) === 0, { what: 'an idle server' });
  await Promise.all([...Array(20)].map(() => upgrade({})));
  await waitFor(async () => (await connections()) === 0, { what: 'the refused connections to be gone' });
});

test('an agent created and paused over HTTP appears only on its organization’s feeds', async () => {
  const token = await api.token(['market:read', 'agent:read', 'trade:execute', 'risk:manage']);
  const foreign = await api.token(['market:read', 'agent:read'], THEIRS);
  const listen = async (credential: string): Promise<Frame[]> => {
    const frames: Frame[] = [];
    const socket = new WebSocket(`ws://127.0.0.1:${port}/v1/feeds`, { headers: { authorization: `Bearer ${credential}` } });
    socket.on('message', (data) => frames.push(JSON.parse(String(data)) as Frame));
    await new Promise((resolve) => socket.once('open', resolve));
    for (const channel of ['agents', 'inspect']) socket.send(JSON.stringify({ op: 'subscribe', id: channel, channel }));
    await waitFor(() => frames.filter(({ type }) => type === 'subscribed').length === 2, { what: 'two subscriptions' });
    return frames;
  };
  const created = await api.call('POST', '/v1/agents', { token, body: payload() });
  expect(created.status).toBe(201);
  const [ours, theirs] = [await listen(token), await listen(foreign)];
  const snapshot = await waitFor(() => ours.find(({ type }) => type === 'snapshot'), { what: 'the snapshot' });
  const listed = await api.call('GET', '/v1/agents', { token });
  expect(snapshot.data).toEqual(listed.body.items);
  const paused = await api.call('POST', `/v1/agents/${created.body.id}/pause`, { token, body: {} });
  expect(paused.status).toBe(200);
  const change = await waitFor(() => ours.find(({ channel, type }) => channel === 'agents' && type === 'update'), { what: 'the pause' });
  expect(change.data).toMatchObject({ agentId: created.body.id, status: 'paused', duty: 'paused', pauseCause: 'operator' });
  // The tail may lag behind the subscription, so that the creation arrives before the pause.
  const step = await waitFor(
    () => ours.find(({ channel, type, data }) => channel === 'inspect' && type === 'update' && data.event.type === 'pause'),
    {
      what: 'the step',
    },
  );
  expect(step.data).toMatchObject({ actorId: created.body.id });
  await waitFor(() => theirs.some(({ type }) => type === 'snapshot'), { what: 'the foreign snapshot' });
  expect(theirs.filter(({ type }) => type === 'update')).toEqual([]);
  expect(theirs.find(({ type }) => type === 'snapshot')?.data).toEqual([]);
});

test('a revoked token and a removed member lose their open connections at once, and no other does', async () => {
  const admin = await api.token(['market:read', 'members:manage']);
  const joined = async (): Promise<{ readonly token: string; readonly subject: string }> => {
    const token = await api.token(['market:read', 'agent:read']);
    return { token, subject: (await api.call('GET', '/v1/me', { token })).body.subject };
  };
  const [revoked, removed, other] = [await joined(), await joined(), await joined()];
  const open = async (token: string) => {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/v1/feeds`, { headers: { authorization: `Bearer ${token}` } });
    const closed = new Promise<readonly [number, string]>((resolve) =>
      socket.on('close', (code, reason) => resolve([code, String(reason)])),
    );
    const answered = new Promise((resolve) => socket.once('message', resolve));
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
    socket.send(JSON.stringify({ op: 'subscribe', id: 1, channel: 'decisions' }));
    await answered;
    return { socket, closed };
  };
  const [first, second, third] = [await open(revoked.token), await open(removed.token), await open(other.token)];
  const events = await fetch(`http://127.0.0.1:${port}/v1/feeds/sse?channel=decisions`, {
    headers: { authorization: `Bearer ${revoked.token}` },
  });
  expect((await api.call('POST', '/v1/members/revoke-tokens', { token: admin, body: { subject: revoked.subject } })).status).toBe(200);
  expect((await api.call('POST', '/v1/members/remove', { token: admin, body: { subject: removed.subject } })).status).toBe(200);
  expect(await first.closed).toEqual([4002, 'the token was taken back']);
  expect(await second.closed).toEqual([4003, 'a permission was withdrawn']);
  // The stream ends by itself, with the reason.
  expect(await events.text()).toContain('token_revoked');
  expect(await upgrade({ authorization: `Bearer ${revoked.token}` })).toBe(401);
  // A heartbeat may come first.
  const answered = new Promise<{ readonly type: string }>((resolve) =>
    third.socket.on('message', (data) => {
      const message = JSON.parse(String(data)) as { readonly type: string };
      if (message.type !== 'heartbeat') resolve(message);
    }),
  );
  third.socket.send(JSON.stringify({ op: 'ping', id: 2 }));
  expect(await answered).toMatchObject({ type: 'pong', id: 2 });
  third.socket.terminate();
});
