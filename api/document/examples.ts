/**
 * A real request and answer of every operation, and a real answer of every error, recorded from the tests by `npm run examples` and shown
 * in the API document.
 */
import { readFileSync } from 'node:fs';
import { once } from '../../src/core/once.ts';
import type { ProblemCode } from '../../src/domain/values/problems.ts';

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

/** Returns the examples. They are read with the first document: most starts are followed by none. */
export const readExamples = once(() => JSON.parse(readFileSync(new URL('../examples.json', import.meta.url), 'utf8')) as Examples);
