/** Base of every simulator: an HTTP and websocket server on 127.0.0.1 with a fault switch. */
import http from 'node:http';
import type { Duplex } from 'node:stream';
import { type RawData, type WebSocket, WebSocketServer } from 'ws';
import type { Clock } from '../../streams/clock/clock.ts';
import { createFramePipe, type FaultSwitch, spoiledBody } from './faults.ts';
import { answerPlainly, guarded, listenLocally, readTarget } from './local-server.ts';

/** Request to a simulator. */
export interface LoopbackRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  /** Raw query string, as it was signed. */
  readonly search: string;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: string;
}

/** Answer of a simulator. A `body` that is not a string is sent as JSON. */
export interface LoopbackAnswer {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Socket of one client. The fault switch applies to everything sent. */
export interface LoopbackSocket {
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: http.IncomingHttpHeaders;
  /** Sends market data, which faults may lose, duplicate, reorder or pollute. */
  data(text: string): void;
  /** Sends an acknowledgement, pong or error, which only a freeze loses. */
  control(text: string): void;
  ping(payload: string): void;
  close(code: number, reason: string): void;
}

export interface LoopbackSession {
  message?(text: string): void;
  /** Receives a ping or pong frame of the client. */
  signal?(kind: 'ping' | 'pong'): void;
  closed?(): void;
}

interface LoopbackOptions {
  readonly clock: Clock;
  readonly faults: FaultSwitch;
  /** Port; 0 takes any free port. */
  readonly port: number;
  readonly request: (request: LoopbackRequest) => LoopbackAnswer;
  /** Returns the status that refuses a handshake, or null if it may proceed. Default: all may proceed. */
  readonly admit?: (target: Pick<LoopbackSocket, 'path' | 'headers'>) => number | null;
  /** Returns the session of a new socket, or null if the path accepts no sockets. */
  readonly socket: (socket: LoopbackSocket) => LoopbackSession | null;
}

export interface LoopbackServer {
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  /** `ws://127.0.0.1:<port>` */
  readonly wsUrl: string;
  /** Closes all sockets and the server. Resolves when the port is free. */
  close(): Promise<void>;
}

const MAX_BODY_BYTES = 64 * 1024;

function readSearch({ url = '' }: http.IncomingMessage): string {
  const at = url.indexOf('?');
  return at < 0 ? '' : url.slice(at + 1);
}
/** Unread bytes after which a slow client is cut off, like at real venues. */
const MAX_BACKLOG_BYTES = 32 * 1024 * 1024;

/** Listens on loopback only. Date headers come from the simulator's clock, including its fault offset. */
export async function listenOnLoopback(options: LoopbackOptions): Promise<LoopbackServer> {
  const { clock, faults } = options;
  const cancels = new Set<() => void>();
  /** Delayed handshakes, which the server itself must close. */
  const held = new Set<Duplex>();

  function later(ms: number, call: () => void): void {
    if (ms <= 0) return call();
    const cancel = clock.deadline(clock.now() + ms, () => {
      cancels.delete(cancel);
      call();
    });
    cancels.add(cancel);
  }

  const server = http.createServer((incoming, response) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    incoming.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > MAX_BODY_BYTES) incoming.destroy();
      else chunks.push(chunk);
    });
    incoming.on('error', () => response.destroy());
    incoming.on('end', () => {
      later(faults.settings.slowMs, () => {
        if (faults.settings.freeze || response.destroyed) return;
        if (faults.settings.disconnectLoop) return void response.destroy();
        const target = readTarget(incoming);
        if (target === null) return answerPlainly(response, 400, 'that is not an address');
        const body = Buffer.concat(chunks).toString('utf8');
        guarded(response, () =>
          respond(
            options,
            response,
            options.request({ method: incoming.method ?? 'GET', ...target, search: readSearch(incoming), headers: incoming.headers, body }),
          ),
        );
      });
    });
  });

  const sockets = new WebSocketServer({ noServer: true, maxPayload: MAX_BODY_BYTES, perMessageDeflate: false, autoPong: false });
  server.on('upgrade', (incoming, stream, head) => {
    stream.on('error', () => stream.destroy());
    const target = readTarget(incoming);
    if (target === null) {
      stream.end('HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n');
      return;
    }
    const { headers } = incoming;
    held.add(stream);
    later(faults.settings.slowMs, () => {
      held.delete(stream);
      if (stream.destroyed) return;
      if (faults.happens(faults.settings.lostAnswer)) return void stream.destroy();
      const refused = findRefusalStatus(options, target.path, headers);
      if (refused === null)
        return sockets.handleUpgrade(incoming, stream, head, (socket) => attach(options, socket, { ...target, headers }));
      const retryAfter = refused === 429 ? 'Retry-After: 1\r\n' : '';
      stream.end(
        `HTTP/1.1 ${refused} ${http.STATUS_CODES[refused] ?? 'Refused'}\r\n${retryAfter}Content-Length: 0\r\nConnection: close\r\n\r\n`,
      );
    });
  });

  const { port, close } = await listenLocally(server, options.port);
  return {
    url: `http://127.0.0.1:${port}`,
    wsUrl: `ws://127.0.0.1:${port}`,
    close: () => {
      for (const cancel of cancels) cancel();
      for (const stream of held) stream.destroy();
      for (const socket of sockets.clients) socket.terminate();
      return close();
    },
  };
}

