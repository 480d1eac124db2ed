/** Requests to the API: JSON in, JSON out, and every refusal as an error with its code and its sentence. */

/** Error of the API's refusal or failure. */
export class Refused extends Error {
  /**
   * @param {number} status 0 where no answer came at all
   * @param {string} code
   * @param {string} detail
   * @param {import('./wire.ts').Problem} [problem] The whole document, where there is one.
   * @param {number | null} [retryAfterMs] After which the service may be asked again, where it said so.
   */
  constructor(status, code, detail, problem = {}, retryAfterMs = null) {
    super(detail);
    this.status = status;
    this.code = code;
    this.problem = problem;
    this.retryAfterMs = retryAfterMs;
  }

  /** Nobody is signed in any more. */
  get signedOut() {
    return this.status === 401;
  }

  /** The service was away or had no time: the same may succeed later. */
  get passing() {
    return this.status === 0 || ASK_AGAIN.includes(this.status);
  }
}

/** A service that has no time for an answer gives 503, one that was asked too often 429, and both say to ask again. */
const ASK_AGAIN = [429, 503];
const READ_ATTEMPTS = 4;
/** A browser whose connection broke sends a change again by itself, and may be told that the first of them is still under way. */
const CHANGE_ATTEMPTS = 15;
const ASK_AGAIN_AFTER_MS = 1_000;

/**
 * Asks again, a few times and ever later, where the service had no time for the answer or was asked too often.
 * @template Answer
 * @param {string} path
 * @param {{ readonly signal?: AbortSignal }} [options]
 * @returns {Promise<Answer>}
 */
export async function read(path, { signal } = {}) {
  for (let attempt = 1; ; attempt++) {
    let waitMs = attempt * ASK_AGAIN_AFTER_MS;
    try {
      return await ask('GET', path, undefined, signal === undefined ? {} : { signal });
    } catch (error) {
      if (!(error instanceof Refused) || !ASK_AGAIN.includes(error.status) || attempt === READ_ATTEMPTS) throw error;
      waitMs = Math.max(waitMs, error.retryAfterMs ?? 0);
    }
    await new Promise((resolve) => setTimeout(resolve, waitMs));
    signal?.throwIfAborted();
  }
}

/**
 * The pages of a list, one after the other: each names the next.
 * @template {{ readonly nextCursor: string | null }} Page
 * @param {string} path With a query.
 * @param {{ readonly signal?: AbortSignal }} [options]
 * @returns {AsyncGenerator<Page, void>}
 */
export async function* pagesOf(path, options) {
  /** @type {string | null} */
  let cursor = null;
  do {
    /** @type {Page} */
    // oxlint-disable-next-line no-await-in-loop
    const page = await read(cursor === null ? path : `${path}&cursor=${encodeURIComponent(cursor)}`, options);
    yield page;
    cursor = page.nextCursor;
  } while (cursor !== null);
}

/**
 * Asks for a change. The same call never takes effect twice, even where a proxy or the browser sends it again; while the first
 * of them is still under way, its answer is asked for under the same key.
 * @template Answer
 * @param {'POST' | 'PUT' | 'DELETE'} method
 * @param {string} path
 * @param {unknown} [body]
 * @returns {Promise<Answer>}
 */
export async function change(method, path, body) {
  const key = Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
  for (let attempt = 1; ; attempt++) {
    try {
      return await ask(method, path, body, { headers: { 'idempotency-key': key } });
    } catch (error) {
      if (!(error instanceof Refused) || error.code !== 'idempotency_in_flight' || attempt === CHANGE_ATTEMPTS) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, ASK_AGAIN_AFTER_MS));
  }
}

/**
 * Asks for something to be worked out, which changes nothing: it may be given up, and asked again.
 * @template Answer
 * @param {string} path
 * @param {unknown} body
 * @param {AbortSignal} signal
 * @returns {Promise<Answer>}
 */
export function workOut(path, body, signal) {
  return ask('POST', path, body, { signal });
}

/**
 * @template Answer
 * @param {string} method
 * @param {string} path
 * @param {unknown} body
 * @param {{ readonly headers?: Record<string, string>, readonly signal?: AbortSignal }} more
 * @returns {Promise<Answer>}
 */
async function ask(method, path, body, more) {
  let response;
  try {
    response = await fetch(path, {
      method,
      credentials: 'same-origin',
      ...more,
      ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { ...more.headers, 'content-type': 'application/json' } }),
    });
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    throw new Refused(0, 'unreachable', 'the service does not respond');
  }
  const text = await response.text();
  if (response.ok) return text === '' ? /** @type {Answer} */ (null) : JSON.parse(text);
  /** @type {import('./wire.ts').Problem} */
  let problem = {};
  try {
    problem = JSON.parse(text);
  } catch {
    // Not one of ours: something between us and the service answered.
  }
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
  const retryAfterMs = Number.isNaN(seconds) ? null : seconds * 1_000;
  throw new Refused(
    response.status,
    problem.code ?? 'unreadable',
    problem.detail ?? `the service returned status ${response.status}`,
    problem,
    retryAfterMs,
  );
}
