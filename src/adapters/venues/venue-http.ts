/** Requests to a venue: one fixed host, strict time and size limits, the venue's weight budget, no redirects. */
import http from 'node:http';
import https from 'node:https';
import type { Clock } from '../../../streams/clock.ts';
import type { NoteUnknownField } from '../../../streams/feed-counters.ts';
import type { EpochMs } from '../../domain/time.ts';
import type { Venue } from '../../domain/venue.ts';
import { type KnownFields, noteUnknown } from './known-fields.ts';
import { type RequestBudget, WeightBudget } from './request-budget.ts';
import { VenueError } from './venue-feed.ts';

const TOTAL_TIMEOUT_MS = 10_000;
const MAX_RESPONSE_BYTES = 5 * 1024 * 1024;
const WINDOW_MS = 60_000;

/** The longest time that a venue may ask us to stay away: the longest ban that one is known to give. */
const MAX_RETRY_AFTER_MS = 3 * 86_400_000;

/** What a request may carry in its query: a record, whose undefined members are left out, or pairs, whose names may come more than once. */
export type VenueQuery = Readonly<Record<string, string | number | undefined>> | readonly (readonly [name: string, value: string])[];

export interface VenueHttpOptions {
  readonly venue: Venue;
  /** `https://api.binance.com`; a path is kept as a prefix. Every request goes to this host and no other. */
  readonly baseUrl: string;
  readonly clock: Clock;
  /** For the jitter of retries, 0 <= n < 1. */
  readonly random: () => number;
  /** Request weight that the venue allows in any 60 s. */
  readonly weightPerMinute: number;
  /** The budget of the host, where several doors share it; then `weightPerMinute` says nothing. */
  readonly budget?: RequestBudget;
  /** Sent with every request, e.g. `{ 'x-api-key': key }`. Never logged. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The header in which the venue tells how much weight of the minute it has counted, where it does. */
  readonly usedWeightHeader?: string;
  /**
   * Reads the venue's own code and text out of a refusal; null where it is none of that venue's. `body` is undefined
   * where the text is no JSON.
   */
  readonly readError?: (body: unknown, status: number, text: string) => { readonly code: string; readonly message: string } | null;
  /** How long a request may wait for budget or for a Retry-After before it is refused instead. Default 60 s. */
  readonly maxWaitMs?: number;
  /** How often a read is tried in all. Default 3. */
  readonly attempts?: number;
  /** How long a limit without a term is waited out. Default 60 s, a whole window of the budget. */
  readonly limitPauseMs?: number;
  /** Default 3 s. */
  readonly connectTimeoutMs?: number;
  /** Hears of members that nobody knows, in answers to questions that say what is known. */
  readonly note?: NoteUnknownField;
}

/**
 * The outbound door to one venue. Only reads pass here, so every request may be repeated. `known` is what an answer is
 * known to hold: what else comes is counted once, by the door; without it the reader of the answer counts, or nobody.
 */
export interface VenueHttp {
  /** The whole address of a request, for a stream that the caller opens itself. */
  address(path: string, query: VenueQuery): string;
  /** @throws VenueError where the venue refuses, stays silent or answers nonsense. */
  get(path: string, query: VenueQuery, weight: number, known?: KnownFields): Promise<unknown>;
  /** `get`, or `UNCHANGED` where the venue says that nothing changed since the last time. @throws VenueError as `get`. */
  getIfChanged(path: string, query: VenueQuery, weight: number, known?: KnownFields): Promise<unknown>;
  /** A read that the venue wants as POST with a JSON body. @throws VenueError as `get`. */
  post(path: string, body: unknown, weight: number, known?: KnownFields): Promise<unknown>;
  /** Closes the kept connections. */
  close(): void;
}

/** What a conditional read gives where the venue's answer is still the one before. */
export const UNCHANGED: unique symbol = Symbol('unchanged');

/** Answers whose validators are remembered, per door. */
const MAX_VALIDATORS = 500;

/** Retry-After in milliseconds from seconds or an HTTP date, at most 3 days; null where there is none or it makes no sense. */
export function retryAfterMs(header: string | undefined, now: EpochMs): number | null {
  if (header === undefined) return null;
  const ms = /^\d{1,9}$/.test(header) ? Number(header) * 1000 : Date.parse(header) - now;
  return Number.isNaN(ms) ? null : Math.min(Math.max(0, ms), MAX_RETRY_AFTER_MS);
}

interface Answer {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly text: string;
}