/** Sends an answer, unless a fault loses or corrupts it. */
function respond(
  { clock, faults }: Pick<LoopbackOptions, 'clock' | 'faults'>,
  response: http.ServerResponse,
  answer: LoopbackAnswer,
): void {
  // Executed, but the client gets no answer.
  if (faults.happens(faults.settings.lostAnswer)) return void response.destroy();
  const text = spoiledBody(faults) ?? (typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body));
  response.sendDate = false;
  response.writeHead(answer.status, {
    'content-type': typeof answer.body === 'string' ? 'text/plain' : 'application/json',
    date: new Date(clock.now() + faults.settings.clockOffsetMs).toUTCString(),
    ...answer.headers,
  });
  response.end(text);
}

/** Returns the status that refuses a handshake, or null if it may proceed. */
function findRefusalStatus(
  { faults, admit }: Pick<LoopbackOptions, 'faults' | 'admit'>,
  path: string,
  headers: http.IncomingHttpHeaders,
): number | null {
  const { settings } = faults;
  if (faults.happens(settings.status429)) return 429;
  if (faults.happens(settings.status5xx)) return 503;
  return admit?.({ path, headers }) ?? null;
}

/** Connects a client's socket with its session. The fault switch applies in both directions. */
function attach(
  { faults, socket: sessionOf }: Pick<LoopbackOptions, 'faults' | 'socket'>,
  socket: WebSocket,
  target: Pick<LoopbackSocket, 'path' | 'query' | 'headers'>,
): void {
  const send = (text: string) => {
    if (socket.readyState !== socket.OPEN) return;
    if (socket.bufferedAmount > MAX_BACKLOG_BYTES) return socket.terminate();
    socket.send(text);
  };
  const pipe = createFramePipe(faults, send);
  socket.on('error', () => socket.terminate());
  const session = sessionOf({
    path: target.path,
    query: target.query,
    headers: target.headers,
    data: (text) => {
      if (faults.settings.disconnectLoop) socket.terminate();
      else pipe.frame(text);
    },
    control: (text) => {
      if (!faults.settings.freeze) send(text);
    },
    ping: (payload) => {
      if (!faults.settings.freeze && socket.readyState === socket.OPEN) socket.ping(payload);
    },
    close: (code, reason) => socket.close(code, reason),
  });
  if (session === null) return socket.close(1008, 'no such path');
  socket.on('message', (raw: RawData) => {
    if (faults.settings.freeze) return;
    try {
      session.message?.((raw as Buffer).toString('utf8'));
    } catch {
      socket.close(1011, 'the simulator failed');
    }
  });
  socket.on('ping', (payload: Buffer) => {
    if (!faults.settings.freeze && socket.readyState === socket.OPEN) socket.pong(payload);
    session.signal?.('ping');
  });
  socket.on('pong', () => session.signal?.('pong'));
  socket.on('close', () => session.closed?.());
  if (faults.settings.disconnectLoop) socket.terminate();
}
