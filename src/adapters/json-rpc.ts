/**
 * JSON-RPC over POST to one host: reads may be tried again, what changes something is sent once, and its loss is told.
 * See docs/reference/outside/primary-chain.md and evm-chain.md.
 */
import type { Clock } from '../../streams/clock.ts';
import { createHttpTransport, type HttpOutcome, headerOf, type LossCode } from './http-transport.ts';
import type { RequestBudget } from './venues/request-budget.ts';
import { retryAfterMs } from './venues/venue-http.ts';

/** A node that is away, refuses or answers nonsense. Its address is never part of the message: it may hold a key. */
export class NodeError extends Error {
  /** `unreachable`, `timeout`, `http_429`, `not_json`, `rpc_-32602`, `malformed` and the like. */
  readonly code: string;
  /** Data that the node added to a JSON-RPC error. */
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
  /** The node answered that it will not. */
  | { readonly kind: 'refused'; readonly code: number; readonly message: string; readonly data: unknown }
  /** Request of which nothing was taken: it never left, or was refused before it was read. */
  | { readonly kind: 'not_taken'; readonly error: NodeError }
  /** The request may have been received, and no whole answer came. */
  | { readonly kind: 'lost'; readonly error: NodeError };

export interface JsonRpcOptions {
  readonly url: string;
  readonly clock: Clock;
  /** Request budget; without one nothing is counted. */
  readonly budget?: RequestBudget;
  readonly timeoutMs?: number;
  /** Reports the code of every request without an answer of its own, for counters. */
  readonly onFailure?: (code: string) => void;
}

export interface JsonRpc {
  /** One question, tried again once if the node was away or turned us away. @throws NodeError */
  ask(method: string, params: readonly unknown[]): Promise<unknown>;
  /** Sends at most once, and not if no time is left by `leftMs` (milliseconds). Never throws. */
  once(method: string, params: readonly unknown[], leftMs?: () => number): Promise<Reply>;
  close(): void;
}

const TIMEOUT_MS = 8_000;
const CONNECT_TIMEOUT_MS = 3_000;
const MAX_ANSWER_BYTES = 5 * 1024 * 1024;
const PAUSE_MS = 250;
const PAUSE_WHEN_LIMITED_MS = 2_000;

/** Opens nothing yet. One host and no other, no redirects followed. @throws TypeError if the address is none. */
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
    if (outcome.kind !== 'answered') return { kind: outcome.kind === 'lost' ? 'lost' : 'not_taken', error: lossOf(outcome) };
    const { status, headers: told, text } = outcome;
    if (status === 429) budget?.block(clock.now() + (retryAfterMs(headerOf(told, 'retry-after'), clock.now()) ?? PAUSE_WHEN_LIMITED_MS));
    // Refused before it was read; a failure behind it (5xx) leaves open what was done.
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

/** Failures that a second try may not meet. A node that was slow once would be waited for twice as long. */
function passes(code: string): boolean {
  return code === 'unreachable' || code === 'not_json' || code === 'http_429' || code.startsWith('http_5');
}

/** @throws TypeError if the address is none. Its query may hold a key, and stays a part of every request. */
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

/** Messages about a node that sent no whole answer. */
const LOSSES: Readonly<Record<LossCode, readonly [code: string, message: string]>> = {
  timeout: ['timeout', 'the node did not answer in time'],
  connect_timeout: ['timeout', 'the node did not accept a connection in time'],
  connection_failed: ['unreachable', 'the node cannot be reached'],
  answer_broken_off: ['unreachable', 'the node broke off its answer'],
  answer_too_large: ['too_large', `the node answered more than ${MAX_ANSWER_BYTES} bytes`],
};

function lossOf(outcome: Exclude<HttpOutcome, { kind: 'answered' }>): NodeError {
  const [code, message] = LOSSES[outcome.code];
  return new NodeError(
    code,
    outcome.code === 'connection_failed' ? `${message}: ${outcome.detail.replace(/^cannot be reached: /, '')}` : message,
  );
}

/** Parses an answer. Anything but an answer to this very request counts as lost. */
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

/** True for an error that says that the node of the chain gave no answer. */
export function isSilence(error: unknown): boolean {
  return error instanceof NodeError;
}