function fixedBase(baseUrl: string): URL {
  let base: URL;
  try {
    base = new URL(baseUrl);
  } catch {
    throw new TypeError(`"${baseUrl}" is not a URL; a venue's base URL looks like https://api.example.com`);
  }
  if (base.protocol !== 'https:' && base.protocol !== 'http:') throw new TypeError(`"${baseUrl}" must begin with https:// or http://`);
  if (base.search !== '' || base.hash !== '') throw new TypeError(`"${baseUrl}" must not carry a query or a fragment`);
  return base;
}

/** Headers that name the end of a limit in unix seconds, and how long its window is. */
const RESET_HEADERS = [
  ['x-ratelimit-reset', WINDOW_MS],
  ['x-rate-limit-reset', 15 * 60_000],
] as const;

/** How long a venue wants us to wait: Retry-After, else where it limits the reset of its window. */
function retryAfterOf({ status, headers }: Answer, now: EpochMs): number | null {
  const told = retryAfterMs(header(headers, 'retry-after'), now);
  if (told !== null || status !== 429) return told;
  for (const [name, longest] of RESET_HEADERS) {
    const reset = header(headers, name);
    if (reset !== undefined && /^\d{1,12}$/.test(reset)) return Math.max(0, Math.min(longest, Number(reset) * 1000 - now));
  }
  return null;
}

function header(headers: http.IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name.toLowerCase()];
  return Array.isArray(value) ? value[0] : value;
}

