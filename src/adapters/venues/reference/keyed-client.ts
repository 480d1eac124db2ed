/** HTTP client of providers that require a key in a header and count requests instead of weights. */

import type { Clock } from '../../../../streams/clock/clock.ts';
import type { NoteUnknownField } from '../../../../streams/feed-counters.ts';
import type { Venue } from '../../../domain/market/venue.ts';
import type { KnownFields } from '../known-fields.ts';
import type { RequestBudget } from '../request-budget.ts';
import { createVenueHttp } from '../venue-http.ts';

/** Query parameters in order. A name may repeat (`ids[]`). */
export type ClientQuery = readonly (readonly [name: string, value: string])[];

export interface KeyedClientOptions {
  readonly venue: Venue;
  /** Base URL, e.g. `https://api.jup.ag`. A path is kept as a prefix. */
  readonly baseUrl: string;
  /** Headers of every request, such as `{ 'x-api-key': key }`. Never logged. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly clock: Clock;
  /** Random source for the jitter of retries, 0 <= n < 1. */
  readonly random: () => number;
  /** Requests that the plan allows in any 60 s. */
  readonly perMinute: number;
  /** Budget of the host, if several clients share it. Default: its own with `perMinute`. */
  readonly budget?: RequestBudget;
  /** Maximum wait for budget before a request is refused, in milliseconds. Default 20 s. */
  readonly maxWaitMs?: number;
  /** Maximum attempts of a read. Default 2. */
  readonly attempts?: number;
  /** Counts unknown fields of answers to requests that state the known ones. */
  readonly note?: NoteUnknownField;
}

export interface KeyedClient {
  readonly perMinute: number;
  /** Requests a path. `known` is as in `VenueHttp`. @throws VenueError if the provider refuses, does not answer or does not return JSON */
  get(path: string, query: ClientQuery, known?: KnownFields): Promise<unknown>;
  /** Requests like `get`, and returns `UNCHANGED` if the provider reports that its answer has not changed. @throws VenueError as `get` */
  getIfChanged(path: string, query: ClientQuery, known?: KnownFields): Promise<unknown>;
  /** Returns the URL and headers of a request, for a stream that the caller opens. */
  request(path: string, query: ClientQuery): { readonly url: string; readonly headers: Readonly<Record<string, string>> };
}

/** Parses a refusal: JSON with `errorCode`, `error` or `message`, or plain text. */
function readRefusal(body: unknown, status: number, text: string): { code: string; message: string } {
  if (typeof body !== 'object' || body === null) return { code: `http_${status}`, message: text.trim().slice(0, 200) };
  const fields = body as Record<string, unknown>;
  const message = [
    fields['error'],
    fields['errmsg'],
    fields['message'],
    fields['errorMessage'],
    fields['error_message'],
    fields['detail'],
  ].find((part) => typeof part === 'string');
  const code = fields['errorCode'] ?? fields['code'] ?? fields['error_code'];
  return {
    code: typeof code === 'string' || typeof code === 'number' ? String(code).slice(0, 60) : `http_${status}`,
    message: ((message as string | undefined) ?? text).slice(0, 200),
  };
}

/** Creates a client: a `VenueHttp` with a weight of 1 per request. @throws TypeError if the base URL is invalid */
export function createKeyedClient(options: KeyedClientOptions): KeyedClient {
  const { venue, baseUrl, clock, random, perMinute, budget, headers = {} } = options;
  const { host } = new URL(baseUrl);
  const http = createVenueHttp({
    venue,
    baseUrl,
    clock,
    random,
    headers,
    weightPerMinute: perMinute,
    ...(budget === undefined ? {} : { budget }),
    ...(options.note === undefined ? {} : { note: options.note }),
    maxWaitMs: options.maxWaitMs ?? 20_000,
    attempts: options.attempts ?? 2,
    limitPauseMs: 10_000,
    connectTimeoutMs: 10_000,
    readError(body, status, text) {
      const { code, message } = readRefusal(body, status, text);
      const hint =
        Object.keys(headers).length === 0 ? 'it wants an API key, and none is configured' : 'the configured API key is not accepted';
      return { code, message: `${host} answered ${status}${status === 401 ? ` ${message}: ${hint}` : `: ${message}`}` };
    },
  });
  return {
    perMinute,
    request: (path, query) => ({ url: http.address(path, query), headers: { 'user-agent': 'sevengate/1', ...headers } }),
    get: (path, query, known) => http.get(path, query, 1, known),
    getIfChanged: (path, query, known) => http.getIfChanged(path, query, 1, known),
  };
}
