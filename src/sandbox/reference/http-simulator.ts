/** HTTP server on loopback for simulators that check keys or stream events, with the faults of both. */
import http from 'node:http';
import type { Clock } from '../../../streams/clock/clock.ts';
import { createFramePipe, type FaultSwitch, spoiledBody } from '../faults.ts';
import { answerPlainly, guarded, listenLocally, readTarget } from '../local-server.ts';

/** Request to a simulator. Header names are lower case. */
export interface SimulatorRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: http.IncomingHttpHeaders;
  /** Body of a POST, otherwise empty. */
  readonly body: string;
}

interface SimulatorStream {
  /** Sends an unnamed event. The fault switch applies. */
  data(text: string): void;
  /** Sends a named event, as servers do before they cut a client off. */
  named(event: string, text: string): void;
  end(): void;
}

/** Reply of a simulator: a body (text, or anything else as JSON), or a stream that it feeds until `closed`. */
export type SimulatorReply =
  | { readonly status: number; readonly body: unknown; readonly headers?: Readonly<Record<string, string>> }
  | { readonly stream: (stream: SimulatorStream) => () => void };

interface HttpSimulatorOptions {
  readonly clock: Clock;
  readonly faults: FaultSwitch;
  /** Port; 0 takes any free port. */
  readonly port: number;
  readonly reply: (request: SimulatorRequest) => SimulatorReply;
}

export interface HttpSimulator {
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  readonly faults: FaultSwitch;
  /** Number of requests by path. */
  readonly requests: ReadonlyMap<string, number>;
  close(): Promise<void>;
}

const MAX_BODY_BYTES = 64 * 1024;
const MAX_BACKLOG_BYTES = 8 * 1024 * 1024;

/** Creates the server, which listens on 127.0.0.1 only. */
export async function createHttpSimulator(options: HttpSimulatorOptions): Promise<HttpSimulator> {
  const { clock, faults } = options;
  const requests = new Map<string, number>();
  const cancels = new Set<() => void>();

  function openStream(response: http.ServerResponse, feed: (stream: SimulatorStream) => () => void): void {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
    response.flushHeaders();
    const write = (text: string): void => {
      if (response.destroyed || response.writableEnded) return;
      // Cuts off a client that does not read, like the real server.
      if (response.writableLength > MAX_BACKLOG_BYTES) response.destroy();
      else response.write(text);
    };
    const pipe = createFramePipe(faults, (text) => write(`data:${text}\n\n`));
    const closed = feed({
      data: (text) => {
        if (faults.settings.disconnectLoop) response.destroy();
        else pipe.frame(text);
      },
      named: (event, text) => write(`event:${event}\ndata:${text}\n\n`),
      end: () => response.end(),
    });
    response.on('close', closed);
    if (faults.settings.disconnectLoop) response.destroy();
  }

  function answer(incoming: http.IncomingMessage, response: http.ServerResponse, body: string): void {
    const { settings } = faults;
    if (settings.freeze || response.destroyed) return;
    if (settings.disconnectLoop) return void response.destroy();
    const target = readTarget(incoming);
    if (target === null) return answerPlainly(response, 400, 'that is not an address');
    const { path, query } = target;
    requests.set(path, (requests.get(path) ?? 0) + 1);
    if (faults.happens(settings.status429)) {
      response.writeHead(429, { 'retry-after': '1', 'content-type': 'text/plain' }).end('[API Gateway] Too many requests');
      return;
    }
    if (faults.happens(settings.status5xx)) {
      response.writeHead(503, { 'content-type': 'text/plain' }).end('upstream connect error');
      return;
    }
    const reply = options.reply({ method: incoming.method ?? 'GET', path, query, headers: incoming.headers, body });
    // Executed, but the client gets no answer.
    if (faults.happens(settings.lostAnswer)) return void response.destroy();
    if ('stream' in reply) return openStream(response, reply.stream);
    const spoiled = spoiledBody(faults);
    const text = spoiled ?? (typeof reply.body === 'string' ? reply.body : JSON.stringify(reply.body));
    const type = typeof reply.body === 'string' ? 'text/plain' : 'application/json';
    // A broken proxy does not know which version the client has.
    const status = spoiled !== null && reply.status === 304 ? 200 : reply.status;
    response.writeHead(status, { 'content-type': type, ...(spoiled !== null ? {} : reply.headers) });
    response.end(text);
  }

  const server = http.createServer((incoming, response) => {
    incoming.on('error', () => response.destroy());
    const begin = (body: string): void => {
      if (faults.settings.slowMs <= 0) return guarded(response, () => answer(incoming, response, body));
      const cancel = clock.deadline(clock.now() + faults.settings.slowMs, () => {
        cancels.delete(cancel);
        guarded(response, () => answer(incoming, response, body));
      });
      cancels.add(cancel);
    };
    if (incoming.method === 'POST') return readBody(incoming, begin);
    incoming.resume();
    begin('');
  });
  const { port, close } = await listenLocally(server, options.port);
  return {
    url: `http://127.0.0.1:${port}`,
    faults,
    requests,
    close: () => {
      for (const cancel of cancels) cancel();
      return close();
    },
  };
}

/** Reads the whole body of a request. Cuts off a body that is too long. */
function readBody(incoming: http.IncomingMessage, done: (body: string) => void): void {
  const chunks: Buffer[] = [];
  let bytes = 0;
  incoming.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) incoming.destroy();
    else chunks.push(chunk);
  });
  incoming.on('end', () => done(Buffer.concat(chunks).toString('utf8')));
}

/** Repeats a call every `everyMs` of the clock. Returns a function that stops it. */
export function repeat(clock: Clock, everyMs: number, call: () => void): () => void {
  let cancel = clock.deadline(clock.now() + everyMs, tick);
  let stopped = false;
  function tick(): void {
    if (stopped) return;
    cancel = clock.deadline(clock.now() + everyMs, tick);
    call();
  }
  return () => {
    stopped = true;
    cancel();
  };
}
