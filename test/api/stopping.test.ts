// A server that stops waits for requests, and not for connections that never sent one.
import { once } from 'node:events';
import net, { type AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { createRateLimits } from '../../api/http/rate-limits.ts';
import { health } from '../../api/operation/health.ts';
import type { ApiPorts } from '../../api/route.ts';
import { buildServer } from '../../api/server.ts';
import { createMetrics } from '../../src/adapters/log/metrics.ts';
import { createVirtualClock } from '../../streams/clock/virtual-clock.ts';

test('a connection that a browser opened in advance is closed with the server', async () => {
  const operation = {
    metrics: createMetrics(),
    newRequestId: () => '01900000-0000-7000-8000-000000000001',
    readiness: async () => [],
    isUnavailable: () => false,
    reportDefect: () => {},
  };
  const ports = { clock: createVirtualClock(0), operation, access: { limits: createRateLimits() } } as unknown as ApiPorts;
  const app = await buildServer(ports, { version: '0', allowedOrigins: [], loopback: true }, () => [health]);
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as AddressInfo;
  const accepted = once(app.server, 'connection');
  const socket = net.connect({ port, host: '127.0.0.1' });
  await accepted;
  let timeouts = 0;
  app.server.on('timeout', () => timeouts++);
  const closed = once(socket, 'close');
  await app.close();
  await closed;
  expect(timeouts, 'the server waited for the connection to time out').toBe(0);
});
