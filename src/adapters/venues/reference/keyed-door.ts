/** Requests to a provider that wants a key in a header: one fixed host, an even request rate, strict time and size limits. */
import type { EpochMs } from '../../../domain/time.ts';
import type { Venue } from '../../../domain/venue.ts';
import type { Clock } from '../../../../streams/clock.ts';
import { VenueError } from '../venue-feed.ts';
import { retryAfterMs, WeightBudget } from '../venue-http.ts';

const TOTAL_TIMEOUT_MS = 10_000;
const MAX_RESPONSE_BYTES = 5 * 1024 * 1024;
const WINDOW_MS = 60_000;

/** Query parameters in order; a name may come more than once (`ids[]`). */
export type DoorQuery = readonly (readonly [name: string, value: string])[];

export interface KeyedDoorOptions {
  readonly venue: Venue;
  /** `https://api.jup.ag`; a path is kept as a prefix. */
  readonly baseUrl: string;
  /** Sent with every request, e.g. `{ 'x-api-key': key }`. Never logged. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly clock: Clock;
  /** For the jitter of retries, 0 <= n < 1. */
  readonly random: () => number;
  /** Requests that the plan allows in any 60 s. */
  readonly perMinute: number;
  /** How long a request may wait for budget before it is refused instead. Default 20 s. */
  readonly maxWaitMs?: number;
  /** How often a read is tried in all. Default 2. */
  readonly attempts?: number;
}

export interface KeyedDoor {
  readonly perMinute: number;
  /** @throws VenueError where the provider refuses, stays silent or answers no JSON. */
  get(path: string, query: DoorQuery): Promise<unknown>;
  /** The address and headers of a request, for a stream that the caller opens itself. */
  request(path: string, query: DoorQuery): { readonly url: string; readonly headers: Readonly<Record<string, string>> };
}

/** A refusal in the provider's own words: JSON with `errorCode`, `error` or `message`, or plain text. */
function readRefusal(status: number, text: string): { code: string; message: string } {
  try {
    const body = JSON.parse(text) as Record<string, unknown> | null;
    if (body !== null && typeof body === 'object') {
      const message = [body['error'], body['errmsg'], body['message'], body['errorMessage']].find((part) => typeof part === 'string') as
        | string
        | undefined;
      const code = body['errorCode'] ?? body['code'];
      return {
        code: typeof code === 'string' || typeof code === 'number' ? String(code).slice(0, 60) : `http_${status}`,
        message: (message ?? text).slice(0, 200),
      };
    }
  } catch {
    // Plain text it is.
  }
  return { code: `http_${status}`, message: text.trim().slice(0, 200) };
}

/** Reads a body up to the limit; null where it is larger. */
async function readText(response: Response): Promise<string | null> {
  if (response.body === null) return '';
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
    bytes += chunk.length;
    if (bytes > MAX_RESPONSE_BYTES) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** When a limited plan frees a slot: Retry-After, else `x-ratelimit-reset` (unix seconds), else nothing is known. */
function limitPause(headers: Headers, now: EpochMs): number | null {
  const retryAfter = retryAfterMs(headers.get('retry-after') ?? undefined, now);
  if (retryAfter !== null) return retryAfter;
  const reset = headers.get('x-ratelimit-reset');
  return reset !== null && /^\d{1,12}$/.test(reset) ? Math.max(0, Math.min(WINDOW_MS, Number(reset) * 1000 - now)) : null;
}

/** Opens the door. 10 s per request, 5 MB of answer, no redirects; every request counts against one budget. */
export function createKeyedDoor(options: KeyedDoorOptions): KeyedDoor {
  const { venue, clock, random, perMinute } = options;
  const base = new URL(options.baseUrl);
  if (base.protocol !== 'https:' && base.protocol !== 'http:')
    throw new TypeError(`"${options.baseUrl}" must begin with https:// or http://`);
  const prefix = base.origin + base.pathname.replace(/\/$/, '');
  const maxWaitMs = options.maxWaitMs ?? 20_000;
  const attempts = options.attempts ?? 2;
  const budget = new WeightBudget(perMinute);
  const headers = { accept: 'application/json', 'user-agent': 'sevengate/1', ...options.headers };

  const pause = (ms: number): Promise<void> => new Promise((resolve) => void clock.deadline(clock.now() + ms, resolve));

  function address(path: string, query: DoorQuery): string {
    const text = new URLSearchParams(query.map(([name, value]): [string, string] => [name, value])).toString();
    return text === '' ? prefix + path : `${prefix}${path}?${text}`;
  }

  async function budgeted(): Promise<void> {
    let waited = 0;
    for (;;) {
      const ms = budget.take(1, clock.now());
      if (ms === 0) return;
      if (waited + ms > maxWaitMs) {
        throw new VenueError(venue, 0, 'budget_exhausted', `the request budget of ${base.host} is spent; free again in ${ms} ms`, ms);
      }
      waited += ms;
      await pause(ms);
    }
  }

  async function exchange(url: string): Promise<unknown> {
    const abort = new AbortController();
    const cancel = clock.deadline(clock.now() + TOTAL_TIMEOUT_MS, () => abort.abort());
    let response: Response;
    let text: string | null;
    try {
      response = await fetch(url, { headers, redirect: 'manual', signal: abort.signal });
      text = await readText(response);
    } catch (error) {
      if (abort.signal.aborted) throw new VenueError(venue, 0, 'timeout', `${base.host} did not answer within ${TOTAL_TIMEOUT_MS} ms`);
      const cause = (error as { cause?: { code?: string; message?: string } }).cause;
      throw new VenueError(
        venue,
        0,
        'connection_failed',
        `${base.host} cannot be reached: ${cause?.code ?? cause?.message ?? (error as Error).message}`,
      );
    } finally {
      cancel();
    }
    if (text === null)
      throw new VenueError(venue, response.status, 'response_too_large', `${base.host} answered more than ${MAX_RESPONSE_BYTES} bytes`);
    if (response.status >= 300 && response.status < 400) {
      throw new VenueError(venue, response.status, 'redirect', `${base.host} answered with a redirect, which is never followed`);
    }
    if (!response.ok) {
      const { code, message } = readRefusal(response.status, text);
      const detail =
        response.status === 401
          ? `${base.host} answered 401 ${message}: ${options.headers === undefined ? 'it wants an API key, and none is configured' : 'the configured API key is not accepted'}`
          : `${base.host} answered ${response.status}: ${message}`;
      throw new VenueError(venue, response.status, code, detail, limitPause(response.headers, clock.now()));
    }
    try {
      return JSON.parse(text);
    } catch {
      throw new VenueError(venue, response.status, 'not_json', `${base.host} answered something that is not JSON: ${text.slice(0, 80)}`);
    }
  }

  return {
    perMinute,
    request: (path, query) => ({ url: address(path, query), headers }),
    async get(path, query) {
      const url = address(path, query);
      for (let attempt = 1; ; attempt++) {
        await budgeted();
        try {
          return await exchange(url);
        } catch (error) {
          if (!(error instanceof VenueError)) throw error;
          const limited = error.status === 429;
          const backoff = Math.round(250 * 2 ** (attempt - 1) * (1 + random()));
          const wait = limited ? Math.max(error.retryAfterMs ?? 10_000, backoff) : Math.max(error.retryAfterMs ?? 0, backoff);
          if (limited) budget.block(clock.now() + wait);
          const passing = limited || error.status >= 500 || (error.status === 0 && error.code !== 'budget_exhausted');
          if (!passing || attempt >= attempts || wait > maxWaitMs) throw error;
          await pause(wait);
        }
      }
    },
  };
}
