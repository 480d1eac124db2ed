/** One real request and answer of every operation, and one real answer of every error: recorded from the tests by `npm run examples`, shown by the document. */
import type { ProblemCode } from './problem.ts';
import RECORDED from './examples.json' with { type: 'json' };

export interface OperationExample {
  /** The path and query that were asked. */
  readonly url: string;
  /** Absent if the operation takes no body. */
  readonly body?: unknown;
  /** Example answers by status. */
  readonly answers: { readonly [status: string]: unknown };
}

export interface Examples {
  readonly operations: { readonly [name: string]: OperationExample | undefined };
  readonly problems: { readonly [Code in ProblemCode]?: unknown };
}

export const EXAMPLES: Examples = RECORDED;
