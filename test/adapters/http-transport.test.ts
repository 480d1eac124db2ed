/** HTTP transport with servers that refuse, hang, break off or flood: it always reports whether a request may have arrived. */
import { execFile } from 'node:child_process';
import http from 'node:http';
import net, { type AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { afterEach, describe, expect, test } from 'vitest';
import { createHttpTransport, type HttpTransport, type HttpTransportOptions } from '../../src/adapters/http-transport.ts';
import { createLiveClock } from '../../streams/clock/live-clock.ts';
import { createVirtualClock } from '../../streams/clock/virtual-clock.ts';
import { REFUSING_PORT } from '../harness/ports.ts';
import { waitFor } from '../harness/wait-for.ts';

const READS_LATE = `
  import { once } from 'node:events';
  import net from 'node:net';
  import { setImmediate as turn } from 'node:timers/promises';
  await import('./src/adapters/http-transport.ts');
  const body = 'a'.repeat(30_000);
  const server = net.createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const asked = fetch('http://127.0.0.1:' + server.address().port);
  const [socket] = await once(server, 'connection');
  await once(socket, 'data');
  socket.end('HTTP/1.1 200 OK\\r\\nContent-Length: ' + body.length + '\\r\\nConnection: close\\r\\n\\r\\n' + body);
  const answer = await asked;
  for (let turns = 0; turns < 1_000; turns += 1) await turn();
  console.log((await answer.text()).length);
  process.exit();
`;

const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const cleanup of cleanups.splice(0).reverse()) cleanup();
});

async function listening(server: net.Server): Promise<string> {
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  cleanups.push(() => {
    if (server instanceof http.Server) server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function transport(baseUrl: string, over: Partial<HttpTransportOptions> = {}): HttpTransport {
  const made = createHttpTransport({
    baseUrl,
    clock: createLiveClock(),
    totalTimeoutMs: 5_000,
    connectTimeoutMs: 3_000,
    maxAnswerBytes: 10_000,
    ...over,
  });
  cleanups.push(() => made.close());
  return made;
}

describe('fate of a request', () => {
  test('answered: status, headers in lower case, text; the prefix of the base URL is kept', async () => {
    const seen: string[] = [];
    const url = await listening(
      http.createServer((request, response) => {
        seen.push(`${request.method} ${request.url} ${String(request.headers['x-own'])} ${String(request.headers['user-agent'])}`);
        response.setHeader('Retry-After', '7').writeHead(301, { Location: '/elsewhere' }).end('moved');
      }),
    );
    const answer = await transport(`${url}/prefix/`).send({ method: 'GET', target: '/a?b=c%20d', headers: { 'x-own': 'yes' } });
    expect(answer).toMatchObject({ kind: 'answered', status: 301, text: 'moved', headers: { 'retry-after': '7' } });
    expect(seen).toEqual(['GET /prefix/a?b=c%20d yes sevengate/1']);
  });

  test('not sent: nothing listens', async () => {
    const url = `http://127.0.0.1:${REFUSING_PORT}`;
    for (const fresh of [false, true]) {
      const outcome = await transport(url).send({ method: 'POST', target: '/', body: '{}', fresh });
      expect(outcome).toMatchObject({ kind: 'not_sent', code: 'connection_failed' });
    }
  });

  test('lost: the connection ends after the request, in the middle of the answer, or nothing comes in time', async () => {
    for (const [reply, code] of [
      ['', 'connection_failed'],
      ['HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf', 'answer_broken_off'],
    ] as const) {
      const url = await listening(
        net.createServer((socket) => {
          socket.once('data', () => socket.end(reply));
          socket.on('error', () => {});
        }),
      );
      expect(await transport(url).send({ method: 'POST', target: '/order', body: '{}', fresh: true })).toMatchObject({
        kind: 'lost',
        code,
      });
    }
    const clock = createVirtualClock(0);
    // The server receives the request but does not answer before the timeout.
    const hanging = await listening(
      net.createServer((socket) => {
        socket.once('data', () => clock.advanceTo(clock.now() + 50));
        socket.on('error', () => {});
      }),
    );
    const outcome = await transport(hanging, { clock, totalTimeoutMs: 50 }).send({ method: 'POST', target: '/order', fresh: true });
    expect(outcome).toMatchObject({ kind: 'lost', code: 'timeout' });
  });

  test('not sent: timed out while waiting for a kept connection, and the host never sees it', async () => {
    const received: string[] = [];
    const url = await listening(http.createServer((request) => void received.push(request.url ?? '')));
    const clock = createVirtualClock(0);
    const made = transport(url, { clock, totalTimeoutMs: 300 });
    const sent = Array.from({ length: 9 }, (_, index) => made.send({ method: 'GET', target: `/${index}` }));
    await waitFor(() => received.length === 8, { what: 'as many requests as there are connections' });
    clock.advanceTo(clock.now() + 300);
    const outcomes = await Promise.all(sent);
    expect(outcomes.map(({ kind }) => kind)).toEqual([...Array.from({ length: 8 }, () => 'lost'), 'not_sent']);
    await new Promise((resolve) => setImmediate(resolve));
    expect(received.sort()).toEqual(Array.from({ length: 8 }, (_, index) => `/${index}`));
  });

  test('not sent: connected after the time to send was over, and the host never sees it', async () => {
    const received: string[] = [];
    let connections = 0;
    const url = await listening(
      http
        .createServer((request, response) => {
          received.push(request.url ?? '');
          response.end('taken');
        })
        .on('connection', () => connections++),
    );
    const made = transport(url);
    let leftMs = 0;
    const ask = (target: string) => made.send({ method: 'POST', target, body: '{}', fresh: true, leftMs: () => leftMs });
    expect(await ask('/late')).toMatchObject({ kind: 'not_sent', code: 'timeout' });
    await waitFor(() => connections === 1, { what: 'the connection that came too late' });
    leftMs = 1;
    expect(await ask('/in-time')).toMatchObject({ kind: 'answered', text: 'taken' });
    expect(received).toEqual(['/in-time']);
  });

  test('an answer that is too large is cut off', async () => {
    let closed = 0;
    const url = await listening(
      http.createServer((_request, response) => {
        response.on('close', () => closed++);
        const pour = (): void => void (response.destroyed || response.write('x'.repeat(5_000), () => setImmediate(pour)));
        pour();
      }),
    );
    expect(await transport(url).send({ method: 'GET', target: '/' })).toMatchObject({ kind: 'lost', code: 'answer_too_large' });
    await waitFor(() => closed === 1, { what: 'the connection is closed' });
  });
});

test('kept connections are reused, single-use ones never', async () => {
  let connections = 0;
  const server = http.createServer((_request, response) => response.end('{}'));
  server.on('connection', () => connections++);
  const made = transport(await listening(server));
  for (let index = 0; index < 10; index++) await made.send({ method: 'GET', target: '/' });
  // The answer arrives a moment before its connection is free again.
  const kept = connections;
  expect(kept).toBeLessThanOrEqual(2);
  for (let index = 0; index < 3; index++) await made.send({ method: 'POST', target: '/', fresh: true });
  expect(connections).toBe(kept + 3);
});

test.each(['not a url', 'ftp://example.com', 'https://example.com/?key=1'])('%s is not a base URL', (baseUrl) => {
  expect(() => transport(baseUrl)).toThrow(TypeError);
});

/** Runs in a new process, because `fetch` chooses its connections once per process. */
test('an unread body whose server closes ends no process that uses the transport', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['--import', 'tsx', '--input-type=module', '--eval', READS_LATE]);
  expect(stdout).toBe('30000\n');
});