/** Opens the door. Connections are kept alive; 10 s in all, 5 MB of answer. @throws TypeError for a base URL that is none. */
export function createVenueHttp(options: VenueHttpOptions): VenueHttp {
  const { venue, clock, random } = options;
  const base = fixedBase(options.baseUrl);
  const secure = base.protocol === 'https:';
  const agent = secure ? new https.Agent({ keepAlive: true, maxSockets: 8 }) : new http.Agent({ keepAlive: true, maxSockets: 8 });
  const budget = options.budget ?? new WeightBudget(options.weightPerMinute);
  const connectTimeoutMs = options.connectTimeoutMs ?? 3_000;
  const maxWaitMs = options.maxWaitMs ?? 60_000;
  const attempts = options.attempts ?? 3;
  const prefix = base.pathname.replace(/\/$/, '');

  const wait = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      clock.deadline(clock.now() + ms, resolve);
    });

  async function budgeted(weight: number): Promise<void> {
    let waited = 0;
    for (;;) {
      const ms = await budget.take(weight, clock.now());
      if (ms === 0) return;
      if (waited + ms > maxWaitMs) {
        throw new VenueError(venue, 0, 'budget_exhausted', `the request budget of ${base.host} is spent; free again in ${ms} ms`, ms);
      }
      waited += ms;
      await wait(ms);
    }
  }

  /** ETag or Last-Modified of the last answer, by target. */
  const validators = new Map<string, Readonly<Record<string, string>>>();

  function remember(target: string, { headers }: Answer): void {
    const etag = header(headers, 'etag');
    const modified = header(headers, 'last-modified');
    validators.delete(target);
    if (etag === undefined && modified === undefined) return;
    validators.set(target, etag === undefined ? { 'if-modified-since': modified as string } : { 'if-none-match': etag });
    if (validators.size > MAX_VALIDATORS) validators.delete(validators.keys().next().value as string);
  }

  function exchange(
    method: 'GET' | 'POST',
    target: string,
    body: string | null,
    conditions: Readonly<Record<string, string>>,
  ): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const fail = (code: string, message: string) => {
        stopTotal();
        stopConnect();
        request.destroy();
        reject(new VenueError(venue, 0, code, message));
      };
      const headers: http.OutgoingHttpHeaders = {
        accept: 'application/json',
        'user-agent': 'sevengate/1',
        ...options.headers,
        ...conditions,
      };
      if (body !== null) {
        headers['content-type'] = 'application/json';
        headers['content-length'] = Buffer.byteLength(body);
      }
      const request = (secure ? https : http).request(
        { protocol: base.protocol, hostname: base.hostname.replace(/^\[|\]$/g, ''), port: base.port, path: target, method, headers, agent },
        (response) => {
          const chunks: Buffer[] = [];
          let bytes = 0;
          response.on('data', (chunk: Buffer) => {
            bytes += chunk.length;
            if (bytes > MAX_RESPONSE_BYTES) fail('response_too_large', `${base.host} answered more than ${MAX_RESPONSE_BYTES} bytes`);
            else chunks.push(chunk);
          });
          response.on('end', () => {
            stopTotal();
            stopConnect();
            resolve({ status: response.statusCode ?? 0, headers: response.headers, text: Buffer.concat(chunks).toString('utf8') });
          });
          response.on('error', (error) => fail('connection_failed', `${base.host} broke off its answer: ${error.message}`));
        },
      );
      const stopTotal = clock.deadline(clock.now() + TOTAL_TIMEOUT_MS, () =>
        fail('timeout', `${base.host} did not answer within ${TOTAL_TIMEOUT_MS} ms`),
      );
      let stopConnect = (): void => {};
      request.on('socket', (socket) => {
        if (!socket.connecting) return;
        stopConnect = clock.deadline(clock.now() + connectTimeoutMs, () =>
          fail('connect_timeout', `${base.host} did not accept a connection within ${connectTimeoutMs} ms`),
        );
        socket.once(secure ? 'secureConnect' : 'connect', () => stopConnect());
      });
      request.on('error', (error) => fail('connection_failed', `${base.host} cannot be reached: ${error.message}`));
      request.end(body ?? undefined);
    });
  }

  function judge(answer: Answer): unknown {
    const now = clock.now();
    const used = options.usedWeightHeader === undefined ? undefined : header(answer.headers, options.usedWeightHeader);
    if (used !== undefined && /^\d{1,9}$/.test(used)) budget.observeUsed(Number(used), now);
    if (answer.status >= 300 && answer.status < 400) {
      throw new VenueError(venue, answer.status, 'redirect', `${base.host} answered with a redirect, which is never followed`);
    }
    let body: unknown;
    let json = true;
    try {
      body = JSON.parse(answer.text);
    } catch {
      json = false;
    }
    if (answer.status >= 200 && answer.status < 300) {
      if (!json)
        throw new VenueError(
          venue,
          answer.status,
          'not_json',
          `${base.host} answered something that is not JSON: ${answer.text.slice(0, 80)}`,
        );
      return body;
    }
    const own = options.readError?.(body, answer.status, answer.text) ?? null;
    throw new VenueError(
      venue,
      answer.status,
      own?.code ?? `http_${answer.status}`,
      own?.message ?? `${base.host} answered ${answer.status}`,
      retryAfterOf(answer, now),
    );
  }

  /** The last read failed for good although it was tried again: until one succeeds the caller's own patience is enough. */
  let down = false;

  async function read(method: 'GET' | 'POST', target: string, body: string | null, weight: number, conditional = false): Promise<unknown> {
    for (let attempt = 1; ; attempt++) {
      await budgeted(weight);
      try {
        const conditions = (conditional && validators.get(target)) || {};
        const answer = await exchange(method, target, body, conditions);
        if (answer.status < 500 && answer.status !== 429) down = false;
        if (answer.status === 304 && validators.has(target)) return UNCHANGED;
        const found = judge(answer);
        if (conditional) remember(target, answer);
        return found;
      } catch (error) {
        if (!(error instanceof VenueError)) throw error;
        const limited = error.status === 429 || error.status === 418;
        const backoff = (250 * 2 ** (attempt - 1) * (1 + random())) | 0;
        // A limit without a term still means "not now".
        const pause = Math.max(error.retryAfterMs ?? (limited ? (options.limitPauseMs ?? WINDOW_MS) : 0), backoff);
        if (limited) budget.block(clock.now() + pause);
        const passing = error.status === 429 || error.status >= 500 || (error.status === 0 && error.code !== 'response_too_large');
        if (passing && attempt >= attempts) down = true;
        if (!passing || down || pause > maxWaitMs) throw error;
        await wait(pause);
      }
    }
  }

  function target(path: string, query: VenueQuery): string {
    if (!/^(\/[A-Za-z0-9_-][A-Za-z0-9_.~@-]*)+$/.test(path)) throw new TypeError(`"${path}" is not a plain absolute path`);
    const parameters = new URLSearchParams();
    const pairs: readonly (readonly [string, string | number | undefined])[] = Array.isArray(query) ? query : Object.entries(query);
    for (const [name, value] of pairs) if (value !== undefined) parameters.append(name, String(value));
    const text = parameters.toString();
    return text === '' ? prefix + path : `${prefix}${path}?${text}`;
  }

  async function counted(answer: Promise<unknown>, known: KnownFields | undefined): Promise<unknown> {
    const body = await answer;
    if (known !== undefined && body !== UNCHANGED) noteUnknown(body, known, options.note);
    return body;
  }

  return {
    address: (path, query) => base.origin + target(path, query),
    get: async (path, query, weight, known) => counted(read('GET', target(path, query), null, weight), known),
    getIfChanged: async (path, query, weight, known) => counted(read('GET', target(path, query), null, weight, true), known),
    post: async (path, body, weight, known) => counted(read('POST', target(path, {}), JSON.stringify(body), weight), known),
    close: () => agent.destroy(),
  };
}
