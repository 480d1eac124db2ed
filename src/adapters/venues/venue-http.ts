/** HTTP client of a venue: one host, time and size limits, the request budget, no redirects. See docs/reference/outside/rules.md. */
import { backoffMs } from '../../../streams/backoff.ts';
import { type Clock, timeLeft } from '../../../streams/clock/clock.ts';
import type { NoteUnknownField } from '../../../streams/feed-counters.ts';
import { DAY_MS, type EpochMs, MINUTE_MS } from '../../domain/values/time.ts';
import type { Venue } from '../../domain/market/venue.ts';
import { createHttpTransport, type HttpOutcome, type HttpTransport, readHeader } from '../http-transport.ts';
import { type KnownFields, noteUnknown } from './known-fields.ts';
import { type RequestBudget, WeightBudget } from './request-budget.ts';
import { VenueError } from './venue-feed.ts';

const TOTAL_TIMEOUT_MS = 10_000;
const MAX_RESPONSE_BYTES = 5 * 1024 * 1024;
const WINDOW_MS = MINUTE_MS;

/** Maximum accepted Retry-After in milliseconds: the longest known ban. */
const MAX_RETRY_AFTER_MS = 3 * DAY_MS;

/** Query: a record without its undefined members, or pairs with repeatable names. */
type VenueQuery = Readonly<Record<string, string | number | undefined>> | readonly (readonly [name: string, value: string])[];

/** Time that a read may take. */
export interface Patience {
  /** Maximum milliseconds that a request waits for budget or Retry-After. Default 60 s. */
  readonly maxWaitMs?: number;
  /** Maximum milliseconds of a read with its waits and repetitions. Default: none; each attempt has 10 s. */
  readonly totalMs?: number;
}

export interface VenueHttpOptions extends Patience {
  readonly venue: Venue;
  /** Base URL, such as `https://api.binance.com`. Its path prefixes every request; no other host is contacted. */
  readonly baseUrl: string;
  readonly clock: Clock;
  /** Random source for jitter of retries, 0 <= n < 1. */
  readonly random: () => number;
  /** Request weight allowed in any 60 s. */
  readonly weightPerMinute: number;
  /** Shared budget of the host, if several clients use it; replaces `weightPerMinute`. */
  readonly budget?: RequestBudget;
  /** Headers of every request, such as `{ 'x-api-key': key }`; never logged. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Response header with the counted weight of the minute, if there is one. */
  readonly usedWeightHeader?: string;
  /** Parses the venue's code and text from a refusal; null if it has none. `body` is undefined if the text is not JSON. */
  readonly readError?: (body: unknown, status: number, text: string) => { readonly code: string; readonly message: string } | null;
  /** Maximum attempts of a read. Default 3. */
  readonly attempts?: number;
  /** Milliseconds of pause after a rate limit without a stated time. Default 60 s, the budget's window. */
  readonly limitPauseMs?: number;
  /** Timeout of connecting, in milliseconds. Default 3 s. */
  readonly connectTimeoutMs?: number;
  /** Counts unknown members in answers to requests with `known`. */
  readonly note?: NoteUnknownField;
}

/**
 * HTTP client of one venue. It only reads, so every request may be repeated. Members outside `known` are counted by the client; without
 * `known` the caller may count them.
 */
export interface VenueHttp {
  /** Returns the full URL of a request, for a stream that the caller opens. */
  address(path: string, query: VenueQuery): string;
  /** Reads. @throws VenueError if the venue refuses, does not answer or answers nonsense */
  get(path: string, query: VenueQuery, weight: number, known?: KnownFields): Promise<unknown>;
  /** Reads like `get`, or returns `UNCHANGED` if the venue says so. @throws VenueError */
  getIfChanged(path: string, query: VenueQuery, weight: number, known?: KnownFields): Promise<unknown>;
  /** Reads by POST with a JSON body. @throws VenueError */
  post(path: string, body: unknown, weight: number, known?: KnownFields): Promise<unknown>;
  /** Closes open connections. */
  close(): void;
}

/** Result of a conditional read of unchanged data. */
export const UNCHANGED: unique symbol = Symbol('unchanged');

/** Maximum remembered validators per client. */
const MAX_VALIDATORS = 500;

/** Parses Retry-After, seconds or an HTTP date, into at most 3 days in milliseconds; null if missing or invalid. */
export function retryAfterMs(header: string | undefined, now: EpochMs): number | null {
  if (header === undefined) return null;
  const ms = /^\d{1,9}$/.test(header) ? Number(header) * 1000 : Date.parse(header) - now;
  return Number.isNaN(ms) ? null : Math.min(Math.max(0, ms), MAX_RETRY_AFTER_MS);
}

