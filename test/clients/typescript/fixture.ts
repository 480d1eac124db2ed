/** Shared by the client's tests: timing that never sleeps, the API without a socket, and a scripted server. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Timing } from '../../../clients/typescript/src/timing.ts';
import type { ApiUnderTest } from '../../api/api-under-test.ts';

/** Waits of at least this long last until the test ends them; shorter pauses pass at once. */
const HELD_FROM_MS = 10_000;

export interface TestTiming extends Timing {
  /** Pauses that were waited for, in milliseconds. */
  readonly pauses: readonly number[];
  /** Ends every pending long wait. */
  expire(): void;
}

export function testTiming(at = Date.UTC(2026, 2, 2, 14, 31)): TestTiming {
  const pauses: number[] = [];
  const held = new Set<() => void>();
  return {
    pauses,
    now: () => at,
    random: () => 1,
    wait(ms, signal) {
      if (signal?.aborted) return Promise.reject(signal.reason);
      if (ms < HELD_FROM_MS) {
        pauses.push(ms);
        return Promise.resolve();
      }
      return new Promise((resolve, reject) => {
        held.add(resolve);
        signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
      });
    },
    expire() {
      for (const pass of held) pass();
      held.clear();
    },
  };
}

/** Creates a `fetch` that calls the API in this process. */
export function fetchOf({ app }: Pick<ApiUnderTest, 'app'>): typeof fetch {
  return async (input, init = {}) => {
    init.signal?.throwIfAborted();
    const { body, method = 'GET' } = init;
    const { pathname, search } = new URL(String(input));
    const answer = await app.inject({
      method: method as 'GET',
      url: `${pathname}${search}`,
      headers: init.headers as Record<string, string>,
      ...(typeof body === 'string' ? { payload: body } : {}),
    });
    const headers = Object.entries(answer.headers).map(([name, value]) => [name, String(value)] as [string, string]);
    return new Response(answer.statusCode === 204 ? null : new Uint8Array(answer.rawPayload), { status: answer.statusCode, headers });
  };
}

export interface Asked {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
}

/** Answers one request. */
export type Answering = (response: ServerResponse) => void;

export interface AnsweringServer {
  readonly url: string;
  readonly asked: readonly Asked[];
  close(): Promise<void>;
}

/** Starts a server on loopback that gives these answers in turn, and then repeats the last one. */
export async function answering(...answers: readonly Answering[]): Promise<AnsweringServer> {
  const asked: Asked[] = [];
  const server: Server = createServer((request, response) => {
    const answer = answers[Math.min(asked.length, answers.length - 1)];
    asked.push({ method: request.method ?? '', url: request.url ?? '', headers: request.headers });
    request.resume();
    request.on('end', () => answer?.(response));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

type Headers = Readonly<Record<string, string>>;

export const json =
  (body: unknown, status = 200, headers: Headers = {}) =>
  (response: ServerResponse): void =>
    void response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', ...headers }).end(JSON.stringify(body));

export const problem =
  (status: number, code: string, headers: Headers = {}, more: object = {}) =>
  (response: ServerResponse): void =>
    void response.writeHead(status, { 'content-type': 'application/problem+json', ...headers }).end(
      JSON.stringify({
        type: `urn:sevengate:problem:${code}`,
        title: code,
        status,
        detail: `this is ${code}`,
        code,
        requestId: 'r-1',
        ...more,
      }),
    );

export const html =
  (status: number, headers: Headers = {}) =>
  (response: ServerResponse): void =>
    void response.writeHead(status, { 'content-type': 'text/html', ...headers }).end('<h1>Bad gateway</h1>');

/** Ends the connection without an answer. */
export const hangUp = (response: ServerResponse): void => void response.socket?.destroy();

/** Promises a body and closes the connection in the middle of it. */
export const cutOff = (response: ServerResponse): void => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
  response.write('{"items":[', () => response.socket?.destroy());
};

/** Sends a complete answer with truncated JSON. */
export const truncated = (response: ServerResponse): void =>
  void response.writeHead(200, { 'content-type': 'application/json' }).end('{"items":[');

/** Accepts the request and never answers. */
export const silence = (): void => {};

/** Starts an event stream with these events, then runs `then`. */
export const events =
  (texts: readonly string[], then: (response: ServerResponse) => void = (response) => void response.end()) =>
  (response: ServerResponse): void => {
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
    response.write(texts.join(''), () => then(response));
  };

/** Returns an event with one frame of a channel. */
export const frame = (channel: string, type: string, cursor: string | null, data: unknown): string =>
  `${cursor === null ? '' : `id: ${cursor}\n`}data: ${JSON.stringify({ channel, type, seq: 1, cursor, at: '2026-03-02T14:31:00.000Z', data })}\n\n`;

/** Returns an event that refuses or ends a feed. */
export const refusal = (channel: string, code: string): string =>
  `data: ${JSON.stringify({ channel, type: 'error', code, detail: `this is ${code}`, at: '2026-03-02T14:31:00.000Z', data: { code, detail: '' } })}\n\n`;

/** Returns every item of a stream. */
export async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const found: Item[] = [];
  for await (const item of items) found.push(item);
  return found;
}
