/** HTTP to one fixed host: each request is sent once, and it is always told whether any of it may have arrived. */
import type { Dispatcher } from 'undici';
// Not from the package's entry: that puts its own connections beneath Node's `fetch`, and those end the process if a peer
// closes while a body waits to be read (nodejs/undici#5360).
import Client from 'undici/lib/dispatcher/client.js';
import Pool from 'undici/lib/dispatcher/pool.js';
import type { Clock } from '../../streams/clock.ts';

const MAX_CONNECTIONS = 8;

export interface HttpTransportOptions {
  /** `https://api.example.com`; its path is kept as a prefix. Every request goes to this host and no other. */
  readonly baseUrl: string;
  readonly clock: Clock;
  /** Milliseconds from the sending of a request to the end of its answer. */
  readonly totalTimeoutMs: number;
  /** Milliseconds within which a connection must be made. */
  readonly connectTimeoutMs: number;
  /** A longer answer is broken off. Bytes. */
  readonly maxAnswerBytes: number;
}

export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Path and query as they are to go out, after the prefix of the base URL. */
  readonly target: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /**
   * True for a new connection that is closed afterwards. Nobody can tell what reached the host over a reused one, so requests that change
   * something there use a new one.
   */
  readonly fresh?: boolean;
  /** Remaining time to send it, in milliseconds, read just before its first byte leaves. The result is `not_sent` at zero. */
  readonly leftMs?: () => number;
}

/** Names of headers are in lower case. */
export type AnswerHeaders = Readonly<Record<string, string | string[] | undefined>>;

export type LossCode = 'timeout' | 'connect_timeout' | 'connection_failed' | 'answer_broken_off' | 'answer_too_large';

/** Result of one request. */
export type HttpOutcome =
  | { readonly kind: 'answered'; readonly status: number; readonly headers: AnswerHeaders; readonly text: string }
  /** `not_sent`: no byte of it left. `lost`: it may have arrived, and no whole answer came. `detail` names no address. */
  | { readonly kind: 'not_sent' | 'lost'; readonly code: LossCode; readonly detail: string };

export interface HttpTransport {
  readonly base: URL;
  /** Sends one request. Never throws, never repeats, never follows a redirect. */
  send(request: HttpRequest): Promise<HttpOutcome>;
  /** Closes the kept connections. */
  close(): void;
}

/** Returns the first value of a header, or undefined. */
export function headerOf(headers: AnswerHeaders, name: string): string | undefined {
  const value = headers[name.toLowerCase()];
  return Array.isArray(value) ? value[0] : value;
}

/** @throws TypeError for a base URL that is none, or that carries a query that `send` could not keep. */
export function createHttpTransport(options: HttpTransportOptions): HttpTransport {
  const base = fixedBase(options.baseUrl);
  const prefix = base.pathname.replace(/\/$/, '');
  const connecting = {
    connect: { timeout: options.connectTimeoutMs },
    // The whole answer has one deadline of the injected clock; these would be a second one by the system's.
    headersTimeout: 0,
    bodyTimeout: 0,
    pipelining: 1,
  };
  const kept = new Pool(base.origin, { ...connecting, connections: MAX_CONNECTIONS });
  return {
    base,
    async send(request) {
      const path = `${prefix}${request.target}`;
      if (request.fresh !== true) return exchange(kept, path, request, options);
      const client = new Client(base.origin, connecting);
      try {
        return await exchange(client, path, request, options);
      } finally {
        client.destroy().catch(() => {});
      }
    },
    close: () => void kept.destroy().catch(() => {}),
  };
}

function fixedBase(baseUrl: string): URL {
  let base: URL;
  try {
    base = new URL(baseUrl);
  } catch {
    throw new TypeError(`"${baseUrl}" is not a URL; a base URL looks like https://api.example.com`);
  }
  if (base.protocol !== 'https:' && base.protocol !== 'http:') throw new TypeError(`"${baseUrl}" must begin with https:// or http://`);
  if (base.search !== '' || base.hash !== '') throw new TypeError(`"${baseUrl}" must not carry a query or a fragment`);
  return base;
}

function exchange(
  dispatcher: Dispatcher,
  path: string,
  { method, headers = {}, body, fresh = false, leftMs }: HttpRequest,
  options: HttpTransportOptions,
): Promise<HttpOutcome> {
  return new Promise((resolve) => {
    const answer = new Answer(options, resolve, leftMs);
    const sent = {
      path,
      method,
      headers: { accept: 'application/json', 'user-agent': 'sevengate/1', ...headers },
      body: body ?? null,
      reset: fresh,
    };
    try {
      dispatcher.dispatch(sent, answer);
    } catch (error) {
      answer.onResponseError(null, error as Error);
    }
  });
}

/** Collects one answer. The host may have been told of the request from `onRequestStart` on, which comes before its first byte. */
class Answer implements Dispatcher.DispatchHandler {
  readonly #options: HttpTransportOptions;
  readonly #resolve: (outcome: HttpOutcome) => void;
  readonly #leftMs: (() => number) | undefined;
  readonly #stopTimer: () => void;
  readonly #chunks: Buffer[] = [];
  #bytes = 0;
  #leaving = false;
  #settled = false;
  #controller: Dispatcher.DispatchController | null = null;
  #status = 0;
  #headers: AnswerHeaders = {};

  constructor(options: HttpTransportOptions, resolve: (outcome: HttpOutcome) => void, leftMs: (() => number) | undefined) {
    this.#leftMs = leftMs;
    const { clock, totalTimeoutMs } = options;
    this.#options = options;
    this.#resolve = resolve;
    this.#stopTimer = clock.deadline(clock.now() + totalTimeoutMs, () =>
      this.#break('timeout', `did not answer within ${totalTimeoutMs} ms`),
    );
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#leftMs !== undefined && this.#leftMs() <= 0) this.#break('timeout', 'took its connection when the time to send was over');
    // Given up while it waited for a connection: not a byte goes out.
    if (this.#settled) controller.abort(new Error('given up'));
    else this.#leaving = true;
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: AnswerHeaders): void {
    // Interim answers (1xx) come before the one that counts.
    if (status < 200) return;
    this.#status = status;
    this.#headers = headers;
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#bytes += chunk.length;
    const { maxAnswerBytes } = this.#options;
    if (this.#bytes > maxAnswerBytes) this.#break('answer_too_large', `answered more than ${maxAnswerBytes} bytes`);
    else this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    this.#settle({ kind: 'answered', status: this.#status, headers: this.#headers, text: Buffer.concat(this.#chunks).toString('utf8') });
  }

  onResponseError(_controller: Dispatcher.DispatchController | null, error: Error & { code?: string }): void {
    if (error.code === 'UND_ERR_CONNECT_TIMEOUT')
      return this.#break('connect_timeout', `did not accept a connection within ${this.#options.connectTimeoutMs} ms`);
    const why = error.code ?? error.message;
    if (this.#status > 0) this.#break('answer_broken_off', `broke off its answer: ${why}`);
    else this.#break('connection_failed', `cannot be reached: ${why}`);
  }

  #break(code: LossCode, detail: string): void {
    if (this.#settled) return;
    this.#settle({ kind: this.#leaving ? 'lost' : 'not_sent', code, detail });
    this.#controller?.abort(new Error(detail));
  }

  #settle(outcome: HttpOutcome): void {
    if (this.#settled) return;
    this.#settled = true;
    this.#stopTimer();
    this.#resolve(outcome);
  }
}
