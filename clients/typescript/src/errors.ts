/** Errors of a failed call: refused by the service, no answer from it, or a feed that ended. */
import type { Problem } from './api.ts';
import type { ErrorMessage } from './feed-messages.ts';

/** Base of all errors that this package throws for a failed call. An abort throws the reason of its signal instead. */
export class SevengateError extends Error {
  override readonly name: string = 'SevengateError';
}

/** Problem of one field of a request. */
export type FieldError = NonNullable<Problem['problems']>[number];

/** The service answered with a problem (RFC 9457). */
export class ApiError extends SevengateError {
  override readonly name = 'ApiError';
  readonly status: number;
  readonly code: Problem['code'];
  /** Describes what was wrong, where, and what would be right. */
  readonly detail: string;
  /** Request id in the service's log, or null if a proxy removed it. */
  readonly requestId: string | null;
  /** Wait that the service asked for, in milliseconds, or null. */
  readonly retryAfterMs: number | null;
  /** Complete body. */
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

  /** Changes that would pass, one sentence each: allowed values, smallest change, failed gate conditions, open questions, wait. */
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

/** The service did not answer. A change without an `Idempotency-Key` may have taken effect. */
export class NetworkError extends SevengateError {
  override readonly name = 'NetworkError';
  readonly failure: NetworkFailure;
  /** Status of an answer that was cut off or foreign, or null. */
  readonly status: number | null;
  readonly retryAfterMs: number | null;

  constructor(failure: NetworkFailure, message: string, more: { cause?: unknown; status?: number; retryAfterMs?: number | null } = {}) {
    super(message, { cause: more.cause });
    this.failure = failure;
    this.status = more.status ?? null;
    this.retryAfterMs = more.retryAfterMs ?? null;
  }
}

/** Feed that cannot continue. `invalid_cursor`: the resume position is gone, and the feed cannot deliver the events since. */
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
