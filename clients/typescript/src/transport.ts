/** HTTP exchange with the service: address, token, timeout, and every failure as an error of this package. */
import type { Problem } from './api.ts';
import { ApiError, NetworkError, SevengateError } from './errors.ts';
import { linkedController, type Timing } from './timing.ts';

/**
 * Bearer token, or a function that returns one. The function is called once, and again with the token that the service refused.
 * Without a token the browser's session cookie is used.
 */
export type Token = string | ((refused: string | null) => string | Promise<string>);

/** Request without its token. */
export interface Outgoing {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

export type Transport = ReturnType<typeof createTransport>;

interface TransportOptions {
  readonly baseUrl: string;
  readonly token: Token | undefined;
  readonly fetch: typeof fetch;
  readonly timing: Timing;
}

export function createTransport({ baseUrl, token, fetch, timing }: TransportOptions) {
  const credentials = createCredentials(token);

  async function ask({ method, path, headers, body }: Outgoing, bearer: string | null, signal: AbortSignal): Promise<Response> {
    try {
      return await fetch(`${baseUrl}${path}`, {
        method,
        headers: { ...headers, ...toAuthorization(bearer) },
        signal,
        // A redirect would send the token elsewhere, and the service uses none.
        redirect: 'manual',
        ...(body === null ? {} : { body }),
      });
    } catch (error) {
      signal.throwIfAborted();
      throw new NetworkError('unreachable', `${method} ${path}: ${baseUrl} does not answer`, { cause: error });
    }
  }

  return {
    baseUrl,
    timing,
    /** Sends a request. If the token is refused, asks for another one once. @throws NetworkError if no answer came. */
    async send(request: Outgoing, signal: AbortSignal): Promise<Response> {
      const bearer = await credentials.get(null);
      const response = await ask(request, bearer, signal);
      if (response.status !== 401 || bearer === null) return response;
      const renewed = await credentials.get(bearer);
      if (renewed === bearer) return response;
      await response.body?.cancel();
      return ask(request, renewed, signal);
    },
    /** Headers with the token. */
    authorization: async (): Promise<Readonly<Record<string, string>>> => toAuthorization(await credentials.get(null)),
    /** Drops the token, so that the next request asks for a new one. */
    forgetToken: credentials.forget,
  };
}

const toAuthorization = (bearer: string | null): Readonly<Record<string, string>> =>
  bearer === null ? {} : { authorization: `Bearer ${bearer}` };

/** Caches the token. Calls that are refused together ask for a new one once. */
function createCredentials(token: Token | undefined) {
  let held: string | null = null;
  let asking: Promise<string> | null = null;

  async function ask(refused: string | null): Promise<string> {
    const given = typeof token === 'function' ? await token(refused) : token;
    const text = String(given ?? '').trim();
    // The message omits the token, which `fetch` would quote.
    if (!/^[\x21-\x7e]+$/.test(text)) throw new SevengateError('the token is empty, or holds blanks or characters beyond ASCII');
    held = text;
    return text;
  }

  return {
    /** @param refused The token that was just refused, or null. @returns null without a token. */
    async get(refused: string | null): Promise<string | null> {
      if (token === undefined) return null;
      if (held !== null && held !== refused) return held;
      // Cleared after it is set, even if the function throws at once.
      return (asking ??= ask(refused).finally(() => {
        asking = null;
      }));
    },
    forget(): void {
      held = null;
    },
  };
}

/** Runs work until it ends, the timeout expires or the signal is aborted. @throws NetworkError `timeout`. */
export async function bounded<Answer>(
  {
    timing,
    ms,
    signal,
    what,
  }: { readonly timing: Timing; readonly ms: number; readonly signal: AbortSignal | undefined; readonly what: string },
  work: (signal: AbortSignal) => Promise<Answer>,
): Promise<Answer> {
  signal?.throwIfAborted();
  const { controller, release } = linkedController(signal);
  const done = new AbortController();
  timing.wait(ms, done.signal).then(
    () => controller.abort(new NetworkError('timeout', `${what}: no whole answer within ${ms} ms`)),
    () => {},
  );
  try {
    return await work(controller.signal);
  } catch (error) {
    controller.signal.throwIfAborted();
    throw error;
  } finally {
    done.abort();
    release();
  }
}

/** Expected form of an answer: `text` if the document promises no JSON, `refused` for error statuses whose JSON is a regular answer. */
interface Expected {
  readonly what: string;
  readonly text: boolean;
  readonly refused: readonly number[];
}

/** Reads the body of an answer. @throws ApiError if it is a problem. @throws NetworkError if it is cut off, or not from the service. */
export async function readAnswer(response: Response, expected: Expected, timing: Timing): Promise<unknown> {
  const { status } = response;
  const text = await bodyText(response, expected.what);
  if (status === 204) return undefined;
  const mediaType = readMediaType(response);
  if (response.ok && expected.text) return text;
  const value = mediaType === 'application/json' || mediaType === 'application/problem+json' ? parsed(text) : undefined;
  if (value !== undefined && mediaType === 'application/json' && (response.ok || expected.refused.includes(status))) return value;
  const retryAfterMs = readRetryAfter(response, timing);
  if (!response.ok && isProblem(value)) throw new ApiError(value, retryAfterMs);
  throw new NetworkError('foreign', foreignSentence(expected.what, status, mediaType), { status, retryAfterMs });
}

export const readMediaType = ({ headers }: Response): string => headers.get('content-type')?.split(';')[0]?.trim().toLowerCase() ?? '';

export const foreignSentence = (what: string, status: number, mediaType: string): string =>
  `${what}: the answer ${status} with ${mediaType || 'no media type'} is none of the service; is there a proxy between?`;

async function bodyText(response: Response, what: string): Promise<string> {
  try {
    return await response.text();
  } catch (error) {
    throw new NetworkError('cut', `${what}: the answer ${response.status} was cut off`, { cause: error, status: response.status });
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isProblem(value: unknown): value is Problem {
  const { code, status, detail } = (value ?? {}) as Partial<Problem>;
  return typeof code === 'string' && typeof status === 'number' && typeof detail === 'string';
}

/** Returns `Retry-After` in milliseconds, given in seconds or as a date, or null if there is none. */
function readRetryAfter({ headers }: Pick<Response, 'headers'>, timing: Timing): number | null {
  const text = headers.get('retry-after')?.trim() ?? '';
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1_000;
  const at = Date.parse(text);
  return Number.isNaN(at) ? null : Math.max(0, at - timing.now());
}