type Answer = Extract<HttpOutcome, { kind: 'answered' }>;

/** Headers with the end of a limit in unix seconds, and the length of its window. */
const RESET_HEADERS = [
  ['x-ratelimit-reset', WINDOW_MS],
  ['x-rate-limit-reset', 15 * MINUTE_MS],
] as const;

/** Returns the pause that a venue requests: Retry-After, else the end of its limit; or null. */
function readPause({ status, headers }: Answer, now: EpochMs): number | null {
  const told = retryAfterMs(readHeader(headers, 'retry-after'), now);
  if (told !== null || status !== 429) return told;
  for (const [name, longest] of RESET_HEADERS) {
    const reset = readHeader(headers, name);
    if (reset !== undefined && /^\d{1,12}$/.test(reset)) return Math.max(0, Math.min(longest, Number(reset) * 1000 - now));
  }
  return null;
}

/** Creates the client. Connections are kept alive; limits are 10 s and 5 MB per answer. @throws TypeError for an invalid base URL */
export function createVenueHttp(options: VenueHttpOptions): VenueHttp {
  const http = createHttpTransport({
    baseUrl: options.baseUrl,
    clock: options.clock,
    totalTimeoutMs: TOTAL_TIMEOUT_MS,
    connectTimeoutMs: options.connectTimeoutMs ?? 3_000,
    maxAnswerBytes: MAX_RESPONSE_BYTES,
  });
  const { base } = http;
  const prefix = base.pathname.replace(/\/$/, '');
  const reader = new VenueReader(options, http);

  async function counted(answer: Promise<unknown>, known: KnownFields | undefined): Promise<unknown> {
    const body = await answer;
    if (known !== undefined && body !== UNCHANGED) noteUnknown(body, known, options.note);
    return body;
  }

  return {
    address: (path, query) => base.origin + prefix + buildTarget(path, query),
    get: async (path, query, weight, known) => counted(reader.read({ method: 'GET', target: buildTarget(path, query) }, weight), known),
    getIfChanged: async (path, query, weight, known) =>
      counted(reader.read({ method: 'GET', target: buildTarget(path, query) }, weight, true), known),
    post: async (path, body, weight, known) =>
      counted(reader.read({ method: 'POST', target: buildTarget(path, {}), body: JSON.stringify(body) }, weight), known),
    close: http.close,
  };
}

function buildTarget(path: string, query: VenueQuery): string {
  if (!/^(\/[A-Za-z0-9_-][A-Za-z0-9_.~@-]*)+$/.test(path)) throw new TypeError(`"${path}" is not a plain absolute path`);
  const parameters = new URLSearchParams();
  const pairs: readonly (readonly [string, string | number | undefined])[] = Array.isArray(query) ? query : Object.entries(query);
  for (const [name, value] of pairs) if (value !== undefined) parameters.append(name, String(value));
  const text = parameters.toString();
  return text === '' ? path : `${path}?${text}`;
}

interface ReadRequest {
  readonly method: 'GET' | 'POST';
  readonly target: string;
  readonly body?: string;
}

/** Reads within the budget, repeats temporary failures, and reports refusals by the venue's code. */
class VenueReader {
  readonly #options: VenueHttpOptions;
  readonly #http: HttpTransport;
  readonly #budget: RequestBudget;
  readonly #maxWaitMs: number;
  /** ETag or Last-Modified of the last answer by target. */
  readonly #validators = new Map<string, Readonly<Record<string, string>>>();
  /** True after a read that failed despite repetitions: until one succeeds, reads are not repeated, because the caller repeats. */
  #down = false;

  constructor(options: VenueHttpOptions, http: HttpTransport) {
    this.#options = options;
    this.#http = http;
    this.#budget = options.budget ?? new WeightBudget(options.weightPerMinute);
    this.#maxWaitMs = options.maxWaitMs ?? MINUTE_MS;
  }

