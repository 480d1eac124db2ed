/** Requests that change something at a venue: sent once, never repeated, and it is always told whether one may have arrived. */
import http from 'node:http';
import https from 'node:https';
import type { Clock } from '../../../streams/clock.ts';

/** What became of one request. */
export type Sent =
  | { readonly kind: 'answered'; readonly status: number; readonly headers: http.IncomingHttpHeaders; readonly text: string }
  /** No byte of it reached the venue. */
  | { readonly kind: 'not_sent'; readonly detail: string }
  /** It may have arrived, and no whole answer came. */
  | { readonly kind: 'lost'; readonly detail: string };

export interface OrderHttp {
  /** @param target path and query as they are to go out. */
  send(method: 'GET' | 'POST' | 'DELETE', target: string): Promise<Sent>;
  close(): void;
}

/** The venue gives up on an order after ten seconds; a little later its answer will not come any more. */
const ANSWER_TIMEOUT_MS = 11_000;
const CONNECT_TIMEOUT_MS = 3_000;
const MAX_ANSWER_BYTES = 1024 * 1024;

/** One host and no other, no redirects followed. `headers` go with every request and into no log. @throws TypeError for a base URL that is none. */
export function createOrderHttp(options: {
  readonly baseUrl: string;
  readonly clock: Clock;
  readonly headers: Readonly<Record<string, string>>;
}): OrderHttp {
  const base = new URL(options.baseUrl);
  if (base.protocol !== 'https:' && base.protocol !== 'http:') throw new TypeError('a venue is reached over https:// or http://');
  const secure = base.protocol === 'https:';
  // A connection of its own for each: one that was kept may be half closed, and nobody could tell what reached the venue.
  const agent = secure ? new https.Agent({ keepAlive: false, maxSockets: 8 }) : new http.Agent({ keepAlive: false, maxSockets: 8 });
  const prefix = base.pathname.replace(/\/$/, '');
  const { clock } = options;

  return {
    send: (method, target) =>
      new Promise((resolve) => {
        /** True from the moment on at which the venue may hear of it. */
        let leaving = false;
        const request = (secure ? https : http).request({
          protocol: base.protocol,
          hostname: base.hostname.replace(/^\[|\]$/g, ''),
          port: base.port,
          path: prefix + target,
          method,
          headers: { accept: 'application/json', 'user-agent': 'sevengate/1', 'content-length': 0, ...options.headers },
          agent,
        });
        const settle = (sent: Sent): void => {
          stopAnswer();
          stopConnect();
          resolve(sent);
        };
        const broken = (detail: string): void => {
          settle(leaving ? { kind: 'lost', detail } : { kind: 'not_sent', detail });
          request.destroy();
        };
        const stopAnswer = clock.deadline(clock.now() + ANSWER_TIMEOUT_MS, () => broken(`${base.host} did not answer in time`));
        let stopConnect = (): void => {};
        request.on('socket', (socket) => {
          if (!socket.connecting) {
            leaving = true;
            return;
          }
          stopConnect = clock.deadline(clock.now() + CONNECT_TIMEOUT_MS, () => broken(`${base.host} did not accept a connection in time`));
          socket.once(secure ? 'secureConnect' : 'connect', () => {
            leaving = true;
            stopConnect();
          });
        });
        request.on('error', (error) => broken(`${base.host}: ${error.message}`));
        request.on('response', (response) => {
          const chunks: Buffer[] = [];
          let bytes = 0;
          response.on('data', (chunk: Buffer) => {
            bytes += chunk.length;
            if (bytes > MAX_ANSWER_BYTES) broken(`${base.host} answered more than ${MAX_ANSWER_BYTES} bytes`);
            else chunks.push(chunk);
          });
          response.on('end', () =>
            settle({
              kind: 'answered',
              status: response.statusCode ?? 0,
              headers: response.headers,
              text: Buffer.concat(chunks).toString('utf8'),
            }),
          );
          response.on('error', (error) => broken(`${base.host} broke off its answer: ${error.message}`));
        });
        request.end();
      }),
    close: () => agent.destroy(),
  };
}
