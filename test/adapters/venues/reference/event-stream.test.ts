/** Event stream: refused data uses no memory, and open connections are closed. */
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { type EventStreamEnded, serverEvents } from '../../../../src/adapters/venues/reference/event-stream.ts';
import { createVirtualClock } from '../../../../streams/clock/virtual-clock.ts';
import { NOON, until } from '../spotexchange/tiny-world.ts';

const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup();
});

test('a refusal with an endless body is cut short and named', async () => {
  let closed = 0;
  const server = http.createServer((_request, response) => {
    response.writeHead(503);
    const pour = setInterval(() => response.write('no '.repeat(10_000)), 1);
    response.on('close', () => {
      clearInterval(pour);
      closed++;
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  cleanups.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const ends: [string, number][] = [];
  const clock = createVirtualClock(NOON);
  const stream = serverEvents({
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    headers: {},
    clock,
    silenceMs: 1_000,
  }).subscribe({
    next: (event) => expect.fail(event.kind),
    error: ({ message, status }: EventStreamEnded) => ends.push([message, status]),
  });
  cleanups.push(() => stream.unsubscribe());
  await until('it has ended', () => ends.length === 1, 3);
  expect(ends[0]?.[0]).toMatch(/^answered 503 no no/);
  expect(ends[0]?.[0].length).toBeLessThan(250);
  expect(ends[0]?.[1]).toBe(503);
  await until('the request is closed', () => closed === 1, 3);
  expect(clock.pending).toBe(0);
});
