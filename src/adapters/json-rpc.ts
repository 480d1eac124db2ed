/**
 * JSON-RPC client of one host. Reads may be repeated; a request that changes something is sent once, and its loss is reported. See
 * docs/reference/outside/primary-chain.md and evm-chain.md.
 */
import type { Clock } from '../../streams/clock/clock.ts';
import { createHttpTransport, type HttpOutcome, readHeader, type LossCode } from './http-transport.ts';
import type { RequestBudget } from './venues/request-budget.ts';
import { retryAfterMs } from './venues/venue-http.ts';

/** Thrown if a node does not answer, refuses or answers nonsense. The message contains no address, which may hold a key. */
export class NodeError extends Error {
  /** Reason, such as `unreachable`, `timeout`, `http_429`, `not_json`, `rpc_-32602` or `malformed`. */
  readonly code: string;
  /** `data` of the JSON-RPC error. */
  readonly data: unknown;

  constructor(code: string, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/** Result of one request. */
export type Reply =
  | { readonly kind: 'result'; readonly value: unknown }
  /** The node refused the request. */
  | { readonly kind: 'refused'; readonly code: number; readonly message: string; readonly data: unknown }
  /** The node received nothing, or refused before reading the request. */
  | { readonly kind: 'not_taken'; readonly error: NodeError }
  /** The request may have arrived, and no complete answer came. */
  | { readonly kind: 'lost'; readonly error: NodeError };

export interface JsonRpcOptions {
  readonly url: string;
  readonly clock: Clock;
  /** Request budget; without one, requests are not counted. */
  readonly budget?: RequestBudget;
  readonly timeoutMs?: number;
  /** Receives the code of every unanswered request. */
  readonly onFailure?: (code: string) => void;
}

export interface JsonRpc {
  /** Sends a read; repeats it once if the node was unreachable or rejected it. @throws NodeError */
  ask(method: string, params: readonly unknown[]): Promise<unknown>;
  /** Sends at most once, and only while `leftMs` returns more than 0 ms. Never throws. */
  once(method: string, params: readonly unknown[], leftMs?: () => number): Promise<Reply>;
  close(): void;
}

const TIMEOUT_MS = 8_000;
const CONNECT_TIMEOUT_MS = 3_000;
const MAX_ANSWER_BYTES = 5 * 1024 * 1024;
const PAUSE_MS = 250;
const PAUSE_WHEN_LIMITED_MS = 2_000;

/** Creates the client. Follows no redirect. @throws TypeError for an invalid address */
export function createJsonRpc(options: JsonRpcOptions): JsonRpc {
  const { clock, budget } = options;
  const { base, http } = nodeTransport(options);
  const target = base.pathname + base.search;
  const wait = (ms: number): Promise<void> => new Promise((resolve) => void clock.deadline(clock.now() + ms, resolve));
  let counter = 0;

  async function send(method: string, params: readonly unknown[], kept: boolean, leftMs?: () => number): Promise<Reply> {
    const reply = await sendUncounted(method, params, kept, leftMs);
    if (reply.kind === 'lost' || reply.kind === 'not_taken') options.onFailure?.(reply.error.code);
    return reply;
  }

  async function sendUncounted(method: string, params: readonly unknown[], kept: boolean, leftMs?: () => number): Promise<Reply> {
    const waitMs = (await budget?.take(1, clock.now())) ?? 0;
    if (waitMs > 0)
      return {
        kind: 'not_taken',
        error: new NodeError('budget_exhausted', `the request budget of the node is spent; free again in ${waitMs} ms`),
      };
    const id = ++counter;
    const body = JSON.stringify({ jsonrpc: '2.0', id, method, params });
    const headers = { 'content-type': 'application/json' };
    const outcome = await http.send({ method: 'POST', target, headers, body, fresh: !kept, ...(leftMs === undefined ? {} : { leftMs }) });
    if (outcome.kind !== 'answered') return { kind: outcome.kind === 'lost' ? 'lost' : 'not_taken', error: toNodeError(outcome) };
    const { status, headers: told, text } = outcome;
    if (status === 429) budget?.block(clock.now() + (retryAfterMs(readHeader(told, 'retry-after'), clock.now()) ?? PAUSE_WHEN_LIMITED_MS));
    // A status below 500 means that the request was refused unread; after a 5xx its outcome is unknown.
    if (status >= 300 && status < 500) return { kind: 'not_taken', error: new NodeError(`http_${status}`, `the node answered ${status}`) };
    return replyIn(id, status, text);
  }

  return {
    async ask(method, params) {
      for (let attempt = 1; ; attempt++) {
        const reply = await send(method, params, true);
        if (reply.kind === 'result') return reply.value;
        if (reply.kind === 'refused') throw new NodeError(`rpc_${reply.code}`, `the node refused ${method}: ${reply.message}`, reply.data);
        if (attempt === 2 || !passes(reply.error.code)) throw reply.error;
        await wait(reply.error.code === 'http_429' ? PAUSE_WHEN_LIMITED_MS : PAUSE_MS);
      }
    },
    once: (method, params, leftMs) => send(method, params, false, leftMs),
    close: http.close,
  };
}

/** Returns true for failures that a second attempt may avoid. Timeouts are not repeated. */
function passes(code: string): boolean {
  return code === 'unreachable' || code === 'not_json' || code === 'http_429' || code.startsWith('http_5');
}

/** @throws TypeError for an invalid address. Its query may contain a key and is sent with every request. */
function nodeTransport({ url, clock, timeoutMs = TIMEOUT_MS }: JsonRpcOptions) {
  const base = new URL(url);
  const http = createHttpTransport({
    baseUrl: base.origin,
    clock,
    totalTimeoutMs: timeoutMs,
    connectTimeoutMs: CONNECT_TIMEOUT_MS,
    maxAnswerBytes: MAX_ANSWER_BYTES,
  });
  return { base, http };
}

/** Codes and messages by kind of loss. */
const LOSSES: Readonly<Record<LossCode, readonly [code: string, message: string]>> = {
  timeout: ['timeout', 'the node did not answer in time'],
  connect_timeout: ['timeout', 'the node did not accept a connection in time'],
  connection_failed: ['unreachable', 'the node cannot be reached'],
  answer_broken_off: ['unreachable', 'the node broke off its answer'],
  answer_too_large: ['too_large', `the node answered more than ${MAX_ANSWER_BYTES} bytes`],
};

function toNodeError(outcome: Exclude<HttpOutcome, { kind: 'answered' }>): NodeError {
  const [code, message] = LOSSES[outcome.code];
  return new NodeError(
    code,
    outcome.code === 'connection_failed' ? `${message}: ${outcome.detail.replace(/^cannot be reached: /, '')}` : message,
  );
}

/** Parses an answer. Anything but an answer to this request counts as lost. */
function replyIn(id: number, status: number, text: string): Reply {
  const lost = (code: string, message: string): Reply => ({ kind: 'lost', error: new NodeError(code, message) });
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return lost(status >= 500 ? `http_${status}` : 'not_json', `the node answered ${status} and something that is not JSON`);
  }
  const answer = (typeof body === 'object' && body !== null ? body : {}) as Record<string, unknown>;
  const { error } = answer;
  if (answer['jsonrpc'] !== '2.0' || answer['id'] !== id) return lost('malformed', `the node answered ${status}, and not what was asked`);
  if (Object.hasOwn(answer, 'result') && !Object.hasOwn(answer, 'error')) return { kind: 'result', value: answer['result'] };
  const { code, message, data } = (typeof error === 'object' && error !== null ? error : {}) as Record<string, unknown>;
  if (typeof code !== 'number' || typeof message !== 'string') return lost('malformed', 'the node answered neither a result nor an error');
  return { kind: 'refused', code, message: message.slice(0, 300), data };
}

/** Returns true for an error of a node that did not answer. */
export function isSilence(error: unknown): boolean {
  return error instanceof NodeError;
}
