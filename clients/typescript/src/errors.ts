/** Every way in which a call can fail: the service refused it, no answer of the service came, or a feed was refused. */
import type { Problem } from './api.ts';
import type { ErrorMessage } from './feed-messages.ts';

/** Base of all errors that this package throws for a failed call. An abort throws the reason of its signal instead. */
export class SevengateError extends Error {
  override readonly name: string = 'SevengateError';
}

/** One thing that was wrong in a request. */
export type FieldError = NonNullable<Problem['problems']>[number];

/** The service answered with a problem (RFC 9457). */
export class ApiError extends SevengateError {
  override readonly name = 'ApiError';
  readonly status: number;
  readonly code: Problem['code'];
  /** Says what was wrong, where, and what would be right. */
  readonly detail: string;
  /** Names the request in the service's log; null if a proxy removed it. */
  readonly requestId: string | null;
  /** Wait that the service asked for, in milliseconds; null if it did not. */
  readonly retryAfterMs: number | null;
  /** The whole body. */
  readonly problem: Problem;

  constructor(problem: Problem, retryAfterMs: number | null) {
    super(`${problem.status} ${problem.code}: ${problem.detail}`);
    this.status = problem.status;
    this.code = problem.code;
    this.detail = problem.detail;
    this.requestId = problem.requestId ?? null;
    this.retryAfterMs = retryAfterMs;
    this.problem = problem;
  }

  /** Every field of the request that was wrong, with what is allowed there. */
  get fields(): readonly FieldError[] {
    return this.problem.problems ?? [];
  }

  /** Changes that would pass, one sentence each: allowed values, the smallest change, failed gate conditions, open questions, the wait. */
  get wayOut(): readonly string[] {
    const { problems = [], rejections = [], checks = [], questions = [] } = this.problem;
    return [
      ...problems.map(({ path, allowed }) => `${path}: ${allowed}`),
      ...rejections.flatMap(({ suggestion }) => suggestion ?? []),
      ...checks.filter(({ passed }) => !passed).map(checkSentence),
      ...questions,
      ...(this.retryAfterMs === null ? [] : [`ask again in ${Math.ceil(this.retryAfterMs / 1_000)} s`]),
    ];
  }
}

type Check = NonNullable<Problem['checks']>[number];

function checkSentence({ name, rule, limit, observed }: Check): string {
  return `${name}: ${rule.replaceAll('_', ' ')} ${limit ?? 'a limit that is not known'} is needed, observed ${observed ?? 'nothing'}`;
}

/**
 * Reason why a call got no answer from the service: it was unreachable, took too long, its answer was cut off, or an intermediary such as a
 * proxy answered in its place.
 */
export type NetworkFailure = 'unreachable' | 'timeout' | 'cut' | 'foreign';

/** No answer of the service came. A change without an `Idempotency-Key` may have taken effect. */
export class NetworkError extends SevengateError {
  override readonly name = 'NetworkError';
  readonly failure: NetworkFailure;
  /** Status of an answer that was cut or foreign; null if there was none. */
  readonly status: number | null;
  readonly retryAfterMs: number | null;

  constructor(failure: NetworkFailure, message: string, more: { cause?: unknown; status?: number; retryAfterMs?: number | null } = {}) {
    super(message, { cause: more.cause });
    this.failure = failure;
    this.status = more.status ?? null;
    this.retryAfterMs = more.retryAfterMs ?? null;
  }
}

/** A feed cannot go on. `invalid_cursor`: the place to resume from is gone, so what happened since cannot be told from the feed. */
export class FeedError extends SevengateError {
  override readonly name = 'FeedError';
  readonly channel: string;
  readonly code: ErrorMessage['code'];
  readonly detail: string;

  constructor(channel: string, code: ErrorMessage['code'], detail: string) {
    super(`${channel}: ${code}: ${detail}`);
    this.channel = channel;
    this.code = code;
    this.detail = detail;
  }
}
