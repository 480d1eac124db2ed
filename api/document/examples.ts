/**
 * A real request and answer of every operation, and a real answer of every error, recorded from the tests by `npm run examples` and shown
 * in the API document.
 */
import type { ProblemCode } from '../../src/domain/values/problems.ts';
import RECORDED from '../examples.json' with { type: 'json' };

export interface OperationExample {
  /** Requested path and query. */
  readonly url: string;
  /** Absent if the operation has no body. */
  readonly body?: unknown;
  /** Example answers by status. */
  readonly answers: { readonly [status: string]: unknown };
}

interface Examples {
  readonly operations: { readonly [name: string]: OperationExample | undefined };
  readonly problems: { readonly [Code in ProblemCode]?: unknown };
}

export const EXAMPLES: Examples = RECORDED;
