// Feeds behind authentication: a socket opens only for a verified caller from an allowed origin.
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import WebSocket from 'ws';
import { createActorLives } from '../../actors/runtime/actor-life.ts';
import { createDirectory } from '../../actors/runtime/directory.ts';
import { registerFeeds } from '../../api/feeds/index.ts';
import type { ApiPorts } from '../../api/route.ts';
import { type ApiUnderTest, apiUnderTest, ORIGIN } from './api-under-test.ts';

let api: ApiUnderTest;
let token: string;
let port: number;
beforeAll(async () => {
  let ports: ApiPorts | undefined;
  api = await apiUnderTest(
    (plain) => {
      ports = plain;
      return {};
    },
    {
      extend: [
        async (app) => {
          const {
            clock,
            access: { members },
          } = ports as ApiPorts;
          await registerFeeds(app, {
            clock: clock as never,
            members,
            // Nothing is announced: only the gate is tested.
            announcements: {
              position: () => ({ xid: 0, seq: 0 }),
              subscribe: () => () => {},
              read: async (_, position) => ({ rows: [], position }),
              isKnown: async () => true,
            },
            quotes: { snapshot: () => [], latest: () => null, subscribe: () => () => {} },
            states: { snapshot: () => [], latest: () => null, subscribe: () => () => {} },
            candles: { range: async () => [] },
            rankings: { cuts: { at: async () => null }, basis: { rows: async () => [] } },
            expandDecisions: async () => [],
            agentsNow: async () => [],
            inspection: {
              directory: createDirectory([]),
              lives: () => createActorLives({ store: null as never, directory: createDirectory([]) }),
              actors: async () => [],
            },
            reportDefect: (error) => api.defects.push(error),
          });
        },
      ],
    },
  );
  token = await api.token(['market:read', 'agent:read']);
  await api.app.listen({ port: 0, host: '127.0.0.1' });
  port = (api.app.server.address() as AddressInfo).port;
});
afterAll(() => api.close());

/** Returns `open`, or the status that refused the upgrade. */
function knock(headers: Record<string, string>, query = ''): Promise<string | number> {
  return new Promise((resolve) => {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/v1/feeds${query}`, { headers });
    socket.on('open', () => {
      resolve('open');
      socket.terminate();
    });
    socket.on('unexpected-response', (_, response) => {
      resolve(response.statusCode ?? 0);
      response.destroy();
    });
    socket.on('error', () => {});
  });
}

test('who may open a socket', async () => {
  const bearer = { authorization: `Bearer ${token}` };
  const cookie = { cookie: `sevengate=${token}` };
  expect(await knock(bearer)).toBe('open');
  expect(await knock({ ...bearer, origin: ORIGIN })).toBe('open');
  expect(await knock({ ...cookie, origin: ORIGIN })).toBe('open');
  expect(await knock(cookie)).toBe(403);
  for (const origin of ['https://evil.example', 'null', `${ORIGIN}.evil.example`]) {
    expect(await knock({ ...cookie, origin }), origin).toBe(403);
    expect(await knock({ ...bearer, origin }), origin).toBe(403);
  }
  expect(await knock({})).toBe(401);
  expect(await knock({}, `?token=${token}&authorization=Bearer%20${token}`)).toBe(401);
  expect(await knock({ authorization: `Bearer ${api.issue('late', -1)}` })).toBe(401);
  expect(await knock({ ...bearer, ...cookie, origin: ORIGIN })).toBe(400);
  expect(api.defects).toEqual([]);
});

test('the documented feed routes are those served', async () => {
  expect((await api.call('GET', '/v1/feeds', { token })).body.code).toBe('malformed');
  expect((await api.call('GET', '/v1/feeds/sse?channel=nonsense', { token })).body.code).toBe('malformed');
  expect((await api.call('GET', '/v1/feeds/inspector', { token })).body.code).toBe('malformed');
  expect((await api.call('GET', '/v1/feeds/inspector', { token: await api.token(['market:read']) })).body.code).toBe('permission_missing');
  expect((await api.call('GET', '/v1/feeds/sse?channel=decisions', { token: await api.token(['market:read']) })).body.code).toBe(
    'permission_missing',
  );
});

test('closing drops open sockets instead of waiting for them', async () => {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/v1/feeds`, { headers: { authorization: `Bearer ${token}` } });
  await new Promise((open) => socket.once('open', open));
  const closed = new Promise<number>((resolve) => socket.once('close', resolve));
  await api.app.close();
  expect(await closed).toBe(1012);
});
