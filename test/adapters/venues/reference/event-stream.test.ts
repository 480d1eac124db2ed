/** The stream of events: what refuses it costs no memory, and what it holds open is closed. */
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { openEventStream } from '../../../../src/adapters/venues/reference/event-stream.ts';
import { createVirtualClock } from '../../../../streams/virtual-clock.ts';
import { NOON, until } from '../spotexchange/tiny-world.ts';

const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup();
});

test('a refusal whose body never ends is cut short and named', async () => {
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
  const stop = openEventStream({
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    headers: {},
    clock,
    silenceMs: 1_000,
    opened: () => expect.fail('opened'),
    event: () => expect.fail('event'),
    comment: () => expect.fail('comment'),
    ended: (why, status) => ends.push([why, status]),
  });
  cleanups.push(stop);
  await until('it has ended', () => ends.length === 1, 3);
  expect(ends[0]?.[0]).toMatch(/^answered 503 no no/);
  expect(ends[0]?.[0].length).toBeLessThan(250);
  expect(ends[0]?.[1]).toBe(503);
  await until('the request is closed', () => closed === 1, 3);
  expect(clock.pending).toBe(0);
});
