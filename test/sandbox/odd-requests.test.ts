/** Requests that no client of ours sends: a simulator, which shares its process with the product, answers them and survives. */
import { once } from 'node:events';
import net from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { openSandboxControl } from '../../src/sandbox/control.ts';
import { createFaultSwitch } from '../../src/sandbox/faults.ts';
import { listenOnLoopback } from '../../src/sandbox/loopback.ts';
import { createHttpSimulator } from '../../src/sandbox/reference/http-simulator.ts';
import { createLiveClock } from '../../streams/clock/live-clock.ts';

const clock = createLiveClock();
const faults = createFaultSwitch();
const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

/** Servers, one of each kind, whose own code throws for `/broken`. */
const SERVERS: Readonly<Record<string, () => Promise<{ url: string; close(): Promise<void> }>>> = {
  loopback: () =>
    listenOnLoopback({
      clock,
      faults,
      port: 0,
      request: ({ path }) => {
        if (path === '/broken') throw new Error('broken');
        return { status: 404, body: {} };
      },
      socket: () => ({
        message: () => {
          throw new Error('broken');
        },
      }),
    }),
  'http simulator': () =>
    createHttpSimulator({
      clock,
      faults,
      port: 0,
      reply: ({ path }) => {
        if (path === '/broken') throw new Error('broken');
        return { status: 404, body: {} };
      },
    }),
  control: () => openSandboxControl({ faults: { spotexchange: faults }, port: 0 }),
};

/** Returns the status of a request whose target is written unchanged. */
async function statusOf(url: string, target: string, headers = ''): Promise<number> {
  const { port, host } = new URL(url);
  const socket = net.connect(Number(port), '127.0.0.1');
  socket.write(`GET ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n${headers}\r\n`);
  const [chunk] = (await once(socket, 'data')) as [Buffer];
  socket.destroy();
  return Number(chunk.toString().split(' ')[1]);
}

test.each(Object.keys(SERVERS))('the %s refuses invalid addresses', async (name) => {
  const server = await (SERVERS[name] as (typeof SERVERS)[string])();
  cleanups.push(() => server.close());
  for (const target of ['//', 'http://[', '/%E0%A4%A']) expect([target, await statusOf(server.url, target)]).toEqual([target, 400]);
  expect(await statusOf(server.url, '/nothing')).toBe(404);
});

test.each(['loopback', 'http simulator'])('an exception of the %s is answered with 500', async (name) => {
  const server = await (SERVERS[name] as (typeof SERVERS)[string])();
  cleanups.push(() => server.close());
  expect(await statusOf(server.url, '/broken')).toBe(500);
  expect(await statusOf(server.url, '/nothing')).toBe(404);
});

test('a socket with an invalid address is refused, and an exception in a session closes only its socket', async () => {
  const server = await (SERVERS['loopback'] as (typeof SERVERS)[string])();
  cleanups.push(() => server.close());
  const upgrade =
    'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n';
  expect(await statusOf(server.url, '//', upgrade)).toBe(400);
  const socket = new WebSocket(server.url.replace('http', 'ws'));
  await once(socket, 'open');
  socket.send('anything');
  const [code] = (await once(socket, 'close')) as [number];
  expect(code).toBe(1011);
  expect(await statusOf(server.url, '/nothing')).toBe(404);
});
