// Probes answered without the routes get the same answers as from the routes.
import { once } from 'node:events';
import { request } from 'node:http';
import net, { type AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createRateLimits } from '../../api/http/rate-limits.ts';
import { health } from '../../api/operation/health.ts';
import type { ApiPorts } from '../../api/route.ts';
import { buildServer } from '../../api/server.ts';
import { createMetrics } from '../../src/adapters/log/metrics.ts';
import { createNewIds } from '../../src/adapters/new-ids.ts';
import { createLiveClock } from '../../streams/clock/live-clock.ts';

const ORIGIN = 'https://console.example';
const metrics = createMetrics();
/** Number of requests that reached the routes. */
let routed = 0;
let app: FastifyInstance;
let port: number;

beforeAll(async () => {
  const clock = createLiveClock();
  const operation = {
    metrics,
    newRequestId: createNewIds(clock),
    readiness: async () => [],
    isUnavailable: () => false,
    reportDefect: () => {},
  };
  const ports = { clock, operation, access: { limits: createRateLimits() } } as unknown as ApiPorts;
  const countsRouted = (server: FastifyInstance): void => {
    server.addHook('onRequest', (_request, _reply, done) => {
      routed++;
      done();
    });
  };
  app = await buildServer(ports, { version: '0', allowedOrigins: [ORIGIN], loopback: true, extend: [countsRouted] }, () => [health]);
  await app.listen({ host: '127.0.0.1', port: 0 });
  port = (app.server.address() as AddressInfo).port;
});
afterAll(() => app.close());

interface Answered {
  readonly status: number;
  readonly headers: readonly string[];
  readonly id: string;
  readonly body: string;
}

async function ask(method = 'GET', headers: Record<string, string> = {}, path = '/healthz'): Promise<Answered> {
  const asked = request({ port, host: '127.0.0.1', method, path, headers, agent: false });
  asked.end();
  const [answer] = await once(asked, 'response');
  let body = '';
  for await (const part of answer) body += String(part);
  const pairs = Object.entries(answer.headers as Record<string, string>);
  return {
    status: answer.statusCode,
    headers: pairs.flatMap(([name, value]) => (name === 'date' || name === 'x-request-id' ? [] : [`${name}: ${value}`])).sort(),
    id: answer.headers['x-request-id'],
    body,
  };
}

test('gives the status, headers and body of the route with its own id, and is counted like the route', async () => {
  const first = await ask();
  expect(routed).toBe(1);
  const later = [await ask(), await ask(), await ask()];
  expect(routed).toBe(1);
  for (const { id, ...answer } of later) {
    const { id: _, ...expected } = first;
    expect(answer).toEqual(expected);
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  }
  expect(first.body).toBe('{"status":"ok"}');
  expect(new Set([first, ...later].map(({ id }) => id)).size).toBe(4);
  expect(await metrics.render()).toMatch(/sevengate_http_[a-z_]*count\{[^}]*route="\/healthz"[^}]*\} 4\n/);
});

test('leaves all other requests to the routes', async () => {
  await ask();
  const before = routed;
  expect((await ask('GET', { origin: ORIGIN })).headers).toContain(`access-control-allow-origin: ${ORIGIN}`);
  expect((await ask('POST')).status).toBe(405);
  expect((await ask('GET', {}, '/healthz/')).status).toBe(404);
  expect((await ask('GET', { 'content-length': '0' })).status).toBe(200);
  expect((await ask('GET', {}, '/healthz?a=1')).status).toBe(200);
  // Requests without a route do not run route hooks.
  expect(routed - before).toBe(3);
});

test('keeps the order of concurrent requests', async () => {
  await ask();
  const socket = net.connect({ port, host: '127.0.0.1' });
  const line = (path: string): string => `GET ${path} HTTP/1.1\r\nhost: x\r\n`;
  socket.write(`${line('/nothing')}\r\n${line('/healthz')}\r\n${line('/nothing')}connection: close\r\n\r\n`);
  let text = '';
  for await (const part of socket) text += String(part);
  expect([...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)).toEqual(['404', '200', '404']);
});
