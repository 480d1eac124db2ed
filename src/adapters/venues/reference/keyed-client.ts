/** Requests to a provider that wants a key in a header and counts requests rather than weights. */

import type { Clock } from '../../../../streams/clock/clock.ts';
import type { NoteUnknownField } from '../../../../streams/feed-counters.ts';
import type { Venue } from '../../../domain/market/venue.ts';
import type { KnownFields } from '../known-fields.ts';
import type { RequestBudget } from '../request-budget.ts';
import { createVenueHttp } from '../venue-http.ts';

/** Query parameters in order; a name may come more than once (`ids[]`). */
export type ClientQuery = readonly (readonly [name: string, value: string])[];

export interface KeyedClientOptions {
  readonly venue: Venue;
  /** `https://api.jup.ag`; a path is kept as a prefix. */
  readonly baseUrl: string;
  /** Headers of every request, such as `{ 'x-api-key': key }`. Never logged. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly clock: Clock;
  /** Random source for jitter of retries, 0 <= n < 1. */
  readonly random: () => number;
  /** Requests that the plan allows in any 60 s. */
  readonly perMinute: number;
  /** The budget of the host, where several clients share it. Default: one of `perMinute`. */
  readonly budget?: RequestBudget;
  /** Maximum wait of a request for budget before it is refused instead. Default 20 s. */
  readonly maxWaitMs?: number;
  /** Maximum attempts of a read. Default 2. */
  readonly attempts?: number;
  /** Counts members that the adapter does not know, in answers to questions that say what is known. */
  readonly note?: NoteUnknownField;
}

export interface KeyedClient {
  readonly perMinute: number;
  /** `known` as of a `VenueHttp`. @throws VenueError if the provider refuses, stays silent or answers no JSON. */
  get(path: string, query: ClientQuery, known?: KnownFields): Promise<unknown>;
  /** `get`, or `UNCHANGED` if the provider says that its answer is still the one before. @throws VenueError as `get`. */
  getIfChanged(path: string, query: ClientQuery, known?: KnownFields): Promise<unknown>;
  /** The address and headers of a request, for a stream that the caller opens itself. */
  request(path: string, query: ClientQuery): { readonly url: string; readonly headers: Readonly<Record<string, string>> };
}

/** A refusal in the provider's own words: JSON with `errorCode`, `error` or `message`, or plain text. */
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

/** Makes a client: a `VenueHttp` on which every request weighs 1. @throws TypeError for a base URL that is none. */
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
