/** HTTP client of one fixed host. Each request is sent once, and its result says whether any part of it may have arrived. */
import type { Dispatcher } from 'undici';
// Not imported from the package entry, which replaces the connections of Node's `fetch`. Those end the process if a peer closes while a
// body waits to be read (nodejs/undici#5360).
import Client from 'undici/lib/dispatcher/client.js';
import Pool from 'undici/lib/dispatcher/pool.js';
import type { Clock } from '../../streams/clock/clock.ts';

const MAX_CONNECTIONS = 8;

export interface HttpTransportOptions {
  /** Base URL, such as `https://api.example.com`. Its path prefixes every request; no other host is contacted. */
  readonly baseUrl: string;
  readonly clock: Clock;
  /** Timeout from sending a request to the end of the answer, in milliseconds. */
  readonly totalTimeoutMs: number;
  /** Timeout of connecting, in milliseconds. */
  readonly connectTimeoutMs: number;
  /** Maximum bytes of an answer; longer ones are aborted. */
  readonly maxAnswerBytes: number;
}

interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Encoded path and query, appended to the base URL. */
  readonly target: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /**
   * True to use a new connection that is closed afterwards. Requests that change something use it, because on a reused connection it is not
   * known how much of a request arrived.
   */
  readonly fresh?: boolean;
  /** Timeout of this request in milliseconds, if it is shorter than `totalTimeoutMs`. */
  readonly timeoutMs?: number;
  /** Returns the remaining milliseconds, called just before the first byte is sent. At 0 the result is `not_sent`. */
  readonly leftMs?: () => number;
}

/** Headers by lower-case name. */
type AnswerHeaders = Readonly<Record<string, string | string[] | undefined>>;

export type LossCode = 'timeout' | 'connect_timeout' | 'connection_failed' | 'answer_broken_off' | 'answer_too_large';

/** Result of one request. */
export type HttpOutcome =
  | { readonly kind: 'answered'; readonly status: number; readonly headers: AnswerHeaders; readonly text: string }
  /** `not_sent`: no byte was sent. `lost`: it may have arrived, and no complete answer came. `detail` contains no address. */
  | { readonly kind: 'not_sent' | 'lost'; readonly code: LossCode; readonly detail: string };

export type HttpTransport = ReturnType<typeof createHttpTransport>;

/** Returns the first value of a header, or undefined. */
export function readHeader(headers: AnswerHeaders, name: string): string | undefined {
  const value = headers[name.toLowerCase()];
  return Array.isArray(value) ? value[0] : value;
}

/** @throws TypeError for an invalid base URL or one with a query */
export function createHttpTransport(options: HttpTransportOptions) {
  const base = fixedBase(options.baseUrl);
  const prefix = base.pathname.replace(/\/$/, '');
  const connecting = {
    connect: { timeout: options.connectTimeoutMs },
    // One deadline by the injected clock covers the whole answer, so undici's own timeouts are disabled.
    headersTimeout: 0,
    bodyTimeout: 0,
    pipelining: 1,
  };
  const kept = new Pool(base.origin, { ...connecting, connections: MAX_CONNECTIONS });
  return {
    base,
    /** Sends one request. Never throws, repeats or follows a redirect. */
    async send(request: HttpRequest): Promise<HttpOutcome> {
      const path = `${prefix}${request.target}`;
      if (request.fresh !== true) return exchange(kept, path, request, options);
      const client = new Client(base.origin, connecting);
      try {
        return await exchange(client, path, request, options);
      } finally {
        client.destroy().catch(() => {});
      }
    },
    /** Closes open connections. */
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
  { method, headers = {}, body, fresh = false, timeoutMs = Infinity, leftMs }: HttpRequest,
  options: HttpTransportOptions,
): Promise<HttpOutcome> {
  return new Promise((resolve) => {
    const answer = new Answer({ ...options, totalTimeoutMs: Math.min(timeoutMs, options.totalTimeoutMs) }, resolve, leftMs);
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

/** Collects one answer. From `onRequestStart` on, before the first byte, the request may have reached the host. */
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
    // Timed out while waiting for a connection: send nothing.
    if (this.#settled) controller.abort(new Error('given up'));
    else this.#leaving = true;
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: AnswerHeaders): void {
    // Skip interim answers (1xx).
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