  /** @throws VenueError if the venue refuses, does not answer or answers nonsense */
  async read(request: ReadRequest, weight: number, conditional = false): Promise<unknown> {
    const { clock, attempts = 3, totalMs } = this.#options;
    const leftMs = totalMs === undefined ? () => Infinity : timeLeft(clock, totalMs);
    for (let attempt = 1; ; attempt++) {
      await this.#takeBudget(weight, leftMs);
      try {
        return await this.#ask(request, conditional, Math.max(1, Math.round(leftMs())));
      } catch (error) {
        if (!(error instanceof VenueError)) throw error;
        const pause = this.#pauseAfter(error, attempt);
        if (error.status === 429 || error.status === 418) this.#budget.block(clock.now() + pause);
        const passing = error.status === 429 || error.status >= 500 || (error.status === 0 && error.code !== 'response_too_large');
        if (passing && attempt >= attempts) this.#down = true;
        if (!passing || this.#down || pause > Math.min(this.#maxWaitMs, leftMs())) throw error;
        await this.#wait(pause);
      }
    }
  }

  async #ask(request: ReadRequest, conditional: boolean, timeoutMs: number): Promise<unknown> {
    const { target, body } = request;
    const conditions = (conditional && this.#validators.get(target)) || {};
    const json: Readonly<Record<string, string>> = body === undefined ? {} : { 'content-type': 'application/json' };
    const outcome = await this.#http.send({ ...request, headers: { ...this.#options.headers, ...json, ...conditions }, timeoutMs });
    if (outcome.kind !== 'answered') throw this.#lossOf(outcome);
    if (outcome.status < 500 && outcome.status !== 429) this.#down = false;
    if (outcome.status === 304 && this.#validators.has(target)) return UNCHANGED;
    const found = this.#bodyOf(outcome);
    if (conditional) this.#remember(target, outcome);
    return found;
  }

  #pauseAfter(error: VenueError, attempt: number): number {
    const limited = error.status === 429 || error.status === 418;
    // A rate limit without a stated time needs a pause too.
    const told = error.retryAfterMs ?? (limited ? (this.#options.limitPauseMs ?? WINDOW_MS) : 0);
    return Math.max(told, backoffMs(attempt, this.#options.random));
  }

  async #takeBudget(weight: number, leftMs: () => number): Promise<void> {
    const { venue, clock } = this.#options;
    let waited = 0;
    for (;;) {
      const ms = await this.#budget.take(weight, clock.now());
      if (ms === 0) return;
      if (waited + ms > this.#maxWaitMs || ms > leftMs()) {
        const { host } = this.#http.base;
        throw new VenueError(venue, 0, 'budget_exhausted', `the request budget of ${host} is spent; free again in ${ms} ms`, ms);
      }
      waited += ms;
      await this.#wait(ms);
    }
  }

  #wait(ms: number): Promise<void> {
    const { clock } = this.#options;
    return new Promise((resolve) => {
      clock.deadline(clock.now() + ms, resolve);
    });
  }

  #lossOf({ code, detail }: Exclude<HttpOutcome, Answer>): VenueError {
    const told = code === 'answer_too_large' ? 'response_too_large' : code === 'answer_broken_off' ? 'connection_failed' : code;
    return new VenueError(this.#options.venue, 0, told, `${this.#http.base.host} ${detail}`);
  }

  #remember(target: string, { headers }: Answer): void {
    const etag = readHeader(headers, 'etag');
    const modified = readHeader(headers, 'last-modified');
    this.#validators.delete(target);
    if (etag === undefined && modified === undefined) return;
    this.#validators.set(target, etag === undefined ? { 'if-modified-since': modified as string } : { 'if-none-match': etag });
    if (this.#validators.size > MAX_VALIDATORS) this.#validators.delete(this.#validators.keys().next().value as string);
  }

  /** Returns the JSON of a success. @throws VenueError otherwise */
  #bodyOf(answer: Answer): unknown {
    const { venue, clock, usedWeightHeader, readError } = this.#options;
    const { host } = this.#http.base;
    const now = clock.now();
    const used = usedWeightHeader === undefined ? undefined : readHeader(answer.headers, usedWeightHeader);
    if (used !== undefined && /^\d{1,9}$/.test(used)) this.#budget.observeUsed(Number(used), now);
    const { status, text } = answer;
    if (status >= 300 && status < 400)
      throw new VenueError(venue, status, 'redirect', `${host} answered with a redirect, which is never followed`);
    const body = parsed(text);
    if (status >= 200 && status < 300) {
      if (body === undefined)
        throw new VenueError(venue, status, 'not_json', `${host} answered something that is not JSON: ${text.slice(0, 80)}`);
      return body;
    }
    const own = readError?.(body, status, text) ?? null;
    const message = own?.message ?? `${host} answered ${status}`;
    throw new VenueError(venue, status, own?.code ?? `http_${status}`, message, readPause(answer, now));
  }
}

/** Returns undefined if the text is not JSON. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
